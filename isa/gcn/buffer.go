package gcn

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// MUBUF and MTBUF: memory through a buffer resource. docs/reference/gcn.md 1 and 8.1.
//
// The type on the left of a signature is the data of a load or what an atomic returns, that on the right the data of a
// store or atomic. Behind the bar, lds says that the data can go to local memory instead, fromlds that it comes from
// there, none that there is no operand at all.

var (
	soffset   = source("a scalar register or constant", b32, takesScalar|takesConst|takesSpecial)
	buffer128 = alignedSGPRs(4, 2)

	// mubufVI is the layout of gfx8; gfx6 and gfx7 have ADDR64 in bit 15 and SLC in bit 54.
	mubufVI = &isa.Encoding{Name: "MUBUF", Bits: 64, Fixed: []isa.Fixed{isa.Must(26, 31, 0b111000)}, Opcode: bits.Ranges{bits.Span(18, 24)},
		Fields: append(bufferFields(isa.Bits("slc", 17, 17, flag("slc"))), isa.Bits("lds", 16, 16, nil)), Source: "docs/reference/gcn.md 1.1"}

	// mtbufVI is the layout of gfx8; gfx6 and gfx7 have ADDR64 in bit 15 and a shorter opcode.
	mtbufVI = &isa.Encoding{Name: "MTBUF", Bits: 64, Fixed: []isa.Fixed{isa.Must(26, 31, 0b111010)}, Opcode: bits.Ranges{bits.Span(15, 18)},
		Fields: append(bufferFields(isa.Bits("slc", 54, 54, flag("slc"))), isa.Bits("format", 19, 25, bufFormat)), Source: "docs/reference/gcn.md 1.1"}
)

// bufferFields are the fields that both layouts have, and slc, which moves.
func bufferFields(slc isa.Field) []isa.Field {
	return []isa.Field{
		isa.Bits("offset", 0, 11, number10("offset")), isa.Bits("offen", 12, 12, nil), isa.Bits("idxen", 13, 13, nil),
		isa.Bits("glc", 14, 14, flag("glc")), slc,
		isa.Bits("vaddr", 32, 39, nil), isa.Bits("vdata", 40, 47, nil), isa.Bits("srsrc", 48, 52, buffer128),
		isa.Bits("tfe", 55, 55, nil), isa.Bits("soffset", 56, 63, soffset),
	}
}

// A bufMode is one way to address a buffer: whether vector registers give an index, an offset or both, in this order.
type bufMode struct{ idxen, offen uint64 }

var bufModes = [...]bufMode{{0, 0}, {0, 1}, {1, 0}, {1, 1}}

func (m bufMode) fix() []isa.Fixed {
	return []isa.Fixed{isa.Must(12, 12, m.offen), isa.Must(13, 13, m.idxen)}
}

// vaddr is the address operand, mods the words that ask for it.
func (m bufMode) vaddr() isa.Arg {
	if n := int(m.idxen + m.offen); n > 0 {
		return vgprArg("vaddr", n, isa.Use)
	}
	return wordArg("off", false)
}

func (m bufMode) mods() (as []isa.Arg) {
	if m.idxen != 0 {
		as = append(as, wordArg("idxen", true))
	}
	if m.offen != 0 {
		as = append(as, wordArg("offen", true))
	}
	return as
}

// A bufForm is one form of a row: how it is addressed, and what becomes of the data.
type bufForm struct {
	enc    *isa.Encoding
	mode   bufMode
	words  int      // data registers
	role   isa.Role // of them
	tfe    uint64   // one more data register, for the status
	lds    bool     // the data goes to local memory
	glc    int      // of an atomic: the bit; else -1
	result int      // registers of vdata that an atomic with glc writes
}

