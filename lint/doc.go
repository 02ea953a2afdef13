// Package lint looks for what hardware does not forgive in machine code: instructions that break a rule by themselves, and
// above all instructions that follow each other as they must not.
//
//	code, entries --> steps --> blocks --> states at block begins --> findings
//
// From the entries all code that can be reached is decoded into steps, one an instruction: what it reads and writes (operand
// roles), what it leaves pending or waits for, where it goes on (lift). Steps make blocks. A state says what may be true when
// an instruction is reached, whatever path led there: which registers are pending, which were written, which writes are
// recent. States meet at block begins until none changes; then each block is gone through once more, and the rules look.
//
// What a set's rules speak of is in its isa.Flow and its table of rules. This package knows no instruction set.
package lint
