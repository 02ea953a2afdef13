package sets_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
)

// TestPatterns: a text that differs from others in numbers alone reads as it does by itself, or is refused as it is
// by itself: with numbers at and beyond the ends of their fields, written in each way, of registers that are the same
// or not. One scan reads all, with the rules of the sets or without them: texts of each row.
func TestPatterns(t *testing.T) {
	var scan isa.Scan
	r := rand.New(rand.NewPCG(5, 6))
	for _, s := range sets.Sets() {
		if s.Group != nil {
			continue
		}
		read, n := 0, 1200
		for i := range n {
			text, tg := textOfRow(s, &s.Defs[i*len(s.Defs)/n], r)
			if tg == nil {
				continue
			}
			scan.Target, scan.Rules, scan.Long = tg, r.IntN(4) == 0, r.IntN(8) == 0
			for i := range 16 {
				if sameAlone(t, &scan, renumbered(r, text, i > 8)) {
					read++
				}
			}
		}
		if read < 2*n {
			t.Errorf("%s: only %d texts are read", s.Name, read)
		}
	}
}

// TestPatternsOfLines is TestPatterns for lines as programs have them: of several rows, which numbers tell apart.
func TestPatternsOfLines(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, s := range sets.Sets() {
		var scan isa.Scan
		read, lines := 0, linesOf[s.Name]
		for range 10 * len(lines) {
			line := lines[r.IntN(len(lines))]
			scan.Target, scan.Long = s.At(r.IntN(len(s.Variants)), r.IntN(max(1, len(s.Stages)))), r.IntN(8) == 0
			scan.Rules = r.IntN(2) == 0
			for i := range 40 {
				if sameAlone(t, &scan, renumbered(r, line, i > 20)) {
					read++
				}
			}
		}
		if lines != nil && read < 1000 {
			t.Errorf("%s: only %d texts are read", s.Name, read)
		}
	}
}

var linesOf = map[string][]string{
	"tesla": {
		"mov b32 $r1 $r2", "mov b32 $r1 0x3f800000", "(e $c0) mov b32 $r63 $r64", "add b32 $r1 $r2 0x4", "shl b32 $r1 $r1 0x1f", "mul $r1 u16 $r2h u16 0x18",
		"add $r1 (mul u16 $r2l $r3h) $r1", "add f32 $r1 (mul $r2 $r1) $r3", "add $c1 # (mul u16 $r2l $r1l) $r5", "add f32 $r1 (mul $r2 c0[0x10]) $r1",
		"add $r1 (mul u16 $r2h 0xf00) $r1", "ld b32 $r1 g0[$r2]", "exit st b32 g1[$r2] $r1", "ld b32 $r1 l[$a1+0x10]", "st b32 l[0x8] $r3", "cvt u32 $r1 u16 u16 s[0xc]",
		"add b32 $r1 b32 s[0x10] $r2", "add b32 $r1 b32 s[$a1++0x4] $r2", "add b32 $r1 $r2 c1[$a1++0x3c]", "mov b32 o[0x8] a[0x4]", "interp $r1 v[0x4] $r2", "shl $a1 $r1 0x2",
		"add f32 o[0x4] (mul a[0x8] c0[0x30]) $r1", "add f32 $r1 p[0x4] $r2", "add f32 $r1 (mul p[0x4] c1[0x10]) c1[0x8]", "bra 0x40", "mov b32 $r1 s[0x10]", "mov b32 $r1 c2[0x100]",
		"ld $r1 b32 c1[$a1+0x8]", "tex $r1:$r2:#:# $t1 $s1 $r1:$r2", "shr s32 $r1 $r2 $r3", "mul rn f32 $r1 a[0x4] c0[0x8]", "add b32 $r1h $r2l 0x4",
	},
	"valhall": {"FADD.f32 r1, r2, ^r3", "IADD_IMM.i32 r1, r2, #0x4", "FMA.f32 r0, r1, r2, r3", "IADD.u32 r1, u2, r3", "IADD.u32 r1, u0, u2",
		"STORE.i64.slot0 @r2:r3, r4, offset:0x8", "STORE.i32.slot0 @r2, r4, offset:0x8"},
}

