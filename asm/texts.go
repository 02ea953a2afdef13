package asm

import (
	"encoding/binary"

	"github.com/heddle-gpu/heddle/isa"
)

// Texts returns the texts of instructions one after another, and caches them by their bytes: a cached text costs a
// fraction of decoding and printing. It is for tools that print code as it runs, or much of it. It is not safe for
// concurrent use.
type Texts struct {
	target *isa.Target
	print  isa.Printer
	bundle isa.Bundle
	met    *memory // nil: the set's instructions come in groups
	groups *groups // nil: they do not, or what follows a group can change it
}

// NewTexts returns a Texts that caches some tens of thousands of instructions, or some thousands of groups, in up to
// 11 MB.
func NewTexts(t *isa.Target) *Texts {
	x := &Texts{target: t, print: t.Printer()}
	switch {
	case t.Group == nil:
		x.met = newMemory(1 << 18)
	case t.Group.Stands:
		x.groups = newGroups()
	}
	return x
}

// Append appends the text of the instruction, or group, at the start of code, which lies at addr, as
// [isa.Target.Print] prints it, and returns its size in bytes. On an error, an *isa.Error, it appends nothing.
func (x *Texts) Append(dst, code []byte, addr uint64) (text []byte, size int, err error) {
	if x.groups != nil {
		if g := x.groups.find(code); g != nil {
			return append(dst, g.text[:g.n]...), int(g.size), nil
		}
	}
	if x.met != nil && len(code) >= 4 {
		w := binary.LittleEndian.Uint32(code)
		if b := x.met.beginning(uint64(w)); b.word == w && int(b.size) <= len(code) {
			if t := x.met.find(code, int(b.size)); t != nil && t.n > 0 {
				return append(dst, t.text[:t.n]...), int(b.size), nil
			}
		}
	}
	if err := x.target.DecodeBundle(code, addr, &x.bundle); err != nil {
		return dst, 0, err
	}
	at := len(dst)
	dst = x.print.AppendBundle(dst, x.target.Set, &x.bundle)
	if x.met != nil && !x.target.Placed(&x.bundle) {
		in := &x.bundle.Parts[0]
		*x.met.beginning(in.Word.Lo) = begin{uint32(in.Word.Lo), in.Size}
		if x.target.Stands(in) {
			x.met.keep(in, dst[at:])
		}
	}
	size = x.bundle.Size()
	if x.groups != nil && !x.target.Placed(&x.bundle) {
		x.groups.keep(code[:size], dst[at:])
	}
	return dst, size, nil
}
