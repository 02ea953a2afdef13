package asm

import (
	"bytes"
	"encoding/hex"
	mathbits "math/bits"
	"slices"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// usual writes a line whose instruction is no branch and of row d, if its text needs no check. Otherwise it returns 0.
// The line begins at offset at of the buffer.
func (l *lister) usual(d *isa.Def, off, at int) int {
	addr, in := l.base+uint64(off), &l.inst
	l.target.DecodeAs(d, l.code[off:], addr, in)
	if l.opt.Exact && (l.target.Dialect != 0 || !in.Exact()) {
		return 0
	}
	l.buf = l.print.Append(l.buf, in)
	l.last(at+1, addr)
	n := int(in.Size)
	l.comment(at, addr, l.code[off:off+n], l.computed(addr))
	l.buf = append(l.buf, '\n')
	return n
}

// A writing is a way to write an instruction so that it assembles to its bytes.
type writing uint8

const (
	asText  writing = iota // its text
	beside                 // with what Arch.Beside adds
	asLong                 // after Arch.Long: the text alone may assemble to a shorter form
	asBytes                // .enc
)

// A verdict is how an instruction is written whose text may be that of another one.
type verdict struct {
	word bits.Word
	size uint8 // in bytes; 0: none
	as   writing
}

// verdictBits is log2 of the largest number of verdicts.
const verdictBits = 13

// verdict returns the entry of the decoded instruction, and whether it is valid.
func (l *lister) verdict() (v *verdict, ok bool) {
	if l.verdicts == nil {
		l.verdicts = make([]verdict, 1<<min(mathbits.Len(uint(len(l.rows))), verdictBits))
	}
	in := &l.bundle.Parts[0]
	v = &l.verdicts[(in.Word.Lo^in.Word.Hi<<1)*0x9e3779b97f4a7c15>>32&uint64(len(l.verdicts)-1)]
	if v.word == in.Word && v.size == in.Size {
		return v, true
	}
	v.word, v.size = in.Word, in.Size
	return v, false
}

// instruction writes the decoded bundle; d is its row if that is known and it is no branch. It returns false if no line
// of text can reproduce its bytes.
func (l *lister) instruction(code []byte, addr uint64, d *isa.Def) bool {
	at := len(l.buf)
	l.buf = l.print.AppendBundle(l.buf, l.target.Set, &l.bundle)
	if !l.opt.Exact {
		l.last(at, addr)
		return true
	}
	v, known, from := new(verdict), false, asText
	switch {
	case d == nil || l.target.Dialect != 0:
	case d.Twin:
		v, known = l.verdict()
	default:
		from = beside // see isa.Inst.Exact
	}
	if known {
		from = v.as
	}
	n := len(l.buf)
	for v.as = from; v.as < asBytes; v.as++ {
		if l.buf = l.buf[:n]; l.write(v.as, at) && (known || l.same(string(l.buf[at:]), code, addr)) {
			if v.as != beside {
				l.last(at, addr)
			}
			return true
		}
	}
	l.buf = append(hex.AppendEncode(append(l.buf[:at], ".enc "...), code), ' ')
	at = len(l.buf)
	l.buf = l.target.Print(l.buf, &l.bundle)
	return l.whole(string(l.buf[at:]))
}

// write changes the text from offset at of the buffer on, and reports whether the set has this way to write it.
func (l *lister) write(as writing, at int) bool {
	n := len(l.buf)
	switch as {
	case beside:
		if l.target.Beside != nil && len(l.bundle.Parts) == 1 {
			l.buf = l.target.Beside(l.buf, &l.bundle.Parts[0])
		}
		return len(l.buf) > n
	case asLong:
		l.buf = slices.Insert(l.buf, at, []byte(l.target.Long)...)
		return l.target.Long != ""
	}
	return true
}

// same reports whether the text assembles to the same bytes.
func (l *lister) same(text string, code []byte, addr uint64) bool {
	if !l.whole(text) || text[0] == '.' {
		return false
	}
	n := isa.WordLen(text)
	if n += blanks(text[n:]); n < len(text) && (text[n] == ':' || text[n] == '=') {
		return false
	}
	l.scan.Reset(text, addr)
	l.scan.Pad = 0 // of the previous group
	l.scan.Trial = true
	if l.scan.ParseWhole(&l.back) != nil {
		return false
	}
	var err error
	l.bytes, err = l.back.Encode(l.bytes[:0])
	return err == nil && bytes.Equal(l.bytes, code)
}
