package rogue

import (
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/internal/laws"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// TestLaws checks the laws of every instruction set in all dialects. The dialect of the reference assigns registers to
// sources again for each operand, and allocates.
func TestLaws(t *testing.T) {
	rep := laws.Check(t, Set(), laws.Options{Words: 96, Loose: []int{Seed}, Names: []string{"s", "is", "w"}})
	if rep.Words < 10000 {
		t.Errorf("%d words", rep.Words)
	}
}

// odd are edge cases: headers that end early, all phases, a group of 32 bytes, padding of each length, maps that are
// longer than needed, bytes that no row has.
var odd = [][]byte{
	{0x24, 0x02, 0x40, 0xc1, 0xa2, 0x00, 0x00, 0x43},
	{0x24, 0x02, 0x40},
	{0x20, 0x02, 0x40, 0xc1, 0xa2, 0x00, 0x00, 0x43},
	{0x02, 0x80, 0x6a, 0xff},
	{0x04, 0x80, 0xee, 0x00, 0xf2, 0xff, 0xff, 0xff},
	{0x05, 0x80, 0x60, 0x04, 0xe8, 0xff, 0xff, 0xff, 0xf1, 0xff},
	{0x58, 0x9a, 0x80, 0xd3, 0x3f, 0x80, 0x08, 0x00, 0x00, 0x00, 0x20, 0xff, 0xf2, 0xff, 0xff, 0xff},
	{0x89, 0x52, 0xdf, 0x3c, 0xfc, 0xa0, 0x9c, 0x1e, 0x87, 0x87, 0x80, 0xcf, 0x90, 0x11, 0x01, 0xa0, 0x25, 0xff},
	{0x68, 0x92, 0x40, 0x92, 0x22, 0x61, 0x00, 0x00, 0xc9, 0x01, 0xf3, 0xff, 0xff, 0xff, 0xff, 0xff},
	{0x38, 0x83, 0x01, 0xb6, 0x88, 0x0d, 0xc6, 0x7a, 0x84, 0x10, 0x42, 0x9c, 0x01, 0x00, 0x00, 0x50},
	{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
	{0, 0, 0, 0},
}

// oddText are groups in each dialect, and texts that are almost groups.
var oddText = []string{
	"{ s0 = r1, s1 = r2, s2 = r3, is4 = ft0 p0: fmad.sat ft0, s0.neg, s1, s2; w0 = r4 }.end",
	"if(p0) { repeat 4 , s0 = r6..9, is0 = s0, is3 = fte, is4 = ft2 p2_pck: pck.scale.u8888 ft2, is3; w0 = po0 }.olchk.atom.end.form(header=main).pad(6)",
	"{ s0 = r1[idx0], s3 = sh7, is0 = s3, is1 = ft0, is2 = fte, is4 = ft1 p0: mbyp ft0, s0; p2_tst: tst.f32.l.phase2end ftt, p0, is1, is2; w0 = r4 }",
	"(rpt4) { main p2pck: (rpt4) pck.u8888.roundzero ft2, is3; s0=r[193..196] is0=s0, is3=fte, is4/w0=ft2 w0=r15 }",
	"any(pe) { main backend: st.slcnoalloc s3, 0, drc1, 4, s0, _; s0=sh[104..105], s3=r[85..88] }.noolchk",
	"{ bitwise p0bm: byp ft0, ft1, s0, 24866; w0=r73 }",
	"{ s2 = r1, s3 = sc143, s4 = sc6 p0: byp ft0, ft1, s0, 0xc0; p0: lsl ft2, s2, s1; p0: cbs ft3, s2; p1: and ft4, ft1, ft2, _, s3; p2: shr ft5, ft4, s4; p2: tz p0, ft5; w0 = r4 }",
	"{ ctrl: br.allinst -24; }", "{ ctrl: nop.end; }", "{ ctrl: mutex.lock 4; }", "{ }", "{ p0: ", "if(p0) (rpt9) {", "{ s0 = r1 }.form(", "{ w0 = r4[idx2] p0: mbyp ft0, s0 }",
	"fmad r0, r1, r2, r3", "mov ft0, sh4\nmov ft0.e0.e1.e2.e3, ft0\nmov r0, ft0",
}

// styles calls f with the target of each dialect.
func styles(t testing.TB, f func(tg *isa.Target)) {
	for d := range dialects {
		f(target(t, d))
	}
}

// FuzzWord decodes, encodes, prints and parses any bytes in all dialects.
func FuzzWord(f *testing.F) {
	laws.SeedWords(f, "rogue")
	for _, w := range odd {
		f.Add(w)
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		styles(t, func(tg *isa.Target) { laws.FuzzWord(t, tg, code) })
	})
}

// FuzzText checks that text that parses prints, and parses again to the same group.
func FuzzText(f *testing.F) {
	laws.SeedTexts(f, "rogue")
	for _, s := range oddText {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		styles(t, func(tg *isa.Target) { laws.FuzzText(t, tg, text) })
	})
}

