package tesla

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/isa"
)

// A realKernel is a kernel as a driver loads it, with the reference's text of each instruction.
type realKernel struct {
	File, Variant, Kernel string
	Words, Asm            []string
}

// realKernels are compiled kernels of CUDA from outside the repository.
func realKernels(t *testing.T) []realKernel {
	return cases.Objects[realKernel](t, filepath.Join(cases.Dir(t), "third-party", "tesla-decuda", "decuda_kernels.jsonl.gz"))
}

func (k *realKernel) code(t *testing.T) (code []byte) {
	for _, w := range k.Words {
		v, err := strconv.ParseUint(w, 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		code = binary.LittleEndian.AppendUint32(code, uint32(v))
	}
	return code
}

// A tally is the results for the instructions of compiled kernels.
type tally struct {
	all, same, long int            // that assemble from their text alone; with the word long before it
	unclaimed       int            // with bits that the reference reports as unknown
	other           map[string]int // to another word, by the bits that differ and the text
}

// TestCompiledKernels: every instruction of compiled kernels decodes and prints as the reference prints it; the
// listing of each kernel assembles to its bytes.
func TestCompiledKernels(t *testing.T) {
	list, sum := realKernels(t), tally{other: map[string]int{}}
	if len(list) == 0 {
		t.Fatal("no kernels")
	}
	for i := range list {
		k := &list[i]
		v, ok := Set().Variant(k.Variant)
		if !ok {
			t.Fatalf("no variant %s", k.Variant)
		}
		tg, code := Set().At(v, CP), k.code(t)
		k.instructions(t, tg, code, &sum)
		var text bytes.Buffer
		if err := asm.List(&text, tg, code, 0, asm.ListOptions{Exact: true}); err != nil {
			t.Errorf("%s %s: %v", k.File, k.Kernel, err)
			continue
		}
		back, errs := asm.Assemble(tg, text.Bytes(), asm.Options{NoLint: true})
		if len(errs) > 0 || !bytes.Equal(back.Code, code) {
			t.Errorf("%s %s: the listing assembles to other bytes: %v", k.File, k.Kernel, errs)
		}
	}
	t.Logf("%d kernels, %d instructions, %d of them with unclaimed bits: %d assemble from the reference's text, %d with long before it, others by the bits that differ: %v",
		len(list), sum.all, sum.unclaimed, sum.same, sum.long, sum.other)
}

// instructions compares each instruction of a kernel with its text.
func (k *realKernel) instructions(t *testing.T, tg *isa.Target, code []byte, sum *tally) {
	var b isa.Bundle
	at := 0
	for i, want := range k.Asm {
		if at >= len(code) {
			t.Fatalf("%s %s: the code ends before instruction %d", k.File, k.Kernel, i)
		}
		if err := tg.DecodeBundle(code[at:], uint64(at), &b); err != nil {
			t.Errorf("%s %s: %v", k.File, k.Kernel, err)
			at += 4
			continue
		}
		text, unknown, _ := strings.Cut(want, " [unknown")
		if got := string(tg.Print(nil, &b)); got != text {
			t.Errorf("%s %s+%#x prints as %q, want %q", k.File, k.Kernel, at, got, text)
		}
		if told := tg.Lint(nil, &b, nil); unknown != "" {
			if sum.unclaimed++; len(told) == 0 {
				t.Errorf("%s %s+%#x: %s: nothing is reported", k.File, k.Kernel, at, want)
			}
		}
		sum.add(tg, code[at:at+b.Size()], text)
		at += b.Size()
	}
	if at != len(code) {
		t.Errorf("%s %s: %d bytes behind the last instruction", k.File, k.Kernel, len(code)-at)
	}
}

// add assembles a text and compares it with the word that it came from.
func (s *tally) add(tg *isa.Target, code []byte, text string) {
	s.all++
	want := fmt.Sprintf("%x", code)
	got, err := asm.Line(tg, text)
	if got == want && err == nil {
		s.same++
		return
	}
	long, err := asm.Line(tg, "long "+text)
	switch {
	case err == nil && long == want:
		s.long++
		return
	case err == nil:
		got = long
	}
	s.other[differing(want, got)+" "+text]++
}

// differing returns the bits in which two words differ, as hexadecimal numbers.
func differing(a, b string) string {
	x, errA := strconv.ParseUint(a, 16, 64)
	y, errB := strconv.ParseUint(b, 16, 64)
	if errA != nil || errB != nil || len(a) != len(b) {
		return "none: " + b
	}
	var raw [8]byte
	binary.BigEndian.PutUint64(raw[:], x^y)
	return fmt.Sprintf("%08x %08x", binary.LittleEndian.Uint32(raw[:]), binary.LittleEndian.Uint32(raw[4:]))
}
