package valhall

import (
	"slices"

	"github.com/heddle-gpu/heddle/isa"
)

// Rules of single instructions. docs/reference/valhall.md 2.

// Sections of the reference that rules cite.
const (
	sectText    = "docs/reference/valhall.md 5"
	sectWord    = "docs/reference/valhall.md 1"
	sectSources = "docs/reference/valhall.md 2.2"
	sectStaging = "docs/reference/valhall.md 4"
	sectFlow    = "docs/reference/valhall.md 6"
	sectBranch  = "docs/reference/valhall.md 6.1"
	sectModel   = "docs/reference/valhall.md 7"
	sectBegin   = "docs/reference/valhall.md 7.1"
	sectSlots   = "docs/reference/valhall.md 8"
)

const (
	ruleSlots    = "fau-slots"
	ruleWords    = "fau-words"
	ruleSpecials = "fau-specials"
	ruleStaging  = "staging-odd"
	rulePair     = "pair-odd"
)

// rules are the rules that programs must obey.
func rules() []isa.Rule {
	return slices.Concat(sourceRules(), wordRules(), messageRules(), pixelRules(), reservedRules(), flowRules())
}

func sourceRules() []isa.Rule {
	return []isa.Rule{
		{ID: ruleSlots, Doc: "A computation reads one aligned pair of uniform words or one special value, a message about the tile, and from v14 on a computation, two.", Source: sectSources,
			Example: "FMA.f32 r0, u0, u4, u8", Check: sourceRule(tooManySlots)},
		{ID: ruleWords, Doc: "A computation, or a message about the tile, reads at most two different words that are uniform, special or constant; from v12 on the constant 0 is none.", Source: sectSources,
			Example: "FMA.f32 r0, u0, u1, 0x3F800000", Check: sourceRule(tooManyWords)},
		{ID: ruleSpecials, Taken: true, Doc: "An instruction reads one special value at most.", Source: sectSources,
			Example: "LD_BUFFER.i32.slot0 @r0, framebuffer_size.w0, sample.w0", Check: sourceRule(tooManySpecials)},
		{ID: ruleStaging, Doc: "Several staging registers begin with an even one.", Source: sectStaging,
			Example: "STORE.i64.slot0 @r1:r2, r4, offset:0", Check: oddStaging},
		{ID: rulePair, Taken: true, Doc: "A source of 64 bits is an even register or word and the one behind it.", Source: "docs/reference/valhall.md 2.1",
			Example: "IADD.u64 r0, r3, r4", Check: oddPair},
	}
}

// A reading is the set of uniform words and constants that an instruction reads.
type reading struct {
	arch     int
	words    [4]uint64 // distinct source bytes
	n        int
	slots    [4]uint64 // distinct pairs of words, without constants
	numSlots int
	specials int // distinct special values
}

// add records a source byte.
func (r *reading) add(v uint64) {
	if v>>7 == 0 || has(r.words[:r.n], v) || v == firstConstant && r.arch >= 12 { // 0 is free then
		return
	}
	r.words[r.n] = v
	r.n++
	if v >= firstConstant && v < firstSpecial || has(r.slots[:r.numSlots], v>>1) {
		return
	}
	r.slots[r.numSlots] = v >> 1
	r.numSlots++
	if v >= firstSpecial {
		r.specials++
	}
}

func has(list []uint64, v uint64) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}

// A reader is a class of instructions with the same limits on what they read together: messages for the tile have
// limits in Mesa 24.1, other messages have none.
type reader uint8

const (
	computation reader = iota
	aboutTile
	otherMessage
)

func readerOf(r *row) reader {
	switch {
	case r.unit > unitNone:
		return otherMessage
	case r.unit == unitNone:
		return aboutTile
	}
	return computation
}

// sourceRule is a rule about all sources of an instruction; the first source in excess is reported.
func sourceRule(broken func(r *reading, who reader) *isa.Breach) func(*isa.Def) isa.RuleCheck {
	return func(d *isa.Def) isa.RuleCheck {
		row := d.Data.(*row)
		srcs, who := row.form.srcs, readerOf(row)
		if len(srcs) < 2 {
			return nil
		}
		return func(in *isa.Inst) *isa.Breach {
			r := reading{arch: archOf(in)}
			for i := range srcs {
				r.add(in.Def.Args[srcs[i].arg].Get(in.Word))
				if r.n < 2 {
					continue
				}
				if b := broken(&r, who); b != nil {
					return &isa.Breach{Msg: b.Msg, Hint: b.Hint, Arg: srcs[i].arg}
				}
			}
			return nil
		}
	}
}

// Findings of the rules about all sources; the position of the source is added.
var (
	slotsBreach    = &isa.Breach{Msg: "reads two pairs of uniform words or special values", Hint: "move one into a register first"}
	tileBreach     = &isa.Breach{Msg: "reads three pairs of uniform words or special values", Hint: "move one into a register first"}
	wordsBreach    = &isa.Breach{Msg: "reads more than two different words that are uniform, special or constant", Hint: "move one into a register first"}
	specialsBreach = &isa.Breach{Msg: "reads two special values", Hint: "move one into a register first"}
)

func tooManySlots(r *reading, who reader) *isa.Breach {
	switch {
	case who == otherMessage:
	case r.numSlots > 2 && (who == aboutTile || r.arch >= 14):
		return tileBreach
	case r.numSlots > 1 && who == computation && r.arch < 14:
		return slotsBreach
	}
	return nil
}

func tooManyWords(r *reading, who reader) *isa.Breach {
	if who != otherMessage && r.n > 2 {
		return wordsBreach
	}
	return nil
}

func tooManySpecials(r *reading, _ reader) *isa.Breach {
	if r.specials > 1 {
		return specialsBreach
	}
	return nil
}

// oddStaging reports several staging registers that start at an odd one.
func oddStaging(d *isa.Def) isa.RuleCheck {
	regs := d.Data.(*row).form.regs
	if len(regs) == 0 {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		for _, i := range regs {
			a := &in.Def.Args[i]
			if first, n := group(in, a); n > 1 && first%2 != 0 {
				return &isa.Breach{Msg: "several staging registers from an odd one on", Hint: "begin with an even register", Arg: i}
			}
		}
		return nil
	}
}

// oddPair reports 64 bits that start at an odd register or word. The second word of a special value does not.
func oddPair(d *isa.Def) isa.RuleCheck {
	f := d.Data.(*row).form
	wide := false
	for i := range f.args {
		wide = wide || f.args[i].Kind == pair || f.args[i].Kind == result && f.args[i].Width == 64
	}
	if !wide {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		for i := range in.Def.Args {
			a := &in.Def.Args[i]
			if a.Kind != pair && (a.Kind != result || a.Width != 64) {
				continue
			}
			if v := a.Get(in.Word); v&1 != 0 && (v < firstConstant || v >= firstSpecial) && !wordPart(in, a) {
				return &isa.Breach{Msg: "64 bits from an odd register or word on", Hint: "name the even one", Arg: i}
			}
		}
		return nil
	}
}
