package asm_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/toy"
	"github.com/heddle-gpu/heddle/internal/toyvec"
	"github.com/heddle-gpu/heddle/isa"
)

// written are lines of files: every way in which a line can be plain, name something elsewhere, have an error, or
// change what the others mean.
var written = []string{
	"nop", "\tadd r1, r2, r3", "add  r1 ,r2, r3 // 21030100", "add r1, r2, r3 ; c", "mul.n r4, r5, r6", "nop /* a */", "/* a */ nop // b",
	"add r1, /* b */ r2, r3", "", "  \t ", "// nop", "; nop /* open", "/* a", "b */", "*/ nop", "nop\r", "nop // c\r", "bra 5", "bra 5", "add r1, r2, r3\t\r\r",
	"wide r1, r2, 0x123456789abcdef0", "{add r1, r2, r3 | mul.n r4, r5, r6 if !p1}", "mov r1, -1", "mov r1, u2", "add r0, r0, 0x12345",
	"a:", "b: nop", "c: d: add r1, r2, r3 // x", "nop: nop", "r1: mov r1, r1", "bra a", "bra b // b", "bra .", "bra a+4", "add r0, r0, c", "add r0, r0, k", "bra gone",
	"k = 5", ".set k, m + 1", ".equ m, b - a", "m = 3", "l = l + 1",
	".byte 1, 2", ".byte 1, b - a", ".word a", ".long 0x12345678 // x", ".short k", `.ascii "a;b", "//"`, `.asciz ""`, ".enc 21f30101 add r1, r2, r3 if !p3",
	".enc 21030100 add  r1,r2,r3", ".enc 00000032 bra a", ".zero b - a", ".zero 3", ".align 16", ".align 8, 1", ".org 0x40", ".fill 2, 2, k",
	".isa toy:t2", ".isa toy:t1 vp", ".isa toy", ".base 0x100", ".exact", ".option what=1", ".text", ".globl a", "new r1, r2, r3", "vout r1, r2",
	"what", "add r1, q2, r3", "add r1, r2", "bra 99999", ".what 1", ".byte 300", ".byte 1,", ".enc 21 nop", ".enc 21030100 nop", "add r0, r0, 1 << 40", "magic r0, r1",
	`.ascii "open`, "nop nop", "a+: nop", ".set 5, 6", ".isa gcn", ".org 1", "\xff\xfe", "add r1, r2, r3 \"x", "new r1, q2",
}

// assembled is the complete result for a text.
type assembled struct {
	Target, File string
	Lines        []asm.SourceLine
	Labels       []asm.Symbol
	Errs         []isa.Error
}

func resultOf(a *asm.Assembly, errs []*isa.Error) (r assembled) {
	for _, e := range errs {
		r.Errs = append(r.Errs, *e)
	}
	if a != nil {
		r.Target, r.File = a.Target.String(), fmt.Sprintf("%#x %t %x", a.Base, a.Exact, a.Code)
		r.Lines, r.Labels = append(r.Lines, a.Lines...), append(r.Labels, a.Labels...)
	}
	return r
}

// sameBothWays assembles a text with a statement for every instruction, without, and read in pieces.
func sameBothWays(t *testing.T, tg *isa.Target, src string, opt asm.Options) assembled {
	t.Helper()
	want := resultOf(asm.Assemble(tg, []byte(src), asm.Whole(opt)))
	if a, _ := asm.Assemble(tg, []byte(src), asm.Options{NoLines: true, MaxSize: 1 << 10}); a != nil && a.Lines != nil {
		t.Fatalf("%q: lines that nobody asked for", src)
	}
	if got := resultOf(asm.Assemble(tg, []byte(src), opt)); !reflect.DeepEqual(got, want) {
		t.Fatalf("%q, at most %d errors and %d bytes:\ngot  %+v\nwant %+v", src, opt.MaxErrors, opt.MaxSize, got, want)
	}
	opt.Again = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(src)), nil }
	for _, r := range []io.Reader{iotest.OneByteReader(strings.NewReader(src)), iotest.DataErrReader(strings.NewReader(src))} {
		a, errs, err := asm.Read(tg, r, opt)
		if got := resultOf(a, errs); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%q, read, at most %d errors and %d bytes: %v\ngot  %+v\nwant %+v", src, opt.MaxErrors, opt.MaxSize, err, got, want)
		}
	}
	return want
}

