package group

import (
	"fmt"

	"github.com/heddle-gpu/heddle/isa"
)

// A splitter decodes a group part by part. docs/reference/rogue.md 2.
type splitter struct {
	t    *isa.Target
	code []byte // from the start of the group
	body []byte // bytes of the group
	addr uint64
	at   int // offset in body
	b    *isa.Bundle
}

// Split decodes a group.
func (d *Decoder) Split(t *isa.Target, code []byte, addr uint64, b *isa.Bundle) error {
	if cap(b.Parts) < mostParts {
		b.Parts = make([]isa.Inst, 0, mostParts)
	}
	if d.quick(code, addr, b) {
		return nil
	}
	return look(t, code, addr, b)
}

// look decodes any group, and reports what is wrong with it.
func look(t *isa.Target, code []byte, addr uint64, b *isa.Bundle) error {
	b.Parts, b.Pad = b.Parts[:0], 0
	class := Header
	if len(code) > 2 && code[1]&extBit != 0 && code[2]>>aluShift&3 == aluControl {
		class = Control
	}
	h := b.Grow()
	if err := t.DecodePart(class, code, addr, h); err != nil {
		b.Parts = b.Parts[:0]
		return err
	}
	n := length(h.Word.Lo)
	if n > len(code) {
		return &isa.Error{Code: isa.ErrTruncated, Off: addr, Word: h.Word, Size: int(h.Size), Msg: fmt.Sprintf("a group of %d bytes, %d left", n, len(code))}
	}
	sp := splitter{t, code, code[:n], addr, int(h.Size), b}
	if n < sp.at {
		return sp.wrong("the group is shorter than its header")
	}
	if err := sp.parts(); err != nil {
		return err
	}
	return sp.padding()
}

// parts decodes what is between the header and the padding.
func (sp *splitter) parts() error {
	h := &sp.b.Parts[0]
	w := h.Word.Lo
	mapped := true
	switch {
	case h.Def.Class == Control:
		mapped = IsMapped(h.Def)
		want := 0
		switch {
		case mapped:
			want = sp.at
		case results(w) != 0:
			return sp.wrong("the header says that there is a result, and the instruction has none")
		}
		if err := sp.assist(want); err != nil {
			return err
		}
	case IsBits(h.Def):
		if err := sp.bitPhases(uint8(w >> phasesShift & 7)); err != nil {
			return err
		}
		if err := sp.assist(sp.at); err != nil {
			return err
		}
	default:
		if err := sp.phases(PhaseSets[w>>phasesShift&7]); err != nil {
			return err
		}
	}
	switch {
	case !mapped:
		return nil
	case IsSourceless(h.Def) && sp.endsAt(sp.at, w):
		return sp.results()
	}
	return sp.maps()
}

// assist checks the header's offset of phases 1 and 0.
func (sp *splitter) assist(want int) error {
	if got := sp.b.Parts[0].Word.Lo >> assistShift & 15; got != uint64(want)&15 {
		return sp.wrong(fmt.Sprintf("decode assist is %d, where %d is right", got, want))
	}
	return nil
}

// phases decodes the phases of the main unit, from the highest down.
func (sp *splitter) phases(set uint8) error {
	if set&HasBackend != 0 {
		if err := sp.part(Backend); err != nil {
			return err
		}
	}
	if set&HasP2 != 0 {
		if err := sp.phase2(); err != nil {
			return err
		}
	}
	if err := sp.assist(sp.at); err != nil {
		return err
	}
	if set&HasP1 != 0 {
		if err := sp.part(P1); err != nil {
			return err
		}
	}
	if set&HasP0 == 0 {
		return nil
	}
	if sp.at < len(sp.body) && sp.body[sp.at]>>4 == opNarrowLong && sp.isLong(sp.at) {
		return sp.part(P0Elements)
	}
	return sp.part(P0)
}

// A long narrow-integer instruction has no bit for its length, two bytes or three; it follows from the length of the
// group.
const (
	opNarrowLong = 11 // high bits of its first byte
	narrowLong   = 2  // bytes without elements
)

// isLong reports whether such an instruction at an offset of the group has three bytes.
func (sp *splitter) isLong(at int) bool { return !sp.fits(at+narrowLong) && sp.fits(at+narrowLong+1) }

// fits reports whether maps from an offset of the group on, and padding, fill it. docs/reference/rogue.md 2.
func (sp *splitter) fits(at int) bool {
	for range 2 {
		at += sp.mapBytes(at)
	}
	return sp.endsAt(at+1, sp.b.Parts[0].Word.Lo) // after the selectors
}

