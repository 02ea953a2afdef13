package exectest

import "fmt"

// Differs describes where bytes, starting at an address, differ from the wanted ones: the first difference, and the
// number of others. It is empty if there are none.
func Differs(at uint64, got, want []byte) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d bytes from %#x on, want %d", len(got), at, len(want))
	}
	first, n := 0, 0
	for i := range got {
		if got[i] != want[i] {
			if n == 0 {
				first = i
			}
			n++
		}
	}
	if n == 0 {
		return ""
	}
	text := fmt.Sprintf("the byte at %#x is %#x, want %#x", at+uint64(first), got[first], want[first])
	if n > 1 {
		text += fmt.Sprintf("; %d more differ, the last at %#x", n-1, at+uint64(last(got, want)))
	}
	return text
}

func last(got, want []byte) int {
	i := len(got) - 1
	for got[i] == want[i] {
		i--
	}
	return i
}
