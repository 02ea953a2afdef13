package gcn

import (
	"slices"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// A layoutID names a layout; each generation places its fields in its own way, or lacks it.
type layoutID uint8

const (
	layVOP1 layoutID = iota
	layVOP2
	layVOP2K // VOP2 with a mandatory literal
	layVOPC
	layVOP3
	layVOP3B // VOP3 with a scalar destination
	layVOP1SDWA
	layVOP2SDWA
	layVOPCSDWA
	layVOP1DPP
	layVOP2DPP
	layInterp3 // interpolation in VOP3
	layVINTRP
	laySOP1
	laySOP2
	laySOPC
	laySOPCMode // SOPC whose second source is a mode
	laySOPK
	laySOPKLit // SOPK with a mandatory literal
	laySOPP
	laySMEM    // SMRD of gfx6 and gfx7
	laySMEMLit // SMRD with a literal offset, gfx7
	layDS
	layFLAT
	layMUBUF
	layMUBUF64 // with ADDR64, gfx6 and gfx7
	layMTBUF
	layMTBUF64
	layMIMG
	layEXP
	numLayouts
)

// layouts are those of a generation; nil if it has none, or it is not implemented.
type layouts [numLayouts]*isa.Encoding

// enc returns a layout of n bits. Source: docs/reference/gcn.md 1.
func enc(name string, n int, fixed isa.Fixed, opcode bits.Range, fields ...isa.Field) *isa.Encoding {
	return &isa.Encoding{Name: name, Bits: n, Fixed: []isa.Fixed{fixed}, Opcode: bits.Ranges{opcode}, Fields: fields, Source: "docs/reference/gcn.md 1.1"}
}

// at returns a field in bits lo to hi; forms define its kind.
func at(name string, lo, hi int) isa.Field { return isa.Bits(name, lo, hi, nil) }

// withLiteral returns the layout with a literal that any of the fields asks for; without fields it is always present.
func withLiteral(e *isa.Encoding, fields ...string) *isa.Encoding {
	x := *e
	x.Literal = &isa.Literal{Fields: fields, Code: codeLiteral, At: bits.Span(32, 63), Always: len(fields) == 0}
	return &x
}

// first returns the layout with precedence over others of the same word.
func first(e *isa.Encoding) *isa.Encoding {
	e.First = true
	return e
}

// gfx8Layouts, gfx7Layouts and gfx6Layouts are the layouts of the generations.
func gfx8Layouts() (l layouts) {
	vectorLayouts(&l, newerVOP3)
	subDwordLayouts(&l)
	scalarLayouts(&l)
	smemLayout(&l)
	memoryLayouts(&l, newerMemory)
	flatLayout(&l)
	return l
}

func gfx7Layouts() (l layouts) {
	l = gfx6Layouts()
	l[laySMEMLit] = smrdLiteral(l[laySMEM])
	flatLayout(&l)
	return l
}

func gfx6Layouts() (l layouts) {
	vectorLayouts(&l, olderVOP3)
	scalarLayouts(&l)
	smrdLayout(&l)
	memoryLayouts(&l, olderMemory)
	return l
}

// Source codes that ask for the second word of SDWA and DPP.
const (
	codeSDWA = 249
	codeDPP  = 250
)

// A vop3Places is the differences of VOP3: the opcode, CLAMP of VOP3 and of VOP3B, and how VINTRP is identified.
type vop3Places struct {
	op             bits.Range
	clamp, clampB  []isa.Field
	interp         uint64
	interpolatesIn bool // interpolation is among the opcodes of VOP3
}

var (
	newerVOP3 = vop3Places{op: bits.Span(16, 25), clamp: []isa.Field{at("clamp", 15, 15)}, clampB: []isa.Field{at("clamp", 15, 15)},
		interp: 0b110101, interpolatesIn: true}
	olderVOP3 = vop3Places{op: bits.Span(17, 25), clamp: []isa.Field{at("clamp", 11, 11)}, interp: 0b110010}
)

// vopLayout returns VOP1, VOP2 and VOPC, which are the same in all generations, without their literals.
func vopLayout() (vop1, vop2, vopc *isa.Encoding) {
	vop1 = enc("VOP1", 32, isa.Must(25, 31, 0b0111111), bits.Span(9, 16), at("src0", 0, 8), at("vdst", 17, 24))
	vop2 = enc("VOP2", 32, isa.Must(31, 31, 0), bits.Span(25, 30), at("src0", 0, 8), at("src1", 9, 16), at("vdst", 17, 24))
	vopc = enc("VOPC", 32, isa.Must(25, 31, 0b0111110), bits.Span(17, 24), at("src0", 0, 8), at("src1", 9, 16))
	return vop1, vop2, vopc
}

func vectorLayouts(l *layouts, p vop3Places) {
	vop1, vop2, vopc := vopLayout()
	l[layVOP1], l[layVOP2], l[layVOPC] = withLiteral(vop1, "src0"), withLiteral(vop2, "src0"), withLiteral(vopc, "src0")
	l[layVOP2K] = withLiteral(vop2)

	is := isa.Must(26, 31, 0b110100)
	vop3 := []isa.Field{
		at("vdst", 0, 7), at("src0", 32, 40), at("src1", 41, 49), at("src2", 50, 58), at("omod", 59, 60),
		at("src0.neg", 61, 61), at("src1.neg", 62, 62), at("src2.neg", 63, 63),
	}
	vop3A := slices.Concat(p.clamp, []isa.Field{at("src0.abs", 8, 8), at("src1.abs", 9, 9), at("src2.abs", 10, 10)}, vop3)
	vop3B := slices.Concat(p.clampB, []isa.Field{at("sdst", 8, 14)}, vop3)
	l[layVOP3], l[layVOP3B] = enc("VOP3", 64, is, p.op, vop3A...), enc("VOP3", 64, is, p.op, vop3B...)
	l[layVINTRP] = enc("VINTRP", 32, isa.Must(26, 31, p.interp), bits.Span(16, 17), at("vsrc", 0, 7), at("attr", 8, 15), at("vdst", 18, 25))
	if p.interpolatesIn { // the attribute takes the bits of source 0; source 1 is the coordinate
		l[layInterp3] = enc("VOP3", 64, is, p.op, at("vdst", 0, 7), at("clamp", 15, 15),
			isa.Field{Name: "attr", At: bits.Ranges{bits.Span(38, 39), bits.Span(32, 37)}}, at("high", 40, 40),
			at("src1", 41, 49), at("src2", 50, 58), at("omod", 59, 60), at("src1.abs", 9, 9), at("src2.abs", 10, 10),
			at("src1.neg", 62, 62), at("src2.neg", 63, 63))
	}
}

// subDwordLayouts adds SDWA and DPP, of gfx8.
func subDwordLayouts(l *layouts) {
	vop1, vop2, vopc := vopLayout()
	l[layVOP1SDWA], l[layVOP2SDWA], l[layVOPCSDWA] = sdwaLayout(vop1), sdwaLayout(vop2), sdwaLayout(vopc)
	l[layVOP1DPP], l[layVOP2DPP] = dppLayout(vop1), dppLayout(vop2)
}

// second returns a layout whose source 0 is the code, and that continues with the fields in a second word.
func second(e *isa.Encoding, suffix string, code uint64, fields ...isa.Field) *isa.Encoding {
	x := &isa.Encoding{Name: e.Name + suffix, Bits: 64, Fixed: append([]isa.Fixed{isa.Must(0, 8, code)}, e.Fixed...),
		Opcode: e.Opcode, First: true, Source: e.Source}
	for _, f := range e.Fields {
		if f.Name != "src0" {
			x.Fields = append(x.Fields, f)
		}
	}
	x.Fields = append(x.Fields, fields...)
	return x
}

// sdwaLayout has sub-dword selections in the second word, dppLayout the selection of lanes. docs/reference/gcn.md 1.
func sdwaLayout(e *isa.Encoding) *isa.Encoding {
	return second(e, "_SDWA", codeSDWA, at("src0", 32, 39), at("dst_sel", 40, 42), at("dst_unused", 43, 44), at("clamp", 45, 45),
		at("src0_sel", 48, 50), at("src0.sext", 51, 51), at("src0.neg", 52, 52), at("src0.abs", 53, 53),
		at("src1_sel", 56, 58), at("src1.sext", 59, 59), at("src1.neg", 60, 60), at("src1.abs", 61, 61))
}

func dppLayout(e *isa.Encoding) *isa.Encoding {
	return second(e, "_DPP", codeDPP, at("src0", 32, 39), at("dpp_ctrl", 40, 48), at("bound_ctrl", 51, 51),
		at("src0.neg", 52, 52), at("src0.abs", 53, 53), at("src1.neg", 54, 54), at("src1.abs", 55, 55),
		at("bank_mask", 56, 59), at("row_mask", 60, 63))
}

// scalarLayouts adds SOP1, SOP2, SOPC, SOPK and SOPP, which are the same in all generations.
func scalarLayouts(l *layouts) {
	l[laySOP2] = withLiteral(enc("SOP2", 32, isa.Must(30, 31, 0b10), bits.Span(23, 29),
		at("ssrc0", 0, 7), at("ssrc1", 8, 15), at("sdst", 16, 22)), "ssrc0", "ssrc1")
	l[laySOPK] = first(enc("SOPK", 32, isa.Must(28, 31, 0b1011), bits.Span(23, 27), at("simm16", 0, 15), at("sdst", 16, 22)))
	l[laySOPKLit] = withLiteral(l[laySOPK])
	l[laySOP1] = first(withLiteral(enc("SOP1", 32, isa.Must(23, 31, 0b101111101), bits.Span(8, 15),
		at("ssrc0", 0, 7), at("sdst", 16, 22)), "ssrc0", "ssrc1"))
	sopc := enc("SOPC", 32, isa.Must(23, 31, 0b101111110), bits.Span(16, 22), at("ssrc0", 0, 7), at("ssrc1", 8, 15))
	l[laySOPC], l[laySOPCMode] = first(withLiteral(sopc, "ssrc0", "ssrc1")), first(withLiteral(sopc, "ssrc0"))
	l[laySOPP] = first(enc("SOPP", 32, isa.Must(23, 31, 0b101111111), bits.Span(16, 22), at("simm16", 0, 15)))
}

// smemLayout adds scalar memory of gfx8, smrdLayout that of gfx6 and gfx7, whose constant offset counts dwords.
func smemLayout(l *layouts) {
	l[laySMEM] = enc("SMEM", 64, isa.Must(26, 31, 0b110000), bits.Span(18, 25), at("sbase", 0, 5), at("sdata", 6, 12),
		at("glc", 16, 16), at("imm", 17, 17), at("offset", 32, 51), at("soffset", 32, 38))
}

func smrdLayout(l *layouts) {
	l[laySMEM] = enc("SMRD", 32, isa.Must(27, 31, 0b11000), bits.Span(22, 26), at("offset", 0, 7), at("soffset", 0, 7),
		at("imm", 8, 8), at("sbase", 9, 14), at("sdata", 15, 21))
}

// smrdLiteral returns SMRD with the offset in a literal: it takes precedence over an offset in a register, as it is
// that with code 255.
func smrdLiteral(e *isa.Encoding) *isa.Encoding {
	x := *withLiteral(e)
	x.Fixed = append([]isa.Fixed{isa.Must(0, 8, codeLiteral)}, e.Fixed...)
	x.Fields = slices.DeleteFunc(slices.Clone(e.Fields), func(f isa.Field) bool { return f.Name != "sbase" && f.Name != "sdata" })
	return first(&x)
}

// flatLayout is FLAT of gfx7 and gfx8. TFE is 0: no tool writes it.
func flatLayout(l *layouts) {
	l[layFLAT] = enc("FLAT", 64, isa.Must(26, 31, 0b110111), bits.Span(18, 24), at("glc", 16, 16), at("slc", 17, 17),
		at("addr", 32, 39), at("data", 40, 47), at("vdst", 56, 63))
	l[layFLAT].Fixed = append(l[layFLAT].Fixed, isa.Must(55, 55, 0))
}

// A memoryPlaces is the differences of vector memory, images and exports.
type memoryPlaces struct {
	ds, tbuffer bits.Range // opcodes
	gds         isa.Field
	buffer      []isa.Field // of MUBUF
	addr64      bool        // MUBUF and MTBUF have ADDR64 in bit 15
	image       []isa.Field
	exp         uint64 // how EXP is told
}

var (
	newerMemory = memoryPlaces{ds: bits.Span(17, 24), tbuffer: bits.Span(15, 18), gds: at("gds", 16, 16),
		buffer: []isa.Field{at("slc", 17, 17)}, image: []isa.Field{at("d16", 63, 63)}, exp: 0b110001}
	olderMemory = memoryPlaces{ds: bits.Span(18, 25), tbuffer: bits.Span(16, 18), gds: at("gds", 17, 17),
		buffer: []isa.Field{at("slc", 54, 54)}, addr64: true, exp: 0b111110}
)

// memoryLayouts are DS, MUBUF, MTBUF, MIMG and EXP.
func memoryLayouts(l *layouts, p memoryPlaces) {
	l[layDS] = enc("DS", 64, isa.Must(26, 31, 0b110110), p.ds, at("offset", 0, 15), at("offset0", 0, 7), at("offset1", 8, 15),
		p.gds, at("addr", 32, 39), at("data0", 40, 47), at("data1", 48, 55), at("vdst", 56, 63))
	buffer := []isa.Field{
		at("offset", 0, 11), at("offen", 12, 12), at("idxen", 13, 13), at("glc", 14, 14), at("vaddr", 32, 39), at("vdata", 40, 47),
		at("srsrc", 48, 52), at("tfe", 55, 55), at("soffset", 56, 63),
	}
	l[layMUBUF] = enc("MUBUF", 64, isa.Must(26, 31, 0b111000), bits.Span(18, 24), slices.Concat([]isa.Field{at("lds", 16, 16)}, p.buffer, buffer)...)
	l[layMTBUF] = enc("MTBUF", 64, isa.Must(26, 31, 0b111010), p.tbuffer,
		slices.Concat([]isa.Field{at("format", 19, 25), at("slc", 54, 54)}, buffer)...)
	if p.addr64 {
		l[layMUBUF], l[layMUBUF64] = addr64Layouts(l[layMUBUF])
		l[layMTBUF], l[layMTBUF64] = addr64Layouts(l[layMTBUF])
	}
	l[layMIMG] = enc("MIMG", 64, isa.Must(26, 31, 0b111100), bits.Span(18, 24), slices.Concat([]isa.Field{at("dmask", 8, 11), at("unorm", 12, 12),
		at("glc", 13, 13), at("da", 14, 14), at("r128", 15, 15), at("tfe", 16, 16), at("lwe", 17, 17), at("slc", 25, 25),
		at("vaddr", 32, 39), at("vdata", 40, 47), at("srsrc", 48, 52), at("ssamp", 53, 57)}, p.image)...)
	l[layEXP] = enc("EXP", 64, isa.Must(26, 31, p.exp), bits.Range{}, at("en", 0, 3), at("tgt", 4, 9), at("compr", 10, 10),
		at("done", 11, 11), at("vm", 12, 12), at("vsrc0", 32, 39), at("vsrc1", 40, 47), at("vsrc2", 48, 55), at("vsrc3", 56, 63))
	l[layEXP].Opcode = nil // it has none
}

var addr64Bit = bits.Span(15, 15)

// addr64Layouts returns a buffer layout without and with ADDR64, which has neither index nor offset in registers.
func addr64Layouts(e *isa.Encoding) (without, with *isa.Encoding) {
	of := func(v uint64) *isa.Encoding {
		x := *e
		x.Fixed = append([]isa.Fixed{{At: addr64Bit, Value: v}}, e.Fixed...)
		return &x
	}
	return of(0), of(1)
}

// placeOf returns the bits of the named field of a layout; nil: it has none.
func placeOf(e *isa.Encoding, name string) bits.Ranges {
	for i := range e.Fields {
		if e.Fields[i].Name == name {
			return e.Fields[i].At
		}
	}
	return nil
}

// sameLayout reports whether two generations place the fields of a layout in the same way.
func sameLayout(a, b *isa.Encoding) bool {
	literals := a.Literal == nil && b.Literal == nil
	if a.Literal != nil && b.Literal != nil {
		literals = a.Literal.At == b.Literal.At && a.Literal.Always == b.Literal.Always
	}
	return literals && a.Bits == b.Bits && a.First == b.First && slices.Equal(a.Fixed, b.Fixed) && slices.Equal(a.Opcode, b.Opcode) &&
		slices.EqualFunc(a.Fields, b.Fields, func(f, g isa.Field) bool { return f.Name == g.Name && slices.Equal(f.At, g.At) })
}
