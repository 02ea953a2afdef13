// Package trial holds a test only: it adds an invented instruction to each instruction set, in a copy of the tree, by
// the steps of CONTRIBUTING.md, and checks after each what that page promises. It takes minutes and is run by "make
// trial".
package trial
