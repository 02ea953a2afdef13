// Package lower has the machine-independent form in which blocks run: an optimised [ir.Block] as a list of steps whose
// operands and results are at places. The interpreter of package portable and code generators read it.
package lower
