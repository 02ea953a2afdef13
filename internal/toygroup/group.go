package toygroup

import (
	"fmt"
	mathbits "math/bits"
	"slices"

	"github.com/heddle-gpu/heddle/isa"
)

const (
	maxGroup   = 32 // bytes
	maxOutputs = 2
)

// phaseSets are the sets of phases that a main group can have, by number; bit n is phase n.
var phaseSets = [4]uint8{0b001, 0b011, 0b111, 0b101}

// info returns the row of a part.
func info(in *isa.Inst) *row { return in.Def.Data.(*row) }

// uses returns the sources that the phases of a group use; bit n is sn.
func uses(b *isa.Bundle) (u uint8) {
	for i := range b.Parts {
		u |= info(&b.Parts[i]).uses
	}
	return u
}

// nth returns the part with source n, which a phase uses.
func nth(b *isa.Bundle, n int) *isa.Inst {
	skip := mathbits.OnesCount8(uses(b) & (1<<n - 1))
	for i := range b.Parts {
		if b.Parts[i].Def.Class != classSource {
			continue
		}
		if skip == 0 {
			return &b.Parts[i]
		}
		skip--
	}
	panic("toygroup: a group without its sources")
}

// A splitter splits a group into parts.
type splitter struct {
	t    *isa.Target
	body []byte // of the group
	addr uint64
	at   int // in body
	b    *isa.Bundle
}

func split(t *isa.Target, code []byte, addr uint64, b *isa.Bundle) error {
	h := b.Grow()
	if err := t.DecodePart(classHeader, code, addr, h); err != nil {
		return err
	}
	n := int(h.Get(nameLen)) * 2
	if n == 0 {
		n = maxGroup
	}
	if n > len(code) {
		return &isa.Error{Code: isa.ErrTruncated, Off: addr, Word: h.Word, Size: int(h.Size), Msg: fmt.Sprintf("a group of %d bytes, %d left", n, len(code))}
	}
	sp := splitter{t, code[:n], addr, int(h.Size), b}
	if n < sp.at {
		return sp.wrong("a group shorter than its header")
	}
	if h.Def.Enc == &ctrl {
		if err := sp.part(classControl); err != nil {
			return err
		}
	} else if err := sp.phases(phaseSets[h.Get(namePhases)]); err != nil {
		return err
	}
	if uint64(sp.at&15) != b.Parts[0].Get(nameSplit) {
		return sp.wrong("the header says another place of the sources")
	}
	for range mathbits.OnesCount8(uses(b)) {
		if err := sp.part(classSource); err != nil {
			return err
		}
	}
	for range b.Parts[0].Opt(nameOutputs) {
		if err := sp.part(classOutput); err != nil {
			return err
		}
	}
	return sp.padding()
}

// phases decodes the phases of a set, the highest first.
func (sp *splitter) phases(set uint8) error {
	for p := 2; p >= 0; p-- {
		if set>>p&1 != 0 {
			if err := sp.part(classPhase0 + p); err != nil {
				return err
			}
		}
	}
	return nil
}

// part decodes the next part.
func (sp *splitter) part(class int) error {
	in := sp.b.Grow()
	err := sp.t.DecodePart(class, sp.body[sp.at:], sp.addr+uint64(sp.at), in)
	if err != nil {
		if e := isa.AsError(err); e.Code == isa.ErrTruncated {
			return sp.wrong("its parts are longer than the group")
		}
		return err
	}
	sp.at += int(in.Size)
	return nil
}

func (sp *splitter) wrong(msg string) error {
	h := &sp.b.Parts[0]
	return &isa.Error{Code: isa.ErrIllegal, Off: sp.addr, Word: h.Word, Size: int(h.Size), Msg: h.Def.Name + ": " + msg}
}

// padding checks that the rest is padding of so many bytes.
func (sp *splitter) padding() error {
	left := sp.body[sp.at:]
	var want [maxGroup]byte
	if !slices.Equal(pad(want[:0], len(left)), left) {
		return sp.wrong("what follows its parts is no padding")
	}
	sp.b.Pad = uint8(len(left))
	return nil
}

// pad appends n bytes of padding: FF to an even address, then F0 + words, FF ...
func pad(dst []byte, n int) []byte {
	if n&1 != 0 {
		dst = append(dst, 0xff)
	}
	if n /= 2; n == 0 {
		return dst
	}
	dst = append(dst, 0xf0|byte(n), 0xff)
	for range n - 1 {
		dst = append(dst, 0xff, 0xff)
	}
	return dst
}

