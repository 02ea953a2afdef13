// Package render draws scenes (casefile.Scene) and single fragment programs with the programs of any instruction set
// that has graphics stages, and compares pictures. Package draw performs the steps of a draw.
package render
