package isa

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/bits"
)

// OptionUnclaimed is the option of sets with words in which unclaimed bits may be set: such words trap, as reserved
// values do, or are executed as if the bits were zero.
const OptionUnclaimed = "unclaimed-bits"

const ignoreUnclaimed = 1

var unclaimedOption = Option{Name: OptionUnclaimed, Values: []string{"trap", ignoreUnclaimed: "ignore"}, Default: "trap",
	Doc: "What an instruction does of which bits are set that its encoding gives no meaning: trap, as undefined, or the same as without them."}

// addUnclaimed adds the option if rows of the set need it.
func (s *Set) addUnclaimed() {
	if i := slices.IndexFunc(s.Defs, func(d Def) bool { return d.Enc.Unclaimed == Unknown && !d.whole() }); i >= 0 {
		o := unclaimedOption
		o.Source = s.Defs[i].Enc.Source
		if s.Loose {
			o.Default = o.Values[ignoreUnclaimed]
		}
		s.Options = append(slices.Clone(s.Options), o)
		s.unclaimed = len(s.Options)
	}
}

// whole reports whether each bit of the row's words is claimed.
func (d *Def) whole() bool { return d.claimed.Count() >= d.Enc.Bits }

// trapsUnclaimed explains why an instruction traps for its unclaimed bits, and which option runs it nevertheless; "":
// it does not trap.
func (t *Target) trapsUnclaimed(in *Inst) string {
	if t.unclaimed == 0 || t.Option(t.unclaimed-1) == ignoreUnclaimed {
		return ""
	}
	why := in.Unclaimed()
	if why == "" {
		return ""
	}
	return why + "; to run it as if they were 0: --option " + OptionUnclaimed + "=" + unclaimedOption.Values[ignoreUnclaimed]
}

// unread returns the fields of the encoding that hold set bits and that the row does not read, and their bits.
func (in *Inst) unread() (fields []string, at bits.Word) {
	r := in.Res()
	if r.IsZero() {
		return nil, at
	}
	for i := range in.Def.Enc.Fields {
		f := &in.Def.Enc.Fields[i]
		if m := f.At.Mask(); in.Def.claimed.And(m).IsZero() && !r.And(m).IsZero() {
			fields, at = append(fields, f.Name), at.Or(m)
		}
	}
	return fields, at
}

// UnclaimedBits returns the set bits that have no meaning in the encoding; none if they are known to have no effect.
// A field of the encoding that the row does not read has a meaning.
func (in *Inst) UnclaimedBits() bits.Word {
	if in.Def.Enc.Unclaimed != Unknown {
		return bits.Word{}
	}
	_, unread := in.unread()
	return in.Res().AndNot(unread)
}

// Unclaimed describes the UnclaimedBits in words; "" if there are none.
func (in *Inst) Unclaimed() string {
	r := in.UnclaimedBits()
	n := r.Count()
	if n == 0 {
		return ""
	}
	lo := 0
	for r.Bit(lo) == 0 {
		lo++
	}
	if n == 1 {
		return fmt.Sprintf("%s: bit %d is set, which %s gives no meaning", in.Def.Name, lo, in.Def.Enc.Name)
	}
	return fmt.Sprintf("%s: %d bits are set, the lowest %d, which %s gives no meaning", in.Def.Name, n, lo, in.Def.Enc.Name)
}
