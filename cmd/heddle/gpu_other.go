//go:build !(linux && amd64)

package main

import "errors"

// start reports that there is no GPU here.
func (c *gpuCmd) start(*app) error { return errors.New("gpu: this needs Linux on x86-64") }
