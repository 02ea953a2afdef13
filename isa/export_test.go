package isa

// WordsIn and WordBit are the bits of the words of a text, and of one word.
var (
	WordsIn = wordsIn
	WordBit = wordBit
)