// TestPlain: a file gives the same bytes, lines, labels and errors whether a statement is kept for each of its
// instructions or only for those that name symbols, whatever is between them.
func TestPlain(t *testing.T) {
	good, bad := 0, 0
	for seed := range uint64(4000) {
		rng := rand.New(rand.NewPCG(seed, 7))
		from := written
		if seed%2 == 0 {
			from = written[:50] // mostly without errors
		}
		text := fileOf(rng, from, seed)
		opt := asm.Options{File: "f", MaxErrors: []int{0, 1, 3}[seed%3], MaxSize: []int{0, 0, 16, 40}[seed%4], Base: seed & 4}
		if r := sameBothWays(t, toy.Set().At(0, 0), text, opt); len(r.Errs) == 0 {
			good++
		} else {
			bad++
		}
	}
	if good < 100 || bad < 100 {
		t.Errorf("%d files were right and %d wrong; neither may be rare", good, bad)
	}
}

// fileOf returns a file of some of these lines, each once or several times in a row.
func fileOf(rng *rand.Rand, from []string, seed uint64) string {
	var src strings.Builder
	if seed%16 == 0 {
		src.WriteString("\ufeff")
	}
	for range 1 + rng.IntN(25) {
		line := from[rng.IntN(len(from))]
		for range 1 + rng.IntN(3)*rng.IntN(2) {
			src.WriteString(line)
			src.WriteString([]string{"\n", "\n", "\r\n"}[rng.IntN(3)])
		}
	}
	if text := src.String(); seed%5 > 0 {
		return text
	}
	return strings.TrimRight(src.String(), "\r\n")
}

// TestPlainLong: more different instructions than are cached, each repeated.
func TestPlainLong(t *testing.T) {
	var src strings.Builder
	for i := range 1 << 16 {
		n := i * 7919 % 50021
		fmt.Fprintf(&src, "\tadd r1, r2, %#x // %d\n", n<<8|0x80, i)
		if n%997 == 0 {
			fmt.Fprintf(&src, "l%d: bra l%d\n", i, i)
		}
	}
	if r := sameBothWays(t, toy.Set().At(0, 0), src.String(), asm.Options{}); len(r.Errs) > 0 {
		t.Error(r.Errs[0].Detail())
	}
}

// TestPlainBranches: text that gives an address without a name assembles to other bytes elsewhere; text that gives a
// distance to the same.
func TestPlainBranches(t *testing.T) {
	tg := toyvec.Set().At(0, 0)
	src := strings.Repeat("BRANCHZ u0, 16\nBRANCHZ u0, offset:-1\nBRANCHZ u0, offset:m\nm = 2\nBRANCHZ u0, offset:-1\n.enc HEX BRANCHZ u0, 16\n", 2)
	for _, addr := range []uint64{32, 72} { // of the two lines that give their bytes
		code, err := asm.Line(tg, fmt.Sprintf("BRANCHZ u0, offset:%d", int64(16-addr-8)/8))
		if err != nil {
			t.Fatal(err)
		}
		src = strings.Replace(src, "HEX", code, 1)
	}
	want, errs := asm.Assemble(tg, []byte(src), asm.Whole(asm.Options{}))
	if len(errs) > 0 {
		t.Fatal(errs[0].Detail())
	}
	got, errs := asm.Assemble(tg, []byte(src), asm.Options{})
	if len(errs) > 0 || !bytes.Equal(got.Code, want.Code) || !reflect.DeepEqual(got.Lines, want.Lines) {
		t.Errorf("%v\ngot  %+v\nwant %+v", errs, got, want)
	}
	for i, addr := range []int64{0, 40} { // the second word of the branch is its distance
		if to := int64(int16(uint16(got.Code[addr+2]) | uint16(got.Code[addr+3])<<8)); to != (16-addr-8)/8 {
			t.Errorf("branch %d goes %d words, want %d", i, to, (16-addr-8)/8)
		}
	}
}

