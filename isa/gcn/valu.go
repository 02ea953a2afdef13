package gcn

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Short names for the meaning column.
type (
	m1   = isa.M1
	m2   = isa.M2
	m3   = isa.M3
	m2x2 = isa.M2x2
	m3x2 = isa.M3x2
	eff  = isa.Eff
)

const _____ = -1 // no such instruction in this variant (five wide, to line up)

// A valu is the row of a vector instruction of VOP1, VOP2, VOPC or VOP3: its opcodes in the table's own
// encoding, mnemonic, signature, flags, meaning and one-line doc. VOP1, VOP2 and VOPC rows also stand for
// the VOP3, SDWA and DPP forms, whose opcodes follow from theirs (docs/reference/gcn.md 1).
//
// The signature is "results = sources" of operand types. Besides types it may hold
//
//	cout  lane mask written: vcc in short forms, an SGPR pair in VOP3
//	cin   lane mask read, likewise
//	acc   the destination read as last source, without text
//	K     the literal constant of v_madmk and v_madak
//
// In docs a, b and c are the sources and d the destination before.
type valu struct {
	op6, op7, op8 int
	name          string
	sig           string
	flags         string // see the flag words
	mean          isa.Meaning
	doc           string
}

// Words of the flags column. It may also hold cells that no operand names: r:vcc, w:exec (see implicit).
const (
	noVOP3  = "no64"   // no VOP3 form
	noSDWA  = "nosdwa" // no SDWA form
	noDPP   = "nodpp"  // no DPP form
	clampOK = "clamp"  // an integer result that saturates when clamp is set
	noMods  = "nomods" // float sources and result without abs, neg, clamp and omod
	omodOK  = "omod"   // omod although the result is no float
	noNeg   = "noneg"  // no abs and neg although a source is a float
	intMods = "mods"   // abs and neg although the sources are no floats
	noExec  = "noexec" // does not even read exec
	bare    = "bare"   // printed without suffix in every form
	// The register named is not the one read or written: M0 is added to its number.
	indexSrc = "idxsrc"
	indexDst = "idxdst"
	opt      = "opt=" // opt=NAME: the sources are silent, the option NAME says what was chosen
)

func (r *valu) flag(w string) bool {
	for _, f := range strings.Fields(r.flags) {
		if f == w {
			return true
		}
	}
	return false
}

// fidelity is that of a row by its flags, and the option that chose a modelled meaning.
func fidelity(flags string, m isa.Meaning) (ir.Fidelity, string) {
	if m == nil {
		return ir.NotRunnable, ""
	}
	for _, f := range strings.Fields(flags) {
		if name, ok := strings.CutPrefix(f, opt); ok {
			return ir.Modelled, name
		}
	}
	return ir.Exact, ""
}

// A vop is a vector row compiled for lifting: types by position.
type vop struct {
	row  *valu
	dst  typ
	src  []typ
	args []*isa.Arg // of each source; nil: acc
	cin  bool       // the last source is a lane mask
	cout bool
	acc  bool
	name string // without suffix
}

var typNames = map[string]typ{"b16": b16, "f16": f16, "b32": b32, "f32": f32, "b64": b64, "i64": i64, "f64": f64,
	"b128": b128, "mask": mask, "cin": mask, "cout": mask, "acc": none, "K": none}

// signature splits a row's signature.
func signature(sig string) (dst, src []string) {
	l, r, ok := strings.Cut(sig, "=")
	if !ok && sig != "" {
		panic("gcn: signature " + sig)
	}
	return strings.Fields(l), strings.Fields(r)
}

func newVop(r *valu) *vop {
	v := &vop{row: r, name: r.name}
	dst, src := signature(r.sig)
	for i, d := range dst {
		t, ok := typNames[d]
		if !ok {
			panic(fmt.Sprintf("gcn: %s: type %s", r.name, d))
		}
		if i == 0 {
			v.dst = t
		}
		v.cout = v.cout || d == "cout"
	}
	for _, s := range src {
		t, ok := typNames[s]
		if !ok {
			panic(fmt.Sprintf("gcn: %s: type %s", r.name, s))
		}
		v.acc = v.acc || s == "acc"
		v.cin = v.cin || s == "cin"
		if s == "acc" || s == "K" {
			t = v.dst
		}
		v.src = append(v.src, t)
	}
	return v
}

