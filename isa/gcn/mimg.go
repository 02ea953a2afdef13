package gcn

import (
	mathbits "math/bits"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// MIMG: images and samplers. docs/reference/gcn.md 1 and 8.4.
//
// In signatures x is data of as many registers as DMASK has ones, at least one, and g is four registers; either is one
// more with TFE. A number is the least registers of the address: the encoding does not hold how many there are, so the
// least print and more assemble. s is a sampler. Behind the bar, d16 is a modifier for 16-bit data.

var mimgVI = &isa.Encoding{Name: "MIMG", Bits: 64, Fixed: []isa.Fixed{isa.Must(26, 31, 0b111100)}, Opcode: bits.Ranges{bits.Span(18, 24)},
	Fields: []isa.Field{
		isa.Bits("dmask", 8, 11, dmask), isa.Bits("unorm", 12, 12, flag("unorm")), isa.Bits("glc", 13, 13, flag("glc")),
		isa.Bits("da", 14, 14, flag("da")), isa.Bits("r128", 15, 15, flag("r128")), isa.Bits("tfe", 16, 16, flag("tfe")),
		isa.Bits("lwe", 17, 17, flag("lwe")), isa.Bits("slc", 25, 25, flag("slc")),
		isa.Bits("vaddr", 32, 39, nil), isa.Bits("vdata", 40, 47, nil), isa.Bits("srsrc", 48, 52, alignedSGPRs(8, 2)),
		isa.Bits("ssamp", 53, 57, buffer128), isa.Bits("d16", 63, 63, flag("d16")),
	}, Source: "docs/reference/gcn.md 1.1"}

// dmask prints unless it is 0.
var dmask = func() *isa.Kind {
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
}()

// imageData are the kinds of the data operand: by DMASK, and four registers.
var imageData = map[string]*isa.Kind{"x": dataKind(0), "g": dataKind(4)}

// dataWords is the number of data registers.
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

// dataKind is the data operand. As in LLVM, one that would go beyond v255 prints as its first register.
func dataKind(fixed int) *isa.Kind {
	words := func(in *isa.Inst) int { return dataWords(fixed, in.Get(nameDmask), in.Get(nameTfe) != 0) }
	k := &isa.Kind{Name: "image data", Samples: []uint64{0, 1, 100, 251}}
	k.Text = func(_ *isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, v uint64) []byte {
		t := vregs[words(in)].Table[v]
		if t == "" {
			t = vregs[1].Table[v]
		}
		return append(dst, t...)
	}
	k.Cells = func(dst []isa.Span, in *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
		return append(dst, isa.Span{Cell: VGPR(int(v)), N: min(words(in), 256-int(v))})
	}
	k.Parse = func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
		at := s.Pos
		r, ok := vgprTuple(s)
		want := dataWords(fixed, laterDmask(s), laterWord(s, "tfe"))
		if ok && r.n != want && !(r.n == 1 && r.code-codeVGPR+want > 256) {
			s.Pos = at
			return 0, s.Failf(at, isa.ErrOperand, "%d registers where dmask and tfe ask for %d", r.n, want)
		}
		return uint64(r.code - codeVGPR), ok
	}
	return k
}

// addrKinds are the kinds of the address operand by its least number of registers.
var addrKinds = func() (ks [5]*isa.Kind) {
	for least := 1; least < len(ks); least++ {
		k := *vgprs(least)
		k.Parse = func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
			at := s.Pos
			r, ok := vgprTuple(s)
			if ok && (r.n < least || r.n > 16) {
				s.Pos = at
				return 0, s.Failf(at, isa.ErrOperand, "%d registers where %d to 16 are read", r.n, least)
			}
			return uint64(r.code - codeVGPR), ok
		}
		ks[least] = &k
	}
	return ks
}()

// vgprTuple reads vector registers, however many.
func vgprTuple(s *isa.Scan) (r reg, ok bool) {
	at := s.Pos
	r, found, ok := parseReg(s)
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
	return uint64(v) & 15
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

// mimgForms is the one form of a row.
func mimgForms(r *memRow) []isa.Def {
	dst, src, more := r.parts()
	role := isa.Use
	data := "x"
	if len(dst) > 0 {
		role, data = isa.Define, dst[0]
	}
	if src[0] == "x" {
		if len(dst) > 0 {
			role = isa.UseDef
		}
		src = src[1:]
	}
	least, err := strconv.Atoi(src[0])
	if err != nil {
		panic("gcn: " + r.name + ": signature " + r.sig)
	}
	args := []isa.Arg{
		{Name: "vdata", Kind: imageData[data], Role: role, Width: 32},
		{Name: "vaddr", Kind: addrKinds[least], Role: isa.Use, Width: 32 * least},
		{Name: "srsrc", Role: isa.Use, Width: 256},
	}
	if len(src) > 1 {
		args = append(args, isa.Arg{Name: "ssamp", Role: isa.Use, Width: 128})
	}
	args = append(args, modArgs("dmask", "unorm", "glc", "slc", "r128", "tfe", "lwe", "da")...)
	if more == "d16" {
		args = append(args, modArgs("d16")...)
	}
	return []isa.Def{{Enc: mimgVI, Args: args}}
}
