package main

import "errors"

type runCmd struct{}

func (c *runCmd) Run(a *app) error { return errors.New("not built yet") }