// The layouts of gfx8. Source: docs/reference/gcn.md 1.
var (
	litAt32 = &isa.Literal{Fields: []string{"src0"}, Code: codeLiteral, At: bits.Span(32, 63)}

	vop1VI = &isa.Encoding{Name: "VOP1", Bits: 32, Fixed: []isa.Fixed{isa.Must(25, 31, 0b0111111)}, Opcode: bits.Ranges{bits.Span(9, 16)},
		Fields: []isa.Field{isa.Bits("src0", 0, 8, nil), isa.Bits("vdst", 17, 24, nil)}, Literal: litAt32, Source: "docs/reference/gcn.md 1.1"}
	vop2VI = &isa.Encoding{Name: "VOP2", Bits: 32, Fixed: []isa.Fixed{isa.Must(31, 31, 0)}, Opcode: bits.Ranges{bits.Span(25, 30)},
		Fields:  []isa.Field{isa.Bits("src0", 0, 8, nil), isa.Bits("src1", 9, 16, nil), isa.Bits("vdst", 17, 24, nil)},
		Literal: litAt32, Source: "docs/reference/gcn.md 1.1"}
	// vop2kVI is VOP2 with a literal that is always there: v_madmk, v_madak.
	vop2kVI = &isa.Encoding{Name: "VOP2", Bits: 32, Fixed: vop2VI.Fixed, Opcode: vop2VI.Opcode, Fields: vop2VI.Fields,
		Literal: &isa.Literal{Always: true, At: bits.Span(32, 63)}, Source: "docs/reference/gcn.md 1.1"}
	vopcVI = &isa.Encoding{Name: "VOPC", Bits: 32, Fixed: []isa.Fixed{isa.Must(25, 31, 0b0111110)}, Opcode: bits.Ranges{bits.Span(17, 24)},
		Fields: []isa.Field{isa.Bits("src0", 0, 8, nil), isa.Bits("src1", 9, 16, nil)}, Literal: litAt32, Source: "docs/reference/gcn.md 1.1"}
	vop3VI = &isa.Encoding{Name: "VOP3", Bits: 64, Fixed: []isa.Fixed{isa.Must(26, 31, 0b110100)}, Opcode: bits.Ranges{bits.Span(16, 25)},
		Fields: []isa.Field{
			isa.Bits("vdst", 0, 7, nil), isa.Bits("sdst", 8, 14, nil), isa.Bits("clamp", 15, 15, flag("clamp")),
			isa.Bits("src0", 32, 40, nil), isa.Bits("src1", 41, 49, nil), isa.Bits("src2", 50, 58, nil),
			isa.Bits("omod", 59, 60, omods),
			isa.Bits("src0.neg", 61, 61, nil), isa.Bits("src1.neg", 62, 62, nil), isa.Bits("src2.neg", 63, 63, nil),
			isa.Bits("src0.abs", 8, 8, nil), isa.Bits("src1.abs", 9, 9, nil), isa.Bits("src2.abs", 10, 10, nil),
		}, Source: "docs/reference/gcn.md 1.1"}
	vop1SDWA = sdwa(vop1VI)
	vop2SDWA = sdwa(vop2VI)
	vopcSDWA = sdwa(vopcVI)
	vop1DPP  = dpp(vop1VI)
	vop2DPP  = dpp(vop2VI)
)

// Bits of the source modifiers of VOP3, by source.
var (
	vop3Abs = [3]uint8{8, 9, 10}
	vop3Neg = [3]uint8{61, 62, 63}
)

// sdwa is the layout with the sub-dword selections in the second word. docs/reference/gcn.md 1.
func sdwa(e *isa.Encoding) *isa.Encoding {
	x := &isa.Encoding{Name: e.Name + "_SDWA", Bits: 64, Fixed: append([]isa.Fixed{isa.Must(0, 8, codeSDWA)}, e.Fixed...),
		Opcode: e.Opcode, First: true, Source: e.Source}
	for _, f := range e.Fields {
		if f.Name != "src0" {
			x.Fields = append(x.Fields, f)
		}
	}
	x.Fields = append(x.Fields, isa.Bits("src0", 32, 39, nil), isa.Bits("dst_sel", 40, 42, sel("dst_sel")),
		isa.Bits("dst_unused", 43, 44, dstUnused), isa.Bits("clamp", 45, 45, flag("clamp")),
		isa.Bits("src0_sel", 48, 50, sel("src0_sel")), isa.Bits("src1_sel", 56, 58, sel("src1_sel")))
	return x
}

// dpp is the layout with the lane selection in the second word. docs/reference/gcn.md 1.
func dpp(e *isa.Encoding) *isa.Encoding {
	x := &isa.Encoding{Name: e.Name + "_DPP", Bits: 64, Fixed: append([]isa.Fixed{isa.Must(0, 8, codeDPP)}, e.Fixed...),
		Opcode: e.Opcode, First: true, Source: e.Source}
	for _, f := range e.Fields {
		if f.Name != "src0" {
			x.Fields = append(x.Fields, f)
		}
	}
	x.Fields = append(x.Fields, isa.Bits("src0", 32, 39, nil), isa.Bits("dpp_ctrl", 40, 48, dppCtrl),
		isa.Bits("bound_ctrl", 51, 51, boundCtrl), isa.Bits("bank_mask", 56, 59, laneMask("bank_mask")),
		isa.Bits("row_mask", 60, 63, laneMask("row_mask")))
	return x
}
