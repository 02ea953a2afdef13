// Package vectors makes and reads test vectors: one instruction run once, with the state before and after it, in the JSON form that
// emulator authors use (SingleStepTests). A file holds the tests of one mnemonic; docs/vectors.md says what its fields mean.
//
//	g := vectors.NewMaker(target, vectors.Options{Seed: 1, Count: 32})
//	for _, f := range g.Files() {
//		tests, rows := g.Tests(f)
//		...
//	}
//
// A test is made from a row of the instruction set's table: a word of it, a state with values worth trying in the registers that the
// lift reads, memory where its accesses go. What follows is what the reference engine leaves. The values of a test depend on the seed and on
// the test's own name alone, by the generator of random numbers in rand.go, so that files are the same bytes on any machine.
package vectors
