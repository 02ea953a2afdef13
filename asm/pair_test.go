package asm_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/toywarp"
)

// paired are lines of files whose short instructions come in pairs; lines with errors are last.
var paired = []string{
	"nop", "nop", "nop", "mov r1, r2", "mov r1, r2", "add r3, r1, r2", "add.sat r3, r1, r2 // c", "ddx r1, r2", "long nop", "exit nop", "(p1) mov r1, r2", "mov r1, s[a1+4]",
	"mul r1, r1, r1", "mul r2, r2, r2", "setlt p1, r1, r2", "ret", "bra 16", "bra 0x8", "bra a", "bra b", "bra b + 8", "joinat .", "(!p0) bra .+8",
	"k = 8", "k = k + 8", ".zero k", ".word k", ".fill 1, 4, k", ".set m, .", ".set n, b - a", "", "// c",
	".byte 1, 2, 3, 4", ".byte 1, 2, 3, 4, 5, 6, 7, 8", ".word b - a", ".word a", ".word n, m", ".align 8", ".align 16", ".zero 8", ".zero 4", ".zero b - a", ".org 0x100", ".text", ".globl a",
	".enc 000000f0 nop", ".enc 000000f0 nop", ".enc 010000f000000000 nop", ".enc 0100006000000000 bra 0x0", "two", ".rept 3\nnop\n.endr", ".if 1\nmov r1, r2\n.endif", `.print "said"`,
	"",
	"a:", "b: nop", "c: d: mul r1, r1, r1", "nop: nop", ".isa toywarp:w1 fp", ".base 0x40",
	".exact", ".isa toywarp:w1 vp", "bra gone", "what", "nop nop", "add r1, r2", "a: nop", ".byte 300", ".byte 300 // c", ".org 4", "bra a + 4", ".what 1", ".option what=1", ".option", ".enc 00 nop", `.ascii "x"`, ".zero -1", "mov r1, v[2]", "mov r1, in[2]",
}

// wrongFrom is the index of the first line that has an error, or repeats a definition.
var wrongFrom = slices.Index(paired, "a:")

// TestPairs: a file with paired short instructions gives the same bytes, lines, labels and errors whether pairs are
// found while it is read or by a layout of all its instructions.
func TestPairs(t *testing.T) {
	good, bad, once := 0, 0, 0
	for seed := range uint64(2400) {
		rng := rand.New(rand.NewPCG(seed, 9))
		text := fileOf(rng, paired, seed)
		if seed%4 > 0 { // mostly without errors
			lines := strings.SplitAfter(fileOf(rng, paired[:wrongFrom], 1), "\n")
			for _, l := range []string{"a: ", "b:\n", "k = 16\n"} {
				lines = slices.Insert(lines, rng.IntN(len(lines)), l)
			}
			text = ".macro two\nnop\nmul r1, r1, r1\n.endm\n" + strings.Join(lines, "")
		}
		opt := asm.Options{File: "f", MaxErrors: []int{0, 1, 3}[seed%3], MaxSize: []int{0, 0, 0, 64}[seed%4], Base: seed & 8}
		tg := toywarp.Set().At(0, int(seed%2))
		if r := sameBothWays(t, tg, text, opt); len(r.Errs) > 0 {
			bad++
			continue
		}
		good++
		again := false
		opt.Again = func() (io.ReadCloser, error) {
			again = true
			return io.NopCloser(strings.NewReader(text)), nil
		}
		if asm.Read(tg, strings.NewReader(text), opt); !again {
			once++
		}
	}
	if good < 500 || bad < 500 || once < 200 || once == good {
		t.Errorf("%d files were right, %d of them read once, and %d wrong; none may be rare", good, once, bad)
	}
}

// TestPairsPlaces: pairs, and text that separates them, at every position of the pieces that hold a long file.
func TestPairsPlaces(t *testing.T) {
	tg := toywarp.Set().At(0, toywarp.VP)
	for lead := range 40 {
		var src strings.Builder
		for i := range lead {
			fmt.Fprintf(&src, "mov r%d, r1\nmul r1, r1, r%d\n", i, i)
		}
		for i := range 3000 {
			fmt.Fprintf(&src, "add r%d, r%d, r%d\n", i%7, i%11, i%63)
			if i%97 == lead {
				fmt.Fprintf(&src, "k = %d\nl%d: bra l%d\n", i, i, i)
			}
		}
		if r := sameBothWays(t, tg, src.String(), asm.Options{}); len(r.Errs) > 0 {
			t.Fatal(r.Errs[0].Detail())
		}
	}
}

// TestPairsForeign: a word that is no symbol when it is read may become one later.
func TestPairsForeign(t *testing.T) {
	tg := toywarp.Set().At(0, toywarp.VP)
	for _, src := range []string{"mov r1, s[4]\ns: nop", "mov r1, r2\nr2 = 5", "bra end\nmul r1, r1, r1\nend:", "add r1, r2, r3\n.set r3, 1\nadd r1, r2, r3\nnop", "(p0) nop\np0: bra p0"} {
		sameBothWays(t, tg, src, asm.Options{File: "f"})
	}
}

// TestPairsSay: messages are passed on once, though the file is read twice.
func TestPairsSay(t *testing.T) {
	for _, src := range []string{"nop", "what", "nop\na: .zero b - a\nb:", "nop\n.exact"} {
		var heard []string
		opt := asm.Options{Say: func(m asm.Message) { heard = append(heard, m.Text) }}
		asm.Assemble(toywarp.Set().At(0, 0), []byte(".print \"1\"\n.print \"2\"\n"+src+"\n.print \"3\"\n"), opt)
		if got := strings.Join(heard, ""); got != "123" {
			t.Errorf("%q: %s", src, got)
		}
	}
}

// TestPairsAgain: without a second reader the text is read once, with the same result; if there is a second reader,
// its text counts.
func TestPairsAgain(t *testing.T) {
	tg := toywarp.Set().At(0, 0)
	for _, src := range []string{"nop\nmul r1, r1, r1\n", "nop\na: .zero b - a\nb:", "nop\nwhat"} {
		want := resultOf(asm.Assemble(tg, []byte(src), asm.Options{}))
		a, errs, err := asm.Read(tg, strings.NewReader(src), asm.Options{})
		if got := resultOf(a, errs); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q: %v, %v, want %v", src, got, err, want)
		}
	}
	gone := fmt.Errorf("gone")
	a, errs, err := asm.Read(tg, strings.NewReader("what"), asm.Options{Again: func() (io.ReadCloser, error) { return nil, gone }})
	if a != nil || errs != nil || err != gone {
		t.Error(a, errs, err)
	}
}

// FuzzPairs: any text gives the same result both ways, whatever the limits are.
func FuzzPairs(f *testing.F) {
	for seed := range uint64(50) {
		f.Add(fileOf(rand.New(rand.NewPCG(seed, 10)), paired, seed), byte(seed*4))
	}
	f.Fuzz(func(t *testing.T, src string, limits byte) {
		if len(src) > 1<<12 {
			return
		}
		opt := asm.Options{File: "f", MaxErrors: int(limits & 3), MaxSize: int(limits >> 2 & 31), MaxFill: 1 << 10}
		sameBothWays(t, toywarp.Set().At(0, int(limits>>7)), src, opt)
	})
}
