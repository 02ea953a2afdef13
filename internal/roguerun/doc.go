// Package roguerun contains only tests: groups of isa/rogue, run by the reference engine and compared with formulas
// written in the tests. They are not in isa/rogue because an instruction set, including its tests, imports no engine.
package roguerun
