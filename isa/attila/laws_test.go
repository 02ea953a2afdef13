package attila

import (
	"errors"
	"testing"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/internal/laws"
	"github.com/heddle-gpu/heddle/isa"
)

// TestLaws: the laws of every instruction set. No word has the text of another one's canon.
func TestLaws(t *testing.T) {
	rep := laws.Check(t, Set(), laws.Options{})
	t.Logf("%d words, %d rows with aliases, %d rows with lifts that trap", rep.Words, len(rep.Aliases), len(rep.Trapped))
	if len(rep.Aliases) > 0 {
		t.Errorf("words that their text does not give back: %v", rep.Aliases)
	}
}

// FuzzWord: decode, encode, print and parse of any bytes.
func FuzzWord(f *testing.F) {
	laws.SeedWords(f, "attila")
	f.Add([]byte{0x01, 0x9d, 0xfa, 0x38, 0xf3, 0x59, 0x0e, 0, 0, 0xff, 0x1a, 0x1f, 0x1b, 0, 0x1b, 0})
	f.Add([]byte{0x17, 0xd7, 0x87, 0xd9, 0xea, 0x2c, 0xf9, 0x43, 0x17, 0x69, 0xa5, 0, 0xd5, 0xaf, 0x89, 0xad})
	f.Add([]byte{0x29, 0xa0, 0x8e, 0x16, 0x2d, 0xc2, 0x9e, 0xb5, 0x6c, 0xe3, 0x4c, 0xfa, 0xfa, 6, 0xe9, 0x33})
	f.Fuzz(func(t *testing.T, code []byte) { laws.FuzzWord(t, Set().At(Text, 0), code) })
}

// FuzzText: text that parses prints, and parses again to the same.
func FuzzText(f *testing.F) {
	laws.SeedTexts(f, "attila")
	for _, s := range []string{"(!p26) add_sat r24.xz, -|c256[a0.w + -114].wzyx|, -0.5 <- end", "andp !p16, false, !c99.y", "jmp !c388.y, -1",
		"kls -r26.x, s15 <- wait", "tex_sat o36.w, -r54.yyxy, -|t2.xzxw|", "stpgti p24, c498[a1.w + -50], -|2147483648|", "zxp c4[a0.x + 1]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { laws.FuzzText(t, Set().At(Text, 0), text) })
}

// FuzzBytes: any bytes, listed and assembled again.
func FuzzBytes(f *testing.F) {
	laws.SeedWords(f, "attila")
	f.Add([]byte{0, 0, 0x81, 0xbf, 1})
	f.Fuzz(func(t *testing.T, code []byte) {
		if len(code) < 1<<12 {
			laws.Bytes(t, Set().At(Sim, 0), code, 0)
		}
	})
}

// TestOpcodesAndBanks: every combination of opcode and the banks of operands 1, 2 and the result decodes, or fails
// with an error that names what is wrong.
func TestOpcodesAndBanks(t *testing.T) {
	dec := Set().At(Text, 0)
	codes := map[string]int{}
	var in isa.Inst
	for i := range 1 << 17 { // opcode and the banks of operands 1, 2 and the result
		w := nopWord
		w = w.Put(bits.Span(0, 7), uint64(i&0xff)).Put(bits.Span(17, 19), uint64(i>>8&7))
		w = w.Put(bits.Span(22, 24), uint64(i>>11&7)).Put(bits.Span(32, 34), uint64(i>>14&7))
		err := dec.Decode(w.Append(nil, wordBytes), 0, &in)
		var e *isa.Error
		switch {
		case err == nil:
			codes["decoded"]++
			if in.String() == "" {
				t.Fatalf("%v prints as nothing", w)
			}
		case errors.As(err, &e) && e.Msg != "" && (e.Code == isa.ErrReserved || e.Code == isa.ErrInvalid):
			codes[e.Code]++
		default:
			t.Fatalf("%v: %v", w, err)
		}
	}
	t.Log(codes)
	if len(codes) != 3 {
		t.Error("want words that decode, reserved banks and unassigned opcodes")
	}
}

// TestCellNames: the name of a cell resolves to the cell.
func TestCellNames(t *testing.T) {
	named := 0
	for f := range machine.Files {
		for i := range machine.Files[f].Count {
			c := isa.Cells(f, i, 1)[0]
			name := cellName(c)
			if name == "" {
				continue
			}
			named++
			if got, err := cell(Text, name); err != nil || len(got) != 1 || got[0] != c {
				t.Errorf("%v is %s, which is %v, %v", c, name, got, err)
			}
		}
	}
	if named != 4*(NumIn+NumOut+NumTemp+NumAddr)+NumPred+2*NumSample+1 {
		t.Errorf("%d cells have names", named)
	}
}
