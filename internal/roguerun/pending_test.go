package roguerun

import (
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue"
)

// TestPending: the result of an operation is pending on its data fence until the fence is waited for.
func TestPending(t *testing.T) {
	set := rogue.Set()
	for text, want := range map[string]string{
		"{ s0 = r0, s3 = r20 backend: ld s3, drc1, 3, s0; }":                      "drc1 r20 3",
		"{ s0 = r0, s3 = sh20 backend: ld s3, drc0, 16, s0; }":                    "drc0 sh20 16",
		"{ s0 = r0, s3 = r20[idx1] backend: ld s3, drc0, 2, s0; }":                "drc0",
		"{ s0 = r0, s3 = r20, s4 = r8 backend: ld.regbl s3, drc0, s4, s0; }":      "drc0 r20 1",
		"{ repeat 2, s0 = r0, s3 = r20 backend: ld s3, drc0, 1, s0; }":            "drc0 r20 1, drc0 r21 1",
		"{ s0 = r0, s1 = r9 backend: st s1, 2, drc1, 4, s0, _; }":                 "drc1",
		"{ s0 = r0, s3 = r20 backend: atomic.add s3, drc1, s0; }":                 "drc1 r20 1",
		"{ s0 = r0 backend: idf drc1, s0; }":                                      "drc1",
		"{ ctrl: wdf drc0; }":                                                     "wait drc0",
		"{ s0 = cf0, s3 = r20 backend: fitr.pixel s3, drc0, s0, 4; }":             "drc0 r20 4",
		"{ ctrl: ditr.f16.pixel r7, drc1, cf0, 5; }":                              "drc1 r7 3",
		"{ ctrl: ditr.pixel.schedwdf r7, drc1, cf0, 5; }":                         "drc1 r7 5, wait drc1",
		"{ s0 = r0, s1 = r1, s2 = r2 backend: atst.ifb p0, s0, s1, s2; }":         "drc0",
		"{ s0 = r0, is0 = s0, is4 = fte backend: depthf w0; }":                    "drc0",
		"{ s0 = r0, s1 = r1, is4 = ft0 p0: fadd ft0, s0, s1; w0 = r2 }":           "",
		"if(p0) { s0 = r0, s3 = r20 backend: ld s3, drc1, 3, s0; }":               "drc1 r20 3",
		"{ s0 = r0, s1 = r9, s4 = r8 backend: st.regbl s1, 1, drc0, s4, s0, _; }": "drc0",
	} {
		var b isa.Bundle
		target := set.At(0, 0)
		if err := target.Parse(text, 0, &b); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for i := range b.Parts {
			noted.Note(b.Parts[i].Def)
		}
		block := target.LiftOne(&b, 0)
		if err := ir.Verify(rogue.Machine(), block); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var got []string
		for i := range block.Ops {
			in := &block.Ops[i]
			queue := fmt.Sprintf("drc%d", in.Imm)
			switch in.Op {
			case ir.Issue:
				writes, reads := block.Touched(in)
				if len(reads) > 0 {
					t.Errorf("%s: %v are kept", text, reads)
				}
				for _, s := range writes {
					queue += fmt.Sprintf(" %s %d", set.CellName(s.Cell), s.Count)
				}
				got = append(got, queue)
			case ir.Wait:
				got = append(got, "wait "+queue)
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
