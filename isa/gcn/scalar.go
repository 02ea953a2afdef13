package gcn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A salu is the row of a scalar instruction: opcodes, mnemonic, signature, meaning and one-line doc. The signature
// is "results = sources" of operand types and
//
//	scc     the scalar condition, without text
//	acc     the destination read as a source, without text
//	d32 d64 the register in the SDST field, read
//	| r:m0 ...  after a bar: cells that no operand names, see implicit; scc is one of them already
//	idxsrc idxdst  M0 is added to the number of that register
//	simm uimm  the 16-bit constant, sign- or zero-extended
//	K       a literal constant that is always there
//	hwreg branch waitcnt msg hex gpridx gpridx16 endcode   what their kinds print
//
// In docs a and b are the sources and d the destination before.
type salu struct {
	op6, op7, op8 int
	name          string
	sig           string
	mean          isa.Meaning
	doc           string
}

// A sop is a scalar row compiled for lifting.
type sop struct {
	dst []string // "b32", "b64" or "scc"
	src []string
	arg []*isa.Arg // of each source; nil without text
}

var (
	litSOP2 = &isa.Literal{Fields: []string{"ssrc0", "ssrc1"}, Code: codeLiteral, At: bits.Span(32, 63)}

	sop2Enc = &isa.Encoding{Name: "SOP2", Bits: 32, Fixed: []isa.Fixed{isa.Must(30, 31, 0b10)}, Opcode: bits.Ranges{bits.Span(23, 29)},
		Fields:  []isa.Field{isa.Bits("ssrc0", 0, 7, nil), isa.Bits("ssrc1", 8, 15, nil), isa.Bits("sdst", 16, 22, nil)},
		Literal: litSOP2, Source: "docs/reference/gcn.md 1.1"}
	sopkEnc = &isa.Encoding{Name: "SOPK", Bits: 32, Fixed: []isa.Fixed{isa.Must(28, 31, 0b1011)}, Opcode: bits.Ranges{bits.Span(23, 27)},
		Fields: []isa.Field{isa.Bits("simm16", 0, 15, nil), isa.Bits("sdst", 16, 22, nil)}, First: true, Source: "docs/reference/gcn.md 1.1"}
	sopkLitEnc = &isa.Encoding{Name: "SOPK", Bits: 32, Fixed: sopkEnc.Fixed, Opcode: sopkEnc.Opcode, Fields: sopkEnc.Fields,
		First: true, Literal: &isa.Literal{Always: true, At: bits.Span(32, 63)}, Source: "docs/reference/gcn.md 1.1"}
	sop1Enc = &isa.Encoding{Name: "SOP1", Bits: 32, Fixed: []isa.Fixed{isa.Must(23, 31, 0b101111101)}, Opcode: bits.Ranges{bits.Span(8, 15)},
		Fields:  []isa.Field{isa.Bits("ssrc0", 0, 7, nil), isa.Bits("sdst", 16, 22, nil)},
		Literal: litSOP2, First: true, Source: "docs/reference/gcn.md 1.1"}
	sopcEnc = &isa.Encoding{Name: "SOPC", Bits: 32, Fixed: []isa.Fixed{isa.Must(23, 31, 0b101111110)}, Opcode: bits.Ranges{bits.Span(16, 22)},
		Fields:  []isa.Field{isa.Bits("ssrc0", 0, 7, nil), isa.Bits("ssrc1", 8, 15, nil)},
		Literal: litSOP2, First: true, Source: "docs/reference/gcn.md 1.1"}
	soppEnc = &isa.Encoding{Name: "SOPP", Bits: 32, Fixed: []isa.Fixed{isa.Must(23, 31, 0b101111111)}, Opcode: bits.Ranges{bits.Span(16, 22)},
		Fields: []isa.Field{isa.Bits("simm16", 0, 15, nil)}, First: true, Source: "docs/reference/gcn.md 1.1"}
)

// Source kinds of scalar instructions by type.
var ssrc = map[string]*isa.Kind{
	"b32": source("a scalar source operand", b32, takesScalar|takesConst|takesLiteral|takesSpecial),
	"b64": source("a scalar source operand", b64, takesScalar|takesConst|takesLiteral|takesSpecial),
}

// scalarDefs are the rows of SOP1, SOP2, SOPC, SOPK and SOPP.
func scalarDefs() (ds []isa.Def) {
	for _, f := range []struct {
		rows []salu
		enc  *isa.Encoding
	}{{sop2, sop2Enc}, {sop1, sop1Enc}, {sopc, sopcEnc}, {sopk, sopkEnc}, {sopp, soppEnc}} {
		for i := range f.rows {
			if r := &f.rows[i]; r.op8 != ____ {
				ds = append(ds, r.def(f.enc))
			}
		}
	}
	return ds
}

