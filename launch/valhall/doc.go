// Package valhall starts programs of Arm's Valhall: the state that warps begin with.
//
// Source: docs/reference/valhall.md.
package valhall