// TestPlainDialects: cached texts are dropped when another dialect begins.
func TestPlainDialects(t *testing.T) {
	arch := toyvec.Arch()
	arch.Dialects = []string{"even", "odd"}
	arch.Group = &isa.Group{
		Split: func(t *isa.Target, code []byte, addr uint64, b *isa.Bundle) error {
			return t.Decode(code, addr, b.Grow())
		},
		Join: func(p isa.Printer, dst []byte, b *isa.Bundle) []byte { return p.Append(dst, &b.Parts[0]) },
		Parse: func(s *isa.Scan, b *isa.Bundle) error {
			err := s.Parse(b.Grow())
			b.Parts[0].Word.Lo ^= uint64(s.Target.Dialect) << 34 // the slot
			return err
		},
	}
	set, err := isa.Compile(arch)
	if err != nil {
		t.Fatal(err)
	}
	const line = "NOP\nNOP\n"
	a, errs := asm.Assemble(set.At(0, 0), []byte(line+line+".dialect odd\n"+line+".dialect even\n"+line), asm.Options{})
	if len(errs) > 0 {
		t.Fatal(errs[0].Detail())
	}
	for i := range 8 {
		if got, want := a.Code[8*i+4]>>2&1, byte(i/2%3/2); got != want {
			t.Errorf("instruction %d: %d, want %d", i, got, want)
		}
	}
}

// TestManyBadLines: the errors of a long file are those of a short one, wherever the bad lines are.
func TestManyBadLines(t *testing.T) {
	for _, line := range []string{"what\n", "add r1, q2, r3\n", ".byte 300\n", "magic r0, r1\n", "bra gone\n", "a: what\n"} {
		for _, n := range []int{99, 100, 101, 102, 5000} {
			for _, head := range []string{"", "nop\n", "x: bra x\n.byte 999\n"} {
				r := sameBothWays(t, toy.Set().At(0, 0), head+strings.Repeat(line+"nop\n", n), asm.Options{})
				if len(r.Errs) > 101 || len(r.Errs) < min(n, 101) {
					t.Errorf("%q, %d times: %d errors", line, n, len(r.Errs))
				}
			}
		}
	}
}

// TestTooLargeLine: the line that exceeds the limit of output is shown, with a caret where the statement begins,
// though nothing else of it was kept.
func TestTooLargeLine(t *testing.T) {
	const last, data = "  z: z2: add r1, r2, r3 // here", "\t.word  1 ; c"
	src := "x: bra x /* a\n b */ .zero 8\n" + strings.Repeat("nop // c\n", 3) + last + "\n" + data + "\n" + strings.Repeat("nop\n", 9)
	for size, want := range map[int]struct {
		line, col int
		source    string
	}{
		20: {5, 1, "nop // c"}, 27: {6, 1 + strings.Index(last, "add"), last}, 28: {7, 1 + strings.Index(data, "1"), data},
	} {
		r := sameBothWays(t, toy.Set().At(0, 0), src, asm.Options{File: "f", MaxSize: size})
		if len(r.Errs) != 1 {
			t.Errorf("%d bytes: %v", size, r.Errs)
		} else if e := r.Errs[0]; e.Line != want.line || e.Col != want.col || e.Source != want.source || e.Msg != fmt.Sprintf("more than %d bytes of output", size) {
			t.Errorf("%d bytes: %s, want %+v", size, e.Detail(), want)
		}
	}
	_, errs, err := asm.Read(toy.Set().At(0, 0), strings.NewReader("bra .\nnop\nnop"), asm.Options{MaxSize: 7})
	if err != nil || len(errs) != 1 || errs[0].Line != 2 || errs[0].Source != "" {
		t.Errorf("%v, %v: want an error in line 2 without its source", err, errs)
	}
}