// FuzzBytes lists any bytes and assembles them again.
func FuzzBytes(f *testing.F) {
	laws.SeedWords(f, "rogue")
	for _, w := range odd {
		f.Add(append([]byte{0x02, 0x80, 0x6a, 0xff}, w...))
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		if len(code) < 1<<11 {
			styles(t, func(tg *isa.Target) { laws.Bytes(t, tg, code, 0) })
		}
	})
}

// FuzzAssemble checks that any text assembles or gives an error with a position.
func FuzzAssemble(f *testing.F) {
	for _, s := range oddText {
		f.Add(s)
	}
	for _, s := range []string{"a: { ctrl: wdf drc0; }\nif(p0) { ctrl: br a; }\n{ ctrl: nop.end; }", "/* comment */ { ctrl: wop; } // another", ".align 8\n{ ctrl: nop.end; }",
		".set n, 4\n{ s0 = r0..1, s3 = r4 backend: ld s3, drc0, n, s0; }"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		styles(t, func(tg *isa.Target) { laws.FuzzFile(t, tg, src) })
	})
}

// TestAnyBytes checks that random bytes, and groups truncated or with one bit flipped, decode to an instruction that
// encodes to them, or give an error. Nothing panics.
func TestAnyBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(24, 1))
	var b isa.Bundle
	decoded := 0
	styles(t, func(tg *isa.Target) {
		try := func(code []byte) {
			if tg.DecodeBundle(code, 0, &b) != nil {
				return
			}
			decoded++
			out, err := b.Encode(nil)
			if err != nil || string(out) != string(code[:b.Size()]) {
				t.Errorf("%x encodes again to %x, %v", code, out, err)
			}
			_ = tg.Print(nil, &b)
		}
		for range 4000 {
			code := make([]byte, rng.IntN(40))
			for i := range code {
				code[i] = byte(rng.Uint32())
			}
			try(code)
		}
		for _, w := range odd {
			for n := range w {
				try(w[:n])
			}
			for i := range 8 * len(w) {
				c := append([]byte(nil), w...)
				c[i/8] ^= 1 << (i % 8)
				try(c)
			}
		}
	})
	if decoded < 200 {
		t.Errorf("%d decode", decoded)
	}
}

// TestCellNames checks that the name of a cell resolves to the cell.
func TestCellNames(t *testing.T) {
	for f := range machine.Files {
		for i := range machine.Files[f].Count {
			c := ir.Cell{File: uint8(f), Index: uint16(i)}
			if got, err := cell(0, cellName(c)); err != nil || len(got) != 1 || got[0] != c {
				t.Errorf("%v is %s, which is %v, %v", c, cellName(c), got, err)
			}
		}
	}
	for _, bad := range []string{"", "r", "r248", "r01", "r-1", "x3", "pe0", "p1", "sh4096", "r1r2"} {
		if got, err := cell(0, bad); err == nil {
			t.Errorf("%q is %v", bad, got)
		}
	}
}