func (r *salu) def(enc *isa.Encoding) isa.Def {
	p := &sop{}
	sig, more, _ := strings.Cut(r.sig, "|")
	p.dst, p.src = signature(sig)
	d := isa.Def{Name: r.name, Variants: 1 << gfx8, Enc: enc, Op: uint64(r.op8), Doc: r.doc, Source: "docs/reference/gcn.md 4",
		Meaning: r.mean, Form: scalarForm, Lack: lackOf(r.doc, r.mean), Data: p}
	d.Fidelity, d.Option = fidelity("", r.mean)
	d.Implicit = implicit(strings.Fields(more)...)
	for i, s := range append(p.dst, p.src...) {
		if s == "scc" {
			d.Implicit = append(d.Implicit, implicit([]string{"w:scc", "r:scc"}[min(1, i/max(1, len(p.dst)))])...)
		}
	}
	role, srcRole := isa.Define, isa.Use
	for _, s := range p.src {
		switch s {
		case "acc":
			role = isa.UseDef
		case "K":
			d.Enc = sopkLitEnc
		case indexDst:
			role = isa.NoRole
		case indexSrc:
			srcRole = isa.NoRole
		}
	}
	p.src = slices.DeleteFunc(p.src, func(s string) bool { return s == indexDst || s == indexSrc })
	for _, t := range p.dst {
		if t != "scc" {
			d.Args = append(d.Args, isa.Arg{Name: "sdst", Kind: sdst7[typNames[t]], Role: role, Width: typNames[t].bits()})
		}
	}
	at := make([]int, len(p.src)) // in Args of each source; -1: no text
	fields := []string{"ssrc0", "ssrc1"}
	for i, s := range p.src {
		at[i] = -1
		if s == "scc" || s == "acc" {
			continue
		}
		a := scalarArg(s, fields[0], srcRole)
		if a.Name == fields[0] {
			fields = append(fields[1:], "")
		}
		at[i] = len(d.Args)
		d.Args = append(d.Args, a)
	}
	for _, i := range at {
		var a *isa.Arg
		if i >= 0 {
			a = &d.Args[i]
		}
		p.arg = append(p.arg, a)
	}
	return d
}

// scalarArg is the operand of a word of the signature; field is the next source field.
func scalarArg(s, field string, role isa.Role) isa.Arg {
	switch s {
	case "b32", "b64":
		return isa.Arg{Name: field, Kind: ssrc[s], Role: role, Width: typNames[s].bits()}
	case "d32", "d64":
		t := typNames["b"+s[1:]]
		return isa.Arg{Name: "sdst", Kind: sdst7[t], Role: isa.Use, Width: t.bits()}
	case "gpridx":
		return isa.Arg{Name: field, Kind: gprIdx}
	case "K":
		return isa.Arg{Name: "k", Kind: litK[b32], At: bits.Ranges{}, Role: isa.Use, Width: 32}
	}
	k, ok := immKinds[s]
	if !ok {
		panic(fmt.Sprintf("gcn: signature word %s", s))
	}
	return isa.Arg{Name: "simm16", Kind: k}
}

// scalarForm reads and writes scalar operands.
var scalarForm = &isa.Form{Src: scalarSrc, Dst: scalarDst}

func theSop(l *isa.Lift) *sop { return l.In.Def.Data.(*sop) }

func scalarSrc(l *isa.Lift, i int) V {
	p := theSop(l)
	switch s := p.src[i]; s {
	case "scc":
		return l.Get(CellSCC, ir.I1)
	case "acc":
		return scalar(l, int(l.In.Get(nameSdst)), typNames[p.dst[0]].words())
	case "d32", "d64":
		return scalar(l, int(l.In.Get(nameSdst)), typNames["b"+s[1:]].words())
	case "simm":
		return l.I32(uint32(int32(int16(l.In.Get(nameSimm16)))))
	case "uimm":
		return l.I32(uint32(l.In.Get(nameSimm16)))
	case "K":
		return l.I32(uint32(l.In.Literal()))
	default:
		return operand(l, int(p.arg[i].Get(l.In.Word)), typNames[s])
	}
}

func scalarDst(l *isa.Lift, i int, x V) {
	p := theSop(l)
	if p.dst[i] == "scc" {
		l.Set(CellSCC, x, V{})
		return
	}
	setScalar(l, int(l.In.Get(nameSdst)), x)
}
