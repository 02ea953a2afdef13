// Package vectors makes and reads test vectors: one instruction run once, with the state before and after it, in the JSON form that
// emulator authors use (SingleStepTests). A file holds the tests of one mnemonic; docs/vectors.md says what its fields mean.
//
//	m, err := vectors.NewMaker(target, vectors.Options{Seed: 1, Count: 32})
//	tests, rows, err := m.Tests(ctx, "v_add_f32")
//	data := m.Append(nil, tests)
//
// A Job makes those of many mnemonics at once, with an index of what there is and what there is not. Read and a Verifier take them back.
//
// A test is made from a row of the instruction set's table: a word of it, a state with values worth trying in the registers that the
// lift reads, memory where its accesses go. What follows is what the reference engine leaves. The values of a test depend on the seed and on
// the test's own name alone, by the generator of random numbers in rand.go, so that files are the same bytes on any machine.
package vectors
