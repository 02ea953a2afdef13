package valhall

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// bothWays parses a line by the fast path, and by all rows and parsers.
func bothWays(t *testing.T, scan *isa.Scan, text string) (in isa.Inst, ok bool) {
	t.Helper()
	var got, want isa.Bundle
	every := isa.Scan{Target: scan.Target, Every: true}
	scan.Reset(text, 0)
	every.Reset(text, 0)
	gotErr, wantErr := scan.ParseBundle(&got), every.ParseBundle(&want)
	if (gotErr == nil) != (wantErr == nil) || gotErr != nil && gotErr.(*isa.Error).Detail() != wantErr.(*isa.Error).Detail() ||
		gotErr == nil && (got.Parts[0] != want.Parts[0] || scan.Pos != every.Pos) {
		t.Errorf("%q: %v, %v; with all rows and parsers %v, %v", text, got.Parts, gotErr, want.Parts, wantErr)
	}
	return got.Parts[0], gotErr == nil
}

// TestWrittenNumbers checks that numbers that the fast path reads have the same value, or error, as expressions: of all
// widths, with what may and may not precede and follow them.
func TestWrittenNumbers(t *testing.T) {
	lines := []string{"FADD.f32 r0, r1, N", "FADD.f32 r0, N, r1", "IADD.u64 r0, N, r2", "IADD_IMM.i32 r0, N, #0x7", "IADD_IMM.i32 r0, 0x0, #N", "LOAD.i32.slot0 @r0, r2, offset:N",
		"LD_TEX_IMM.slot0 @r0, r1, r2, index:N, table:0x1", "LD_TEX_IMM.slot0 @r0, r1, r2, index:0x0, table:N", "BRANCHZ r0, offset:N", "LSHIFT_OR.i32 r2, N, r1.b22, N"}
	ends := []string{"", "", "", "", "", " ", ".", ".neg", ".abs.neg", ".b02", ".h0", ".5", ".e5", "e5", "g", "_", "+1", " + 1", "|1", ",", ", r1", " r1", "0", "@", "\t", "x"}
	r := rand.New(rand.NewPCG(4, 2))
	scan := isa.Scan{Target: Set().At(0, 0)}
	read := 0
	for range 30000 {
		v := uint64(constants[r.IntN(len(constants))])
		if r.IntN(2) == 0 {
			v = r.Uint64() >> r.IntN(64)
		}
		number := "0x" + strconv.FormatUint(v, 16)
		switch r.IntN(6) {
		case 0:
			number = strconv.FormatUint(v, 10)
		case 1:
			number = "-" + number
		case 2:
			number = strings.ToUpper(number[2:])
		case 3:
			number = "0x" + strings.ToUpper(number[2:])
		case 4:
			number = strings.Repeat("0", r.IntN(3)) + strconv.FormatUint(v&63, 10)
		}
		if _, ok := bothWays(t, &scan, strings.ReplaceAll(lines[r.IntN(len(lines))], "N", number+ends[r.IntN(len(ends))])); ok {
			read++
		}
	}
	if read < 1500 {
		t.Errorf("only %d lines are right", read)
	}
}

// TestSuffixesAndParts checks that words after mnemonics and operands read the same by their hash as one after another:
// of random instructions, in other orders, repeated, longer and shorter, and replaced by those of other instructions.
func TestSuffixesAndParts(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 3))
	tg := Set().At(0, 0)
	scan := isa.Scan{Target: tg}
	ds, words := Set().Arch.Defs, []string{"", "x", "wait012", "reconvergence", "reconverg", "retrieve", "h", "b", "neg", "1d.2d"}
	read, wrong := 0, 0
	for range 45000 {
		d := &ds[r.IntN(len(ds))]
		var in isa.Inst
		code := make([]byte, wordBytes)
		w := r.Uint64()&^d.Mask().Lo | d.Value().Lo
		for i := range code {
			code[i] = byte(w >> (8 * i))
		}
		if tg.Decode(code, 0, &in) != nil {
			continue
		}
		parts := strings.Split(in.String(), ".")
		if n := len(parts); n > 2 {
			i, j := 1+r.IntN(n-1), 1+r.IntN(n-1)
			words = append(words[:min(len(words), 99)], strings.TrimRight(parts[i], ", ^r0123456789"))
			switch r.IntN(6) {
			case 0:
				parts[i], parts[j] = parts[j], parts[i]
			case 1:
				parts[i] += "." + words[r.IntN(len(words))]
			case 2:
				parts[i] = words[r.IntN(len(words))] + parts[i]
			case 3:
				parts[i] = words[r.IntN(len(words))] + "." + parts[i]
			case 4:
				parts[i] = parts[i][:r.IntN(len(parts[i])+1)] + parts[i][r.IntN(len(parts[i])+1):]
			}
		}
		if _, ok := bothWays(t, &scan, strings.Join(parts, ".")); ok {
			read++
		} else {
			wrong++
		}
	}
	if read < 3000 || wrong < 3000 {
		t.Errorf("%d lines are right, %d wrong", read, wrong)
	}
}
