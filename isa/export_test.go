package isa

// WordsIn and WordBit return the bits of the words of a text, of all and of those outside of brackets, and of one
// word.
var (
	WordsIn = func(text string) (all, outside uint64) { w := wordsIn(text); return w.all, w.outside }
	WordBit = wordBit
)
