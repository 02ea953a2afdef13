// Package valhall starts programs of Arm's Valhall: it defines the initial state of warps.
//
// Source: docs/reference/valhall.md.
package valhall
