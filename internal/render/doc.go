// Package render draws scenes (object.Scene) and single fragment programs with the programs of any
// instruction set that has graphics stages, and compares pictures. The steps of a draw are package draw's.
package render
