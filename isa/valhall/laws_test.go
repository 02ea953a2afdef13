package valhall

import (
	"testing"

	"github.com/heddle-gpu/heddle/internal/laws"
	"github.com/heddle-gpu/heddle/ir"
)

// TestLaws checks the laws of every instruction set. A half or byte alone is another spelling of a selection: .h1 is
// .h10.
func TestLaws(t *testing.T) {
	rep := laws.Check(t, Set(), laws.Options{Names: []string{"MKVEC.v", ".h", ".b"}})
	t.Logf("%d words, %d rows with aliases, %d rows with lifts that trap", rep.Words, len(rep.Aliases), len(rep.Trapped))
}

// odd are edge cases: duplicate constants, an empty write mask, pages that no source uses, reserved values, register
// groups at the end.
var odd = [][]byte{
	{0xd5, 0x02, 0x00, 0x00, 0x00, 0xc0, 0xa4, 0x00}, // FADD.f32 r0, second zero, r2
	{0x01, 0x02, 0x00, 0x00, 0x00, 0x00, 0xa4, 0x00}, // write mask 0
	{0x01, 0x02, 0x00, 0x00, 0x00, 0xc0, 0xa4, 0x06}, // page 3 of registers
	{0xe2, 0x02, 0x00, 0x00, 0x00, 0xc0, 0xa4, 0x04}, // a reserved special value
	{0x00, 0x00, 0x00, 0x00, 0x00, 0xc0, 0x00, 0x58}, // flow 11
	{0x00, 0x00, 0x00, 0x00, 0x00, 0xc0, 0x00, 0x80}, // bit 63
	{0x7b, 0x0d, 0x00, 0x40, 0x0e, 0xbf, 0x5e, 0x08}, // staging registers beyond r63
	{0x82, 0x74, 0x4b, 0x5a, 0x6e, 0xb4, 0x3a, 0x15}, // lod_mode.lod_mode
	{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
	{0, 0, 0, 0, 0, 0, 0, 0},
}

// FuzzWord decodes, encodes, prints and parses any bytes.
func FuzzWord(f *testing.F) {
	laws.SeedWords(f, "valhall")
	for _, w := range odd {
		f.Add(w)
	}
	f.Fuzz(func(t *testing.T, code []byte) { laws.FuzzWord(t, Set().At(0, 0), code) })
}

// FuzzText checks that text that parses prints, and parses again to the same word.
func FuzzText(f *testing.F) {
	laws.SeedTexts(f, "valhall")
	for _, s := range []string{"FADD.v2f16.clamp_0_1.wait0 r2.h0, ^r4.neg.h11, u6.abs.h10", "LOAD.i8.b1.slot7.wait01 @r24:r25, `r40, offset:-28955",
		"TEX_GATHER.slot2.skip.f.16.rgb.cube.wide_indices.array_enable.gather4_r.shadow.return @r52:r53, @r2:r3, r40", "IADD.u32 r0, tls_ptr_hi, 0xFFFFFFFF.b0",
		"BRANCHZ.eq.reconverge 0x0, 8", "ICMP.u32.and.gt.m1 r1, r2, r3, r4", "ATOM1_RETURN.i32.slot0.ainc @, r2, offset:0x0", "SHADDX.u64 r0, u2, r60.w0, shift:0x2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { laws.FuzzText(t, Set().At(0, 0), text) })
}

// FuzzBytes lists any bytes and assembles them again.
func FuzzBytes(f *testing.F) {
	laws.SeedWords(f, "valhall")
	for _, w := range odd {
		f.Add(append([]byte{0, 0, 0, 0, 0, 0xc0, 0, 0}, w...))
	}
	f.Add([]byte{0, 0, 0, 0, 0, 0xc0, 0, 0x78, 1})
	f.Fuzz(func(t *testing.T, code []byte) {
		if len(code) < 1<<12 {
			laws.Bytes(t, Set().At(0, 0), code, 0)
		}
	})
}

// FuzzAssemble checks that any text assembles or gives an error with a position.
func FuzzAssemble(f *testing.F) {
	for _, s := range []string{"a: MOV.i32 r1, r2\nBRANCHZ.eq.reconverge 0x0, a", "# comment\nNOP.wait0 // another\nIADD_IMM.i32 r0, 0x0, #0x10", ".exact\nFADD.f32 r0, u0, u4\nNOP.end",
		".set n, 4\nLOAD.i32.slot0 @r0, r2, offset:n\nb: BRANCHZ r0, b + 8"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) { laws.FuzzFile(t, Set().At(0, 0), src) })
}

// TestCellNames checks that the name of a cell resolves to the cell.
func TestCellNames(t *testing.T) {
	named := 0
	for f := range machine.Files {
		for i := range machine.Files[f].Count {
			c := ir.Cell{File: uint8(f), Index: uint16(i)}
			name := cellName(c)
			if name == "" {
				continue
			}
			named++
			if got, err := cell(0, name); err != nil || len(got) != 1 || got[0] != c {
				t.Errorf("%v is %s, which is %v, %v", c, name, got, err)
			}
		}
	}
	if named != NumR+NumU+2*20+1 { // special values of two words, and the helper lanes
		t.Errorf("%d cells have names", named)
	}
	for _, bad := range []string{"", "r64", "u256", "r01", "r-1", "lane_id.w2", "special", "r1r3", "r63r64"} {
		if got, err := cell(0, bad); err == nil {
			t.Errorf("%q is %v", bad, got)
		}
	}
	if cs, err := cell(0, "r4r5"); err != nil || len(cs) != 2 {
		t.Error(cs, err)
	}
}
