package gcn

import (
	mathbits "math/bits"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// Operands of MIMG. docs/reference/gcn.md 1 and 8.4.

// dmask prints unless it is 0.
func (k *kinds) dmask() *isa.Kind { return k.once("dmask", newDmask) }

func newDmask() *isa.Kind {
	k := &isa.Kind{Name: "dmask", Table: make([]string, 16)}
	for v := 1; v < 16; v++ {
		k.Table[v] = " dmask:0x" + strconv.FormatInt(int64(v), 16)
	}
	k.Parse = func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		if !acceptMod(s, "dmask:") {
			return 0, false
		}
		return upTo(s, 15)
	}
	return k
}

// dataWords returns the number of data registers.
func dataWords(fixed int, dmask uint64, tfe bool) int {
	n := fixed
	if n == 0 {
		n = max(1, mathbits.OnesCount64(dmask))
	}
	if tfe {
		n++
	}
	return n
}

// imageData is the data operand: as many registers as DMASK says, or fixed. As in LLVM, a tuple that would go past
// v255 prints as its first register.
func (k *kinds) imageData(fixed int) *isa.Kind {
	return k.once("data "+strconv.Itoa(fixed), func() *isa.Kind { return k.newImageData(fixed) })
}

func (ks *kinds) newImageData(fixed int) *isa.Kind {
	words := func(in *isa.Inst) int { return dataWords(fixed, in.Get(nameDmask), in.Get(nameTfe) != 0) }
	k := &isa.Kind{Name: "image data", Samples: []uint64{0, 1, 100, 251}}
	var texts [6][]string // by words
	for n := 1; n < len(texts); n++ {
		texts[n] = ks.vgprText(n)
	}
	k.Text = func(_ isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, v uint64) []byte {
		t := texts[words(in)][v]
		if t == "" {
			t = texts[1][v]
		}
		return append(dst, t...)
	}
	k.Cells = func(dst []isa.Span, in *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
		return append(dst, isa.Span{Cell: VGPR(int(v)), N: min(words(in), 256-int(v))})
	}
	k.Parse = func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
		at := s.Pos
		r, ok := vgprTuple(s, ks.codes)
		mask := laterDmask(s)
		want := dataWords(fixed, mask&15, laterWord(s, "tfe"))
		if ok && mask <= 15 && r.n != want && !(r.n == 1 && r.code-codeVGPR+want > 256) {
			s.Pos = at
			return 0, s.Failf(at, isa.ErrOperand, "%s; dmask and tfe ask for %d", registersNamed(r.n), want)
		}
		return uint64(r.code - codeVGPR), ok
	}
	return k
}

// imageSource is the data of a store or atomic: the same text, without the status that tfe requests.
func (k *kinds) imageSource() *isa.Kind {
	return k.once("data stored", func() *isa.Kind {
		made := *k.imageData(0)
		made.Cells = func(dst []isa.Span, in *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
			return append(dst, isa.Span{Cell: VGPR(int(v)), N: min(dataWords(0, in.Get(nameDmask), false), 256-int(v))})
		}
		return &made
	})
}

// imageResult is the result of an atomic: nothing without glc, else the old texel and the status.
func (k *kinds) imageResult(comparand bool) *isa.Kind {
	return k.once("image result "+strconv.FormatBool(comparand), func() *isa.Kind {
		return &isa.Kind{Name: "image result", Cells: func(dst []isa.Span, in *isa.Inst, _ *isa.Arg, _ uint64) []isa.Span {
			if in.Get(nameGLC) == 0 {
				return dst
			}
			n := dataWords(0, in.Get(nameDmask), false)
			if comparand {
				n /= 2
			}
			v := int(in.Get(nameVdata))
			return append(dst, isa.Span{Cell: VGPR(v), N: min(n+int(in.Get(nameTfe)), 256-v)})
		}}
	})
}

// imageResource is a T#: with r128 it has four words. The last one that can be named ends in exec, which every
// instruction of the encoding reads.
func (k *kinds) imageResource() *isa.Kind {
	return k.once("image resource", func() *isa.Kind {
		made := *k.alignedSGPRs(8, 2)
		cells := made.Cells
		made.Cells = func(dst []isa.Span, in *isa.Inst, a *isa.Arg, v uint64) []isa.Span {
			at := len(dst)
			dst = cells(dst, in, a, v)
			for i := range dst[at:] {
				sp := &dst[at+i]
				if in.Get(nameR128) != 0 {
					sp.N = 4
				}
				sp.N = min(sp.N, codeExec-int(sp.Cell.Index))
			}
			return dst
		}
		return &made
	})
}

// imageAddr is the address operand by its least number of registers: the number is not encoded, so the least are
// printed and more are accepted.
func (k *kinds) imageAddr(least int) *isa.Kind {
	return k.once("address "+strconv.Itoa(least), func() *isa.Kind {
		c, made := k.codes, *k.vgprs(least)
		made.Parse = func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
			at := s.Pos
			r, ok := vgprTuple(s, c)
			if ok && (r.n < least || r.n > 16) {
				s.Pos = at
				return 0, s.Failf(at, isa.ErrOperand, "%s, want %d to 16", registersNamed(r.n), least)
			}
			return uint64(r.code - codeVGPR), ok
		}
		return &made
	})
}

// vgprTuple reads vector registers, any number of them.
func vgprTuple(s *isa.Scan, c *codes) (r reg, ok bool) {
	at := s.Pos
	r, found, ok := parseReg(s, c)
	if found && !ok {
		return r, false
	}
	if !found || r.code < codeVGPR {
		s.Pos = at
		return r, s.Expect("VGPRs")
	}
	return r, true
}

// laterDmask and laterWord look ahead to the modifiers, on which the number of data registers depends.
func laterDmask(s *isa.Scan) uint64 {
	i := strings.Index(s.Line[s.Pos:], " dmask:")
	if i < 0 {
		return 0
	}
	ahead := *s
	ahead.Pos += i + len(" dmask:")
	v, _ := ahead.Expr()
	return uint64(v)
}

func laterWord(s *isa.Scan, w string) bool {
	ahead := *s
	for {
		i := strings.Index(ahead.Line[ahead.Pos:], " "+w)
		if i < 0 {
			return false
		}
		if ahead.Pos += i + 1; ahead.Accept(w) {
			return true
		}
	}
}
