// Package rogue runs programs of PowerVR Rogue: state cases, compute, vertex and fragment programs.
// docs/reference/rogue.md 7.
package rogue