// seal sorts the parts in the order of memory, and fills in what depends on all of them: addresses, the header, and at
// least atLeast bytes of padding. It returns what is wrong with the parts, or "".
func seal(b *isa.Bundle, atLeast int) string {
	slices.SortStableFunc(b.Parts, func(x, y isa.Inst) int { return inMemory[x.Def.Class] - inMemory[y.Def.Class] })
	var classes [numClasses]int
	h, size, before, set := &b.Parts[0], 0, 0, uint8(0)
	addr := h.Addr
	for i := range b.Parts {
		in := &b.Parts[i]
		c := in.Def.Class
		classes[c]++
		in.Addr = addr + uint64(size)
		size += int(in.Size)
		if c != classSource && c != classOutput {
			before = size
		}
		if c >= classPhase0 && c <= classPhase2 {
			set |= 1 << (c - classPhase0)
		}
	}
	if msg := counted(b, classes, set); msg != "" {
		return msg
	}
	b.Pad = uint8(max(size&1, atLeast))
	if size += int(b.Pad); size&1 != 0 {
		b.Pad++
		size++
	}
	if size > maxGroup {
		return fmt.Sprintf("a group of %d bytes; %d are possible", size, maxGroup)
	}
	h.Put(nameLen, uint64(size/2)&15)
	h.Put(nameSplit, uint64(before)&15)
	if h.Def.Enc != &ctrl {
		h.Put(nameOutputs, uint64(classes[classOutput]))
		h.Put(namePhases, uint64(slices.Index(phaseSets[:], set)))
	}
	return ""
}

// counted returns what is wrong with the numbers of parts by class.
func counted(b *isa.Bundle, n [numClasses]int, set uint8) string {
	isControl := b.Parts[0].Def.Enc == &ctrl
	sources := mathbits.OnesCount8(uses(b))
	switch {
	case isControl && (n[classControl] != 1 || len(b.Parts) != 2):
		return "a control group has one control instruction"
	case isControl:
		return ""
	case n[classControl] > 0:
		return "a control instruction needs a group of its own"
	case n[classPhase0] > 1 || n[classPhase1] > 1 || n[classPhase2] > 1:
		return "two instructions of one phase"
	case slices.Index(phaseSets[:], set) < 0:
		return "a group without phase 0"
	case n[classSource] != sources:
		return fmt.Sprintf("%d sources, where the phases use %d", n[classSource], sources)
	case n[classOutput] > maxOutputs:
		return fmt.Sprintf("%d outputs; %d are possible", n[classOutput], maxOutputs)
	}
	return ""
}

// sample makes a group around a part.
func sample(t *isa.Target, in *isa.Inst, b *isa.Bundle) bool {
	b.Parts, b.Pad = b.Parts[:0], 0
	t = t.Set.At(t.Variant, t.Stage) // in the dialect of these texts
	ok := true
	add := func(class uint8, text string) {
		if in.Def.Class == class && len(b.Parts) < numClasses && !slices.ContainsFunc(b.Parts, func(p isa.Inst) bool { return p.Def == in.Def }) {
			*b.Grow() = *in
			return
		}
		sc := isa.Scan{Target: t, Class: class}
		sc.Reset(text, 0)
		ok = ok && sc.Parse(b.Grow()) == nil
	}
	if in.Def.Class == classControl || in.Def.Enc == &ctrl {
		add(classHeader, "ctrl")
		add(classControl, "nop")
		return ok && seal(b, 0) == ""
	}
	add(classHeader, "main")
	set, outs := phaseSets[0], uint64(1)
	switch {
	case in.Def.Class == classHeader:
		set, outs = phaseSets[in.Get(namePhases)], in.Get(nameOutputs)
	case in.Def.Class <= classPhase2:
		set |= 1 << (in.Def.Class - classPhase0)
	}
	for p, text := range [...]string{"mov ft0, s0", "mul ft1, ft0, s3", "min ft2, ft0, ft1"} {
		if set>>p&1 != 0 {
			add(classPhase0+uint8(p), text)
		}
	}
	for i := range mathbits.OnesCount8(uses(b)) {
		add(classSource, [...]string{"src r1", "src sh2", "src r3", "src #4"}[i])
	}
	for i := range outs {
		add(classOutput, [...]string{"out r5, ft0", "out r6, ft1"}[i])
	}
	return ok && seal(b, 0) == ""
}