// textOfRow is the text of a word of a row whose fields mostly hold small values, and a target that has it; nil:
// there is none.
func textOfRow(s *isa.Set, d *isa.Def, r *rand.Rand) (string, *isa.Target) {
	for range 8 {
		tg := s.At(r.IntN(len(s.Variants)), r.IntN(max(1, len(s.Stages))))
		if !d.InVariant(tg.Variant) || !d.InStage(tg.Stage) {
			continue
		}
		w := d.Mask()
		few := func() uint64 { return r.Uint64() & r.Uint64() & r.Uint64() }
		w.Lo, w.Hi = few()&^w.Lo|d.Value().Lo, few()&^w.Hi|d.Value().Hi
		var in isa.Inst
		if tg.Decode(w.Append(nil, s.Longest), 0, &in) == nil {
			return in.String(), tg
		}
	}
	return "", nil
}

// sameAlone compares what a scan, which has read other lines, reads with what one does that has read none. It tells
// whether the text is one of an instruction.
func sameAlone(t *testing.T, scan *isa.Scan, text string) bool {
	t.Helper()
	var got, want isa.Bundle
	alone := isa.Scan{Target: scan.Target, Rules: scan.Rules, Long: scan.Long}
	scan.Reset(text, 0x40)
	alone.Reset(text, 0x40)
	gotErr, wantErr := scan.ParseBundle(&got), alone.ParseBundle(&want)
	if (gotErr == nil) != (wantErr == nil) || gotErr != nil && gotErr.(*isa.Error).Detail() != wantErr.(*isa.Error).Detail() ||
		gotErr == nil && (got.Parts[0] != want.Parts[0] || scan.Pos != alone.Pos || scan.Open != alone.Open) {
		t.Errorf("%s: %q: %v, %v; alone %v, %v", scan.Target, text, got.Parts, gotErr, want.Parts, wantErr)
	}
	return wantErr == nil
}

// number is a number or a register in a text; what it ends with is the number.
var number = regexp.MustCompile(`(?:^|[^.\w$])(?:[$^]+[a-z]|[rv])?(0x[0-9a-fA-F]+\b|[0-9]+)`)

// renumbered is the text with some of its numbers exchanged, by any if it may be wild, else by such as mostly fit.
func renumbered(r *rand.Rand, text string, wild bool) string {
	var out strings.Builder
	last, from := "1", 0
	for _, at := range number.FindAllStringSubmatchIndex(text, -1) {
		was := text[at[2]:at[3]]
		hex := strings.HasPrefix(was, "0x")
		switch {
		case r.IntN(3) == 0:
		case r.IntN(4) == 0 && !hex:
			was = last
		default:
			was = someNumber(r, hex || wild && r.IntN(60) == 0, wild)
		}
		if !hex {
			last = was
		}
		out.WriteString(text[from:at[2]] + was)
		from = at[3]
	}
	return out.String() + text[from:]
}

// someNumber is a number, mostly a small one, which may be written in another way than as a decimal one.
func someNumber(r *rand.Rand, hex, wild bool) string {
	v := uint64(r.IntN(12))
	if !wild {
		if hex {
			return fmt.Sprintf("0x%x", 4*v)
		}
		return fmt.Sprint(v)
	}
	switch r.IntN(8) {
	case 0:
		v = uint64(1)<<r.IntN(34) - uint64(r.IntN(3))
	case 1:
		v = r.Uint64() >> (r.IntN(64))
	case 2, 3:
		v *= 4
	case 4:
		v = uint64(r.IntN(130))
	}
	form := "%d"
	if hex {
		form = [...]string{"0x%x", "0x%x", "0x%x", "0x%x", "0x%x", "0x%x", "0x%X", "0x%04x", "%d", "-0x%x"}[r.IntN(10)]
	}
	return fmt.Sprintf(form, v)
}
