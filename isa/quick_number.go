package isa

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Plain numbers, the most frequent ones, are read without the expression parser.

// A Written is texts of a kind that are a single number, with or without a word before it: 0x3f800000, offset:-4. It
// is decimal or hexadecimal, and must be followed by nothing, a comma, or a point and a letter, so that it is no part
// of an expression.
type Written struct {
	Prefix    string
	Low, High int64    // numbers are from Low to High, of at most 32 bits
	Mask      uint64   // the value is these bits of the number
	Table     []uint32 // if not nil: the number must be in it, and the value is the index of the first equal entry, plus Base
	Base      uint64
}

// Limits on the digits of number texts, so that no number has more than 32 bits.
const (
	maxHex     = 8
	maxDecimal = 9
)

// faulty says what is wrong with the declaration.
func (w *Written) faulty() error {
	switch {
	case w.Prefix != "" && isWord(w.Prefix[len(w.Prefix)-1]):
		return fmt.Errorf("the prefix %q of written numbers ends with a part of a word", w.Prefix)
	case w.Low < -1<<31 || w.High >= 1<<32 || w.Low > w.High:
		return fmt.Errorf("written numbers from %d to %d are none, or of more than 32 bits", w.Low, w.High)
	case (w.Mask == 0) == (w.Table == nil):
		return errors.New("written numbers have neither a mask nor a table, or both")
	}
	return nil
}

// value returns the value of the number at the start of a text, and its length; 0: the text has another form.
func (w *Written) value(text string) (v uint64, n int) {
	if !strings.HasPrefix(text, w.Prefix) {
		return 0, 0
	}
	at := len(w.Prefix)
	neg := w.Low < 0 && at < len(text) && text[at] == '-'
	if neg {
		at++
	}
	v, n = digits(text[at:])
	if at += n; n == 0 || at < len(text) && text[at] != ',' && (text[at] != '.' || at+1 == len(text) || !begins(text[at+1])) {
		return 0, 0
	}
	x := int64(v)
	if neg {
		x = -x
	}
	switch {
	case x < w.Low || x > w.High:
		return 0, 0
	case w.Table == nil:
		return uint64(x) & w.Mask, at
	}
	if i := slices.Index(w.Table, uint32(x)); i >= 0 {
		return w.Base + uint64(i), at
	}
	return 0, 0
}

// digits reads the unsigned number at the start of a text, if it is short.
func digits(text string) (v uint64, n int) {
	if len(text) > 2 && text[0] == '0' && text[1] == 'x' {
		for n = 2; n < len(text); n++ {
			d := hexDigits[text[n]]
			if d < 0 {
				break
			}
			v = v<<4 | uint64(d)
		}
		if n -= 2; n == 0 || n > maxHex {
			return 0, 0
		}
		return v, n + 2
	}
	for n < len(text) && isDigit(text[n]) {
		v = v*10 + uint64(text[n]-'0')
		n++
	}
	if n > maxDecimal || n > 1 && text[0] == '0' {
		return 0, 0
	}
	return v, n
}
