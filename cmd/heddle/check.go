package main

import "errors"

type checkCmd struct{}

func (c *checkCmd) Run(a *app) error { return errors.New("not built yet") }
