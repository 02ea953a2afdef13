// Package vectors makes and reads test vectors: one instruction run once, with the state before and after it, in the
// JSON format that emulator authors use (SingleStepTests). A file holds the tests of one mnemonic; docs/vectors.md
// describes its fields.
//
//	m, err := vectors.NewMaker(target, vectors.Options{Seed: 1, Count: 32})
//	tests, rows, err := m.Tests(ctx, "v_add_f32")
//	data := m.Append(nil, tests)
//
// A Job makes the files of many mnemonics in parallel, with an index of what they contain and what is missing. Read and
// a Verifier check them.
//
// A test is made from a row of the instruction set's table: a word of it, a state with values worth trying in the
// registers that the lift reads, memory where its accesses go. The final state is that of the reference engine. The
// values of a test depend only on the seed and on the test's own name, by the random number generator in rand.go, so
// that files have the same bytes on any machine.
package vectors
