// Package roguerun holds tests only: groups of isa/rogue, run by the reference engine against formulas that are written out in
// the tests. They stand here because an instruction set, its tests included, imports no engine.
package roguerun
