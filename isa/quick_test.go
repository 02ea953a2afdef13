package isa

import (
	"math/rand/v2"
	"testing"
)

// TestTokenOf: a token in eight bytes is the first byte and the bytes after it that isLetter accepts, for all bytes
// at all positions.
func TestTokenOf(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	const some = ".abzAZ019_$ ,:;@[`{/-\x00\x7f\x80\xff\xdf\xe1\xa4"
	met := map[int]int{}
	for i := range 200000 {
		var b [8]byte
		for j := range b {
			b[j] = some[r.IntN(len(some))]
			if r.IntN(3) > 0 {
				b[j] = byte('a' + r.IntN(26))
			}
		}
		b[i&7] = byte(i >> 3)
		n := 1
		for n < len(b) && isLetter(b[n]) {
			n++
		}
		want, _ := pack(string(b[:n]))
		next, _ := pack(string(b[:]))
		if got := tokenOf(next); got != want {
			t.Fatalf("%q: token %x, want %x", b, got, want)
		}
		for j, c := range b {
			if got := lettersIn(next)>>(8*j)&0xff == 0x80; got != isLetter(c) {
				t.Fatalf("%q: letter %v", c, got)
			}
		}
		met[n]++
	}
	for n := 1; n <= 8; n++ {
		if met[n] < 1000 {
			t.Errorf("%d tokens of length %d", met[n], n)
		}
	}
}
