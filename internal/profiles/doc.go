// Package profiles holds what heddle profile shows of a run: for each code the launches, and for each instruction what
// was counted of it and where it is in the source. Everything that prints a profile reads it.
package profiles
