package bits_test

import (
	"fmt"

	"github.com/heddle-gpu/heddle/bits"
)

// A field of an 8-byte word in two ranges of bits, the low one first.
func ExampleRanges() {
	word := bits.Load([]byte{0x00, 0x00, 0x00, 0xc0, 0x05, 0x00, 0x00, 0x00})
	field := bits.Ranges{bits.Span(30, 31), bits.Span(32, 34)}
	fmt.Println(field.Len(), "bits:", field.Get(word))
	word = field.Put(word, 0b011_10)
	fmt.Println(word.Hex(8))
	fmt.Println(word.Get(bits.Span(30, 34)), word.And(field.Mask()) == word)
	// Output:
	// 5 bits: 23
	// 0000008003000000
	// 14 true
}
