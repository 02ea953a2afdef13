package gcn

import (
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// VINTRP: interpolation of vertex attributes, and its forms among the opcodes of VOP3. docs/reference/gcn.md 1 and 7.5.
// Words of signatures: v is the coordinate in a vector register, p is one of the constants p10, p20 and p0, attr is the
// attribute and its component, d is P0 or the destination of the step before. Behind the bar, modifiers.

var vintrpRows = []memRow{
	// gfx6 gfx7 gfx8 mnemonic signature meaning doc
	{0x00, 0x00, 0x00, "v_interp_p1_f32", "= v", nil, "P10 * a + P0 of the attribute."},
	{0x01, 0x01, 0x01, "v_interp_p2_f32", "d = v", nil, "P20 of the attribute * a + d, d the destination before."},
	{0x02, 0x02, 0x02, "v_interp_mov_f32", "= p", nil, "P10, P20 or P0 of the attribute."},
}

var vop3Interp = []memRow{
	// gfx6 gfx7 gfx8 mnemonic signature meaning doc
	{_____, _____, 0x270, "v_interp_p1_f32", "= v attr | clamp omod", nil, "P10 * a + P0 of the attribute."},
	{_____, _____, 0x271, "v_interp_p2_f32", "d = v attr | clamp omod", nil, "P20 of the attribute * a + d, d the destination before."},
	{_____, _____, 0x272, "v_interp_mov_f32", "= p attr | clamp omod", nil, "P10, P20 or P0 of the attribute."},
	{_____, _____, 0x274, "v_interp_p1ll_f16", "= v attr | high clamp omod", nil, "P10 * a + P0 of the attribute, whose values are halves of words."},
	{_____, _____, 0x275, "v_interp_p1lv_f16", "= v attr d | high clamp omod", nil, "P10 * a + d, d a P0 read before, values halves of words."},
	{_____, _____, 0x276, "v_interp_p2_f16", "= v attr d | high clamp", nil, "P20 of the attribute * a + d, values halves of words."},
}

var (
	// vintrpVI is the layout of gfx8; gfx6 and gfx7 differ in the bits that identify it.
	vintrpVI = &isa.Encoding{Name: "VINTRP", Bits: 32, Fixed: []isa.Fixed{isa.Must(26, 31, 0b110101)}, Opcode: bits.Ranges{bits.Span(16, 17)},
		Fields: []isa.Field{
			isa.Bits("vsrc", 0, 7, nil), isa.Bits("attr", 8, 15, attribute), isa.Bits("vdst", 18, 25, vregs[1]),
		}, Source: "docs/reference/gcn.md 1.1"}

	// vop3InterpVI is VOP3 with the attribute in place of source 0, and source 1 the coordinate.
	vop3InterpVI = &isa.Encoding{Name: "VOP3", Bits: 64, Fixed: vop3VI.Fixed, Opcode: vop3VI.Opcode,
		Fields: []isa.Field{
			isa.Bits("vdst", 0, 7, vregs[1]), isa.Bits("clamp", 15, 15, flag("clamp")),
			{Name: "attr", At: bits.Ranges{bits.Span(38, 39), bits.Span(32, 37)}, Kind: attribute}, isa.Bits("high", 40, 40, flag("high")),
			isa.Bits("src1", 41, 49, nil), isa.Bits("src2", 50, 58, nil), isa.Bits("omod", 59, 60, omods),
		}, Source: "docs/reference/gcn.md 1.1"}

	interpSrc  = source("a VGPR", f32, takesVGPR)
	paramVSRC  = params(8)
	paramSrc9  = params(9)
	attrLetter = [4]byte{'x', 'y', 'z', 'w'}
)

// attribute is attrN.c, the number in six bits above the component.
var attribute = func() *isa.Kind {
	k := &isa.Kind{Name: "an attribute", Table: make([]string, 256), Samples: []uint64{0, 1, 6, 11, 128, 255}}
	for v := range k.Table {
		k.Table[v] = "attr" + strconv.Itoa(v>>2) + "." + string(attrLetter[v&3])
	}
	k.Parse = func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		at := s.Pos
		if !acceptMod(s, "attr") {
			return 0, s.Expect("an attribute such as attr0.x")
		}
		n, ok := s.Uint()
		if ok && n <= 63 && s.Byte('.') {
			for c, letter := range attrLetter {
				if s.Byte(letter) {
					return n<<2 | uint64(c), true
				}
			}
		}
		s.Pos = at
		return 0, s.Expect("an attribute, attr0.x to attr63.w,")
	}
	return k
}()

// params are the constants of an attribute in a field of n bits.
func params(n int) *isa.Kind {
	k := &isa.Kind{Name: "p10, p20 or p0", Table: make([]string, 1<<n), Reserved: make([]bool, 1<<n), Samples: []uint64{0, 1, 2}}
	copy(k.Table, []string{"p10", "p20", "p0"})
	for v, t := range k.Table {
		k.Reserved[v] = t == ""
	}
	k.Parse = func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		for v, t := range k.Table[:3] {
			if s.Accept(t) {
				return uint64(v), true
			}
		}
		return 0, s.Expect(k.Name)
	}
	return k
}

// vintrpForms is the short form of a row.
func vintrpForms(r *memRow) []isa.Def {
	dst, src, _ := r.parts()
	vdst := isa.Arg{Name: "vdst", Role: isa.Define, Width: 32}
	if len(dst) > 0 {
		vdst.Role = isa.UseDef
	}
	vsrc := vgprArg("vsrc", 1, isa.Use)
	if src[0] == "p" {
		vsrc = isa.Arg{Name: "vsrc", Kind: paramVSRC}
	}
	return []isa.Def{{Name: r.name + "_e32", Also: []string{r.name}, Enc: vintrpVI, Args: []isa.Arg{vdst, vsrc, {Name: "attr"}}}}
}

// vop3InterpForms is the form of a row among those of VOP3. The coordinate takes abs and neg.
func vop3InterpForms(r *memRow) []isa.Def {
	dst, src, more := r.parts()
	vdst := isa.Arg{Name: "vdst", Role: isa.Define, Width: 32}
	if len(dst) > 0 {
		vdst.Role = isa.UseDef
	}
	args := []isa.Arg{vdst}
	for _, t := range src {
		switch t {
		case "v":
			args = append(args, isa.Arg{Name: "src1", Kind: interpSrc, Role: isa.Use, Width: 32, Parts: vop3Parts(1, true)})
		case "d":
			args = append(args, isa.Arg{Name: "src2", Kind: interpSrc, Role: isa.Use, Width: 32, Parts: vop3Parts(2, true)})
		case "p":
			args = append(args, isa.Arg{Name: "src1", Kind: paramSrc9})
		case "attr":
			args = append(args, isa.Arg{Name: "attr"})
		}
	}
	d := isa.Def{Enc: vop3InterpVI, Args: append(args, modArgs(strings.Fields(more)...)...)}
	if r.op8 <= 0x272 { // the others have no short form
		d.Name, d.Also, d.Rank = r.name+"_e64", []string{r.name}, 1
	}
	return []isa.Def{d}
}