// endsAt reports whether the results that a header names, from an offset of the group on, and padding fill it.
func (sp *splitter) endsAt(at int, header uint64) bool {
	switch results(header) {
	case 1:
		at += 1 + sp.bit(at, 7)
	case 2:
		at += 2 + sp.bit(at+1, 7)*(1+sp.bit(at+2, 7))
	}
	return at <= len(sp.body) && padded(sp.body[at:])
}

// mapBytes is the size of the source map at an offset of the group.
func (sp *splitter) mapBytes(at int) int {
	ext1, ext2 := sp.bit(at+1, 6), sp.bit(at+2, 7)
	switch {
	case sp.bit(at, 7) == 0:
		return 1
	case sp.bit(at+1, 7) == 0:
		return 3 + ext1*(1+ext2*(1+sp.bit(at+4, 2)))
	}
	return 2 + ext1*(1+ext2)
}

// bit is bit n of the byte at an offset of the group, 0 past its end.
func (sp *splitter) bit(at, n int) int {
	if at >= len(sp.body) {
		return 0
	}
	return int(sp.body[at] >> n & 1)
}

// High bits of the first byte of a move and a test.
const (
	opMove = 6
	opTest = 7
)

// phase2 decodes a move, a test and a pack, up to the one that is marked as the last.
func (sp *splitter) phase2() error {
	for _, x := range [...]struct {
		class int
		op    byte
	}{{Move, opMove}, {Test, opTest}} {
		if sp.at < len(sp.body) && sp.body[sp.at]>>5 == x.op {
			if err := sp.part(x.class); err != nil {
				return err
			}
			if in := &sp.b.Parts[len(sp.b.Parts)-1]; ends(in) {
				return nil
			}
		}
	}
	return sp.part(Pack)
}

// ends reports whether an instruction ends phase 2.
func ends(in *isa.Inst) bool {
	a := in.Def.Find(EndOfPhase2)
	return a != nil && a.Get(in.Word) != 0
}

// bitPhases decodes the phases of the bit unit, from the highest down.
func (sp *splitter) bitPhases(set uint8) error {
	if set == 0 {
		return sp.wrong("a bit group without phases")
	}
	for i, list := range bitPhaseClasses {
		if set>>(2-i)&1 == 0 {
			continue
		}
		for _, class := range list {
			if err := sp.part(class); err != nil {
				return err
			}
		}
	}
	return nil
}

// maps decodes the source maps, the selectors and the destination map.
func (sp *splitter) maps() error {
	for class := Lower; class <= Upper; class++ {
		if err := sp.part(class); err != nil {
			return err
		}
	}
	h := &sp.b.Parts[0]
	if h.Def.Class == Header && !IsBits(h.Def) {
		if err := sp.part(Selectors); err != nil {
			return err
		}
	}
	return sp.results()
}

// results decodes the destination map for the results that the header names.
func (sp *splitter) results() error {
	if n := results(sp.b.Parts[0].Word.Lo); n != 0 {
		return sp.part(Dest - 1 + n)
	}
	return nil
}

// part decodes the next part; a view of the bytes before has size 0.
func (sp *splitter) part(class int) error {
	in := sp.b.Grow()
	at := sp.at
	if IsView(uint8(class)) {
		at = int(sp.b.Parts[len(sp.b.Parts)-2].Addr - sp.addr)
	}
	err := sp.t.DecodePart(class, sp.code[at:], sp.addr+uint64(at), in)
	if err != nil || at+int(in.Size) > len(sp.body) { // bytes after the group belong to none of its parts
		if err = sp.t.DecodePart(class, sp.body[at:], sp.addr+uint64(at), in); err != nil {
			return sp.refused(err)
		}
	}
	if IsView(uint8(class)) {
		in.Size = 0
		return nil
	}
	sp.at += int(in.Size)
	return nil
}

// refused is the error for an invalid part, which it removes.
func (sp *splitter) refused(err error) error {
	sp.b.Parts = sp.b.Parts[:len(sp.b.Parts)-1]
	if e := isa.AsError(err); e.Code == isa.ErrTruncated {
		return sp.wrong("its parts are longer than the group")
	}
	return err
}

func (sp *splitter) wrong(msg string) error {
	h := &sp.b.Parts[0]
	return &isa.Error{Code: isa.ErrIllegal, Off: sp.addr, Word: h.Word, Size: int(h.Size), Msg: h.Def.Name + " group: " + msg}
}

// padding checks that the rest of the group is padding.
func (sp *splitter) padding() error {
	if sp.at == len(sp.body) {
		return nil
	}
	left := sp.body[sp.at:]
	if !padded(left) {
		return sp.wrong("what follows its parts is no padding")
	}
	sp.b.Pad = uint8(len(left))
	return nil
}