// TestReadFails: the error is that of the reader, not what the text up to there lacks.
func TestReadFails(t *testing.T) {
	gone := errors.New("gone")
	for _, src := range []string{"", "nop\n", "what\nbra a\n", "/* a"} {
		r := io.MultiReader(strings.NewReader(src), iotest.ErrReader(gone))
		if a, errs, err := asm.Read(toy.Set().At(0, 0), r, asm.Options{}); err != gone || a != nil || errs != nil {
			t.Errorf("%q: %v, %v, %v", src, a, errs, err)
		}
		_, _, _, err := asm.ReadISA(io.MultiReader(strings.NewReader(src), iotest.ErrReader(gone)))
		if err != gone {
			t.Errorf("%q: ReadISA: %v", src, err)
		}
	}
}

// TestReadISA: the returned reader reads the whole text, however much was read before.
func TestReadISA(t *testing.T) {
	for _, head := range []string{"", "// .isa is below\n", strings.Repeat("// long\n", 20000), strings.Repeat("x", 200000) + "\n"} {
		for _, tail := range []string{"", "\n.isa toy:t2\n", "\n \t.isa  toy\tvp\r\n"} {
			text := head + tail + strings.Repeat("nop\n", 30000)
			name, variant, all, err := asm.ReadISA(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(all)
			if err != nil || string(data) != text {
				t.Errorf("%d bytes of %d: %v", len(data), len(text), err)
			}
			want := [2]string{}
			if tail != "" {
				want = [2]string{"toy", map[bool]string{true: "t2"}[strings.Contains(tail, "t2")]}
			}
			if got := [2]string{name, variant}; got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	}
}

// Memory per instruction for a long file, a listing with comments from a reader: all that was allocated, and what the
// result keeps.
func BenchmarkReadMemory(b *testing.B) {
	ls := strings.Join(lines(b), "                    // 000000000000: 00000000 00000000\n") + "\n"
	n := strings.Count(ls, "\n")
	const times = 500
	var before, after, kept runtime.MemStats
	b.ReportAllocs()
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		a, errs, err := asm.Read(toy.Set().At(0, 0), &repeated{text: ls, times: times}, asm.Options{NoLines: true})
		if err != nil || len(errs) > 0 {
			b.Fatal(err, errs)
		}
		runtime.ReadMemStats(&after)
		runtime.GC()
		runtime.ReadMemStats(&kept)
		runtime.KeepAlive(a)
	}
	insts := float64(n * times)
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/insts, "B/inst")
	b.ReportMetric(float64(int64(kept.HeapAlloc)-int64(before.HeapAlloc))/insts, "kept-B/inst")
}

// repeated is a text repeated a number of times.
type repeated struct {
	text  string
	times int
	at    bytes.Reader
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.at.Len() == 0 {
		if r.times == 0 {
			return 0, io.EOF
		}
		r.times--
		r.at.Reset([]byte(r.text))
	}
	return r.at.Read(p)
}

// FuzzPlain: any text gives the same result both ways, whatever the limits are.
func FuzzPlain(f *testing.F) {
	for _, tt := range assembles {
		f.Add(tt.src, byte(0))
	}
	f.Add("nop\n.isa toy:t2\nnew r1, r2, r3\nbra a\n.isa toy\na: new r1, r2, r3", byte(3))
	f.Add("what\nbra a\nwhat\na: what", byte(1))
	f.Fuzz(func(t *testing.T, src string, limits byte) {
		if len(src) > 1<<12 {
			return
		}
		opt := asm.Options{File: "f", MaxErrors: int(limits & 3), MaxSize: int(limits >> 2 & 31), MaxFill: 1 << 10}
		sameBothWays(t, toy.Set().At(0, 0), src, opt)
	})
}
