package rogue

import (
	"encoding/hex"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// toolGroups are groups as compilers print and encode them, by dialect, followed by what the bytes have and the text
// lacks.
var toolGroups = map[int][][2]string{
	PCO: {
		{"{ repeat 2 , s1 = sc64..65, s4 = po3..4 p0: bbyp0bm ft0, ft1, s0, s1; p2: shift.rol ft5, ft4, s4, ft0; w0 = r127..128 }.olchk.end.form(ph0).pad(2)", "58dac2020280c00280c301ff01fff1ff"},
		{"{ s2 = sl7, is0 = s2, is4 = fte backend: setl w0; }.form(header=main).pad(4)", "48a000608040a024100030fff2ffffff"},
		{"{ p0: bbyp0bm_imm32 ft0, ft1, s0, 1362491936u; w0 = cf3 }.form(ph0).pad(4)", "8892401320fa35510000c304f2ffffff"},
		{"{ repeat 4 , s0 = sc31, s1 = sc0, s2 = vi174..177, s3 = r1..4 p0: msk_bbyp0s1 ft0, ft1, ft2, s0, s1, s2; p1: logical.or ft4, ft1, ft2, ~ft1, s3; w0 = cf203..206 }.end.form(ph0).pad(2)", "58b2c668039f4080ae4041cb07fff1ff"},
		{"{ s0 = r5, is0 = s0, is4 = fte backend: depthf drc0, w0; }.form(header=main, lower=1lo_3b11i_2m).pad(6)", "48a00080c500000030fff3ffffffffff"},
		{"{ s0 = sc143..144, s3 = po6 backend: st.lazywriteback s0, 2u, drc1, 1u, s3, _; }.olchk.end.pad(2)", "68a880fa66088f0200a6020000fff1ff"},
		{"{ s0 = r98..149, s2 = r98..101, s3 = r127..139 backend: fitrp.pixel s3, drc0, s0, s2, 13u; }.form(header=main).pad(2)", "58a000b00de240846220ff010000f1ff"},
		{"{ s0 = r4, s1 = r16, s2 = sr45 backend: alphatst p0, drc0, s0, s1, s2; }.form(header=main).pad(6)", "48a00087c470002d0000f3ffffffffff"},
		{"{ repeat 4 , s2 = r194..197, s3 = r36..39 p0: bbyp0s1 ft2, ft3, s2; p1: logical.or ft4, ft1, ft2, _, s3; w0 = po4..7 }.olchk.form(ph0).pad(2)", "58ba464802804080426064a402fff1ff"},
		{"{ s2 = po4[idx0] p0: ftb ft3, s2; w1 = i6 }.end.form(ph0, lower=3lo_3b11i_2b8i_3b11i_3m).pad(4)", "4894c020804080a78400002af2ffffff"},
		{"{ ctrl: mutex.lock 8u; }.pad(4)", "04806cc8f2ffffff"},
		{"{ s0 = r16..18, s3 = sh564 backend: atomic.umin s3, drc1, s0; }.form(header=main).pad(4)", "68a000ed400350b4080200fff2ffffff"},
		{"{ ctrl: ditrp.sample.schedswap r197..210, drc0, cf4..7, cf80..83, 14u; }", "048078c50551e004"},
		{"if(!p0) { s2 = r107 p0: cbs ft3, s2; w1 = r229 }.form(ph0).pad(4)", "489541008040806b2000e503f2ffffff"},
		{"{ backend: savmsk.vm w0, w1; w0 = vi191, w1 = r10 }.form(header=main).pad(6)", "48a600200000003fca03f3ffffffffff"},
		{"(ignorepe) { ctrl: savl w0; w0 = i1 }.pad(4)", "34826525f2ffffff"},
		{"{ repeat 4 , s0 = r192..195, s3 = r229..232, is0 = s3, is3 = ft0, is4 = ft2 p0: mbyp ft0, s0; p2_pck: pck.prog ft2, is3, fte; w0 = r175 }", "58c2069c8087c01300e5030020ef02ff"},
		{"{ s1 = sc1, s4 = r23 p0: bbyp0bm ft0, ft1, s0, s1; p2: shift.asr_ftb ft5, ft4, s4, _; w0 = r52 }.form(ph0).pad(6)", "58d2400702808180b774f3ffffffffff"},
		{"{ repeat 4 , s0 = sh32..35, is0 = s0, is4 = fte backend: uvsw.write w0, 73u; }.pad(6)", "58a0060849a008000030f3ffffffffff"},
		{"{ repeat 2 , s0 = sl0..1, s1 = vi57..58, s2 = vi239..240, s3 = vi51..52, is0 = s3, is4 = ft0, is5 = fte p0: imadd64 ft0, fte, s0, s1.neg, s2, is0, _; w1 = r144..145 }", "388402f320ab59a9af60b30400c0d002"},
		{"{ s0 = i2, s2 = sr45, s3 = sc0 ctrl: cndsm.if(0) pe, w0, s0, s2; w0 = po1 }.pad(6)", "48826612a640002d0021f3ffffffffff"},
		{"{ ctrl: ditr.centroid r171..180, drc0, cf156..159, 10u; }", "048078ab9c02a000"},
		{"{ s0 = i1..2, s1 = r120, s3 = r219..220 backend: ld.regbl s3, drc1, s1, s0; }.form(header=main).pad(4)", "58a000e904a5f803db030000f2ffffff"},
		{"if(!p0) { s0 = sh2, s1 = sr97, s2 = r127, is4 = ft0, is5 = fte p0: add64_32.s ft0, fte, s0.abs.neg, s1, s2, _; w0 = sr97, w1 = r4 }.end.pad(2)", "388781f8148241837f2800c06144f1ff"},
		{"{ repeat 4 , s0 = sl2..5, s3 = r19..22 p0: fred.cos.a w0, w1, _, s0, s3, 6u; w0 = sh15..18, w1 = cf37..40 }.pad(4)", "3886069d682953000fe524fff2ffffff"},
		{"{ s0 = sh2047, s3 = sc0 ctrl: cndlt.if(0) pe, w0, p0, s0, 0u; w0 = r27 }.pad(6)", "48826613bf0b07005bfff3ffffffffff"},
		{"{ s0 = i0..3, s1 = r154..155, s2 = cf46..49, s4 = r24..25 backend: smp.2d s4, drc0, s0, s1, s2, s3, 2u; }.form(header=main, backend=smp_extab)", "78a000e4d40000a47a80ee0180b800ff"},
		{"{ s0 = po1..2, s3 = vi18, s4 = r2 backend: st.tiled.lazywriteback s0, 0u, drc1, 8u, s3, s4; }.olchk.form(header=main).pad(4)", "78a800fa6281042192e21000f2ffffff"},
		{"if(p0) { s0 = vi48, s1 = r0, s2 = r195 backend: alphaf p0, drc0, s0, s1, s2; }.form(header=main).pad(4)", "48a10086b0609043600000fff2ffffff"},
	},
	Mesa24: {
		{"{ main p2pck: pck.u8888.scale ft2, is3; p2tst: tst.z.f32 ftt, p0, is1.e0, is2.e0; s0=r106 is0=s0, is1=ft0, is2=ft1, is4/w0=ft1, is5/w1=fte }", "5510e19c20ea010000d0"},
		{"if(p0) (rpt4) { main p2tst: tst.gez.s16 ftt, _, is1.e2, is2.e2; p2mov: movc w0.e0.e1.e2.e3, w1, ftt, fte, fte; s0=r45, s3=sr39 is0=s0, is1=fte, is2=fte, is3=ft1 w0=r56 }.end.pad(6)", "689386cff4586d270778f3ffffffffff"},
		{"any(pe) { main p2pck: pck.u8888.scale ft2, is3; s0=sh[474] is0=s0, is3=fte, is4/w0=ft2 w0=sr33 }.pad(4)", "589a019c209a0b01002c21fff2ffffff"},
		{"{ main backend: st s3, 0, drc1, 4, s0, s3; s0=r[197..198], s3=r[38..41] }.pad(4)", "6820fa10b023c503006600fff2ffffff"},
		{"any(pe) { main backend: st s2, 0, drc1, 16, s0, s5; s0=sh220, s1=r7, s2=r51, s3=cf4, s4=vi7, s5=r204 is0=s4, is5/w1=ft0 w0=sr34, w1=sh32 }.pad(2)", "7cae01fa00a0259c67c4730ac447984c600022a040fff1ff"},
	},
}

// TestToolGroups checks that compilers' text assembles to their encoding, and that the encoding prints and assembles
// again.
func TestToolGroups(t *testing.T) {
	for dialect, list := range toolGroups {
		tg := target(t, dialect)
		var b isa.Bundle
		for _, x := range list {
			if err := tg.Parse(x[0], 0, &b); err != nil {
				t.Errorf("%s: %v", x[0], err)
				continue
			}
			code, err := b.Encode(nil)
			if got := hex.EncodeToString(code); err != nil || got != x[1] {
				t.Errorf("%s assembles to %s, %v, want %s", x[0], got, err, x[1])
				continue
			}
			if err := tg.DecodeBundle(code, 0, &b); err != nil {
				t.Errorf("%s: %v", x[1], err)
				continue
			}
			text := string(tg.Print(nil, &b))
			if err := tg.Parse(text, 0, &b); err != nil {
				t.Errorf("%s prints as %s: %v", x[1], text, err)
				continue
			}
			if code, err = b.Encode(code[:0]); err != nil || hex.EncodeToString(code) != x[1] {
				t.Errorf("%s prints as %s, which assembles to %x, %v", x[1], text, code, err)
			}
		}
	}
}

// TestSaveLink checks that a group with a result and no sources decodes with and without source maps, and that each
// form assembles again.
func TestSaveLink(t *testing.T) {
	tg := target(t, PCO)
	var b isa.Bundle
	for code, want := range map[string]string{
		"338264000028": "{ ctrl: savl w0; w0 = i4 }.form(lower=1lo_1b6i, upper=1up_1b6i)", "32826428": "{ ctrl: savl w0; w0 = i4 }",
		"34826470f2ffffff": "{ ctrl: savl w0; w0 = r48 }.pad(4)", "3382640000a401ff": "", "338264a401ff": "{ ctrl: savl w0; w0 = sr100 }",
		"34826400000028ff": "", "3482640000a401ff": "{ ctrl: savl w0; w0 = sr100 }.form(lower=1lo_1b6i, upper=1up_1b6i)",
	} {
		bytes, err := hex.DecodeString(code)
		if err == nil {
			err = tg.DecodeBundle(bytes, 0, &b)
		}
		if want == "" {
			if err == nil {
				t.Errorf("%s decodes as %s", code, tg.Print(nil, &b))
			}
			continue
		}
		if err != nil || string(tg.Print(nil, &b)) != want {
			t.Errorf("%s decodes as %s, %v, want %s", code, tg.Print(nil, &b), err, want)
			continue
		}
		if err = tg.Parse(want, 0, &b); err == nil {
			bytes, err = b.Encode(nil)
		}
		if err != nil || hex.EncodeToString(bytes) != code {
			t.Errorf("%s assembles to %x, %v, want %s", want, bytes, err, code)
		}
	}
}
