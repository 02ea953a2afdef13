package asm

import (
	"io"

	"github.com/heddle-gpu/heddle/isa"
)

var AppendUpper = appendUpper

// ListPlainly is List with every text assembled to see whether it gives its bytes.
func ListPlainly(w io.Writer, t *isa.Target, code []byte, base uint64, opt ListOptions) error {
	l := newLister(t, code, base, opt)
	l.rows = nil
	return l.list(w)
}

// ListAfresh is List by a lister that has made no other listing.
func ListAfresh(w io.Writer, t *isa.Target, code []byte, base uint64, opt ListOptions) error {
	l := freshLister()
	l.reset(t, code, base, opt)
	return l.list(w)
}

// Whole makes the assembler keep a statement for every instruction, so that each round reads or places it by itself.
func Whole(o Options) Options {
	o.whole = true
	return o
}