// def makes the form. vdata, vaddr, srsrc, soffset; then modifiers in LLVM's order.
func (f bufForm) def(rank int) isa.Def {
	d := isa.Def{Enc: f.enc, Fix: append(f.mode.fix(), isa.Must(55, 55, f.tfe)), Rank: rank}
	if !f.lds {
		d.Args = append(d.Args, vgprArg("vdata", f.words+int(f.tfe), f.role))
	}
	d.Args = append(d.Args, f.mode.vaddr(),
		isa.Arg{Name: "srsrc", Role: isa.Use, Width: 128}, isa.Arg{Name: "soffset", Role: isa.Use, Width: 32})
	if f.enc == mtbufVI {
		d.Args = append(d.Args, isa.Arg{Name: "format", Place: isa.Modifier, Default: 1})
	} else {
		d.Fix = append(d.Fix, isa.Must(16, 16, oneIf(f.lds)))
	}
	d.Args = append(d.Args, f.mode.mods()...)
	d.Args = append(d.Args, modArgs("offset")...)
	switch f.glc {
	case -1:
		d.Args = append(d.Args, modArgs("glc")...)
	case 0:
		d.Fix = append(d.Fix, isa.Must(14, 14, 0))
	case 1:
		d.Fix = append(d.Fix, isa.Must(14, 14, 1))
		d.Args = append(d.Args, wordArg("glc", true))
	}
	d.Args = append(d.Args, modArgs("slc")...)
	if f.tfe != 0 {
		d.Args = append(d.Args, wordArg("tfe", true))
	}
	if f.tfe != 0 && f.role == isa.Use {
		d.Lack = isa.LackUndefined // what the status of a store is
	}
	if f.result > 0 {
		d.Args = append(d.Args, resultArg(f.result))
	}
	if f.lds {
		d.Args = append(d.Args, wordArg("lds", true))
		d.Implicit = implicit("r:m0")
	}
	return d
}

// resultArg is the part of vdata that an atomic writes. It has no text and no bits of its own.
func resultArg(n int) isa.Arg {
	k := &isa.Kind{Name: "the result",
		Cells: func(dst []isa.Span, in *isa.Inst, _ *isa.Arg, _ uint64) []isa.Span {
			return append(dst, isa.Span{Cell: VGPR(int(in.Get(nameVdata))), N: n})
		}}
	return isa.Arg{Name: "result", Kind: k, At: bits.Ranges{}, Role: isa.Define, Width: 32 * n, Place: isa.Hidden}
}

func oneIf(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// mubufForms are the forms of a row: for each way of addressing, loads and stores with and without tfe, loads to local
// memory, atomics without and with glc.
func mubufForms(r *memRow) (ds []isa.Def) {
	dst, src, more := r.parts()
	switch more {
	case "none":
		return []isa.Def{{Enc: mubufVI}}
	case "fromlds":
		d := bufForm{enc: mubufVI, lds: true, glc: -1}.def(0)
		d.Args = d.Args[1:] // no vaddr
		return []isa.Def{d}
	}
	add := func(f bufForm) { f.enc = mubufVI; ds = append(ds, f.def(len(ds))) }
	for _, m := range bufModes {
		switch {
		case len(dst) > 0 && len(src) > 0:
			add(bufForm{mode: m, words: regs(src[0]), role: isa.Use, glc: 0})
			add(bufForm{mode: m, words: regs(src[0]), role: isa.Use, glc: 1, result: regs(dst[0])})
		case len(dst) > 0:
			add(bufForm{mode: m, words: regs(dst[0]), role: isa.Define, glc: -1})
			add(bufForm{mode: m, words: regs(dst[0]), role: isa.Define, glc: -1, tfe: 1})
			if more == "lds" {
				add(bufForm{mode: m, lds: true, glc: -1})
			}
		default:
			add(bufForm{mode: m, words: regs(src[0]), role: isa.Use, glc: -1})
			add(bufForm{mode: m, words: regs(src[0]), role: isa.Use, glc: -1, tfe: 1})
		}
	}
	return ds
}

// mtbufForms are the forms of a row, one for each way of addressing. No tool writes TFE.
func mtbufForms(r *memRow) (ds []isa.Def) {
	dst, src, _ := r.parts()
	f := bufForm{enc: mtbufVI, role: isa.Use, glc: -1}
	typ := append(dst, src...)[0]
	if len(dst) > 0 {
		f.role = isa.Define
	}
	f.words = regs(typ)
	for i, m := range bufModes {
		f.mode = m
		ds = append(ds, f.def(i))
	}
	return ds
}
