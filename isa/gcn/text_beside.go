package gcn

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// Text for bits without effect that compilers are known to set: Mesa's ACO has 0x80 in the unused fields of an
// export, and on any generation sets the bits of s_waitcnt that counters have on later ones. Listings that assemble
// to the same bytes show them; other tools print nothing for these bits.

// wordUnread is the modifier of exports for the fields that are not read.
const wordUnread = "unread"

// unread is the common value of all source fields that the form does not read. It claims none of them.
func (k *kinds) unread() *isa.Kind { return k.once(wordUnread, newUnread) }

func newUnread() *isa.Kind {
	return &isa.Kind{Name: wordUnread,
		Text: func(_ isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, _ uint64) []byte { return dst },
		Parse: func(s *isa.Scan, in *isa.Inst, _ *isa.Arg) (uint64, bool) {
			if !acceptMod(s, wordUnread+":") {
				return 0, false
			}
			at := s.Pos
			x, ok := s.Expr()
			if !ok {
				return 0, false
			}
			if x < 0 || x > 0xff {
				return 0, s.Failf(at, isa.ErrRange, "a field that is not read has 8 bits")
			}
			all := *in
			all.Word = bits.Word{Lo: ^uint64(0)}
			left := all.Res()
			for _, f := range expSources {
				if r := placeOf(in.Def.Enc, f)[0]; left.Get(r) != 0 {
					in.Word = in.Word.Put(r, uint64(x))
				}
			}
			return 0, true
		}}
}

// beside appends the text for bits of exports and of s_waitcnt that their normal text omits.
func beside(dst []byte, in *isa.Inst) []byte {
	switch {
	case in.Def.Enc.Name == "EXP":
		return besideExport(dst, in)
	case in.Def.Operands() == 1 && in.Def.Operand(0).Kind == waitcnt:
		return besideWaitcnt(dst, in)
	}
	return dst
}

// besideExport appends the value of the fields that are not read, if it is the same in all.
func besideExport(dst []byte, in *isa.Inst) []byte {
	left := in.Res()
	if left.IsZero() {
		return dst
	}
	i := slices.IndexFunc(expSources[:], func(n string) bool { return left.Get(placeOf(in.Def.Enc, n)[0]) != 0 })
	if i < 0 {
		return dst
	}
	return strconv.AppendUint(append(dst, " "+wordUnread+":0x"...), left.Get(placeOf(in.Def.Enc, expSources[i])[0]), 16)
}

// besideWaitcnt appends the counters that are not waited for on later generations either.
func besideWaitcnt(dst []byte, in *isa.Inst) []byte {
	for _, c := range counters {
		if m := c.later.Mask(); !m.IsZero() && in.Word.And(m) == m && in.Word.Get(c.at) == bits.Ones(c.at.Len()) {
			dst = fmt.Appendf(dst, " %s(%d)", c.name, laterMost)
		}
	}
	return dst
}
