package x86

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/heddle-gpu/heddle/internal/jit/cpu"
)

// again assembles what Decode has decoded.
func (in *Inst) again(a *Asm) ([]byte, error) {
	a.Reset()
	l := a.NewLabel()
	args := in.Operands()
	on := int64(-1)
	for i := range args {
		if args[i].kind == memory && args[i].base == ripBase {
			on, args[i].imm = args[i].imm, int64(l)
		}
	}
	a.Emit(in.Op, args...)
	n := a.Len()
	if on >= 0 {
		a.Data(make([]byte, on)...)
	}
	a.Bind(l)
	code, err := a.Finish(nil)
	return code[:min(n, len(code))], err
}

// TestDecode decodes the output of the GNU assembler and assembles it again, with the same bytes. Truncated code is
// too short.
func TestDecode(t *testing.T) {
	a := New(cpu.All)
	forms := map[int]bool{}
	for _, f := range families() {
		for _, l := range readTable(t, filepath.Join("testdata", f.name+".txt")) {
			code, err := hex.DecodeString(l.hex)
			if err != nil {
				t.Fatal(err)
			}
			var in Inst
			if err := Decode(append(code[:len(code):len(code)], 0xcc, 0xcc), &in); err != nil || in.Len != len(code) {
				t.Errorf("%s | %s: %d bytes, %v", l.hex, l.text, in.Len, err)
				continue
			}
			forms[in.Form] = true
			if got, err := in.again(a); err != nil || !bytes.Equal(got, code) {
				t.Errorf("%s | %s: read as %v, which is %x, %v", l.hex, l.text, &in, got, err)
			}
			for n := range code {
				if err := Decode(code[:n], &in); !errors.Is(err, ErrShort) && code[0] != 0xf0 {
					t.Errorf("%d bytes of %s | %s: %v, %v", n, l.hex, l.text, &in, err)
				}
			}
		}
	}
	t.Logf("%d of %d forms", len(forms), Forms())
	for i := range Forms() {
		if in := &compiled().insts[i]; !forms[i] && !(in.n == 1 && in.args[0].place == inRel) {
			t.Errorf("%s is in no line", FormName(i))
		}
	}
}

// TestDecodeJumps decodes programs with jumps of both lengths; every jump leads to an instruction, or to the end.
func TestDecodeJumps(t *testing.T) {
	jumps := 0
	for _, l := range readTable(t, filepath.Join("testdata", "jumps.txt")) {
		code, err := hex.DecodeString(l.hex)
		if err != nil {
			t.Fatal(err)
		}
		starts, wants := map[int]bool{len(code): true}, map[int]string{}
		for at := 0; at < len(code); {
			var in Inst
			if err := Decode(code[at:], &in); err != nil {
				t.Fatalf("%x: %v", code[at:min(at+15, len(code))], err)
			}
			starts[at] = true
			at += in.Len
			if v := in.Args[0].View(); v.What == Target {
				jumps++
				wants[at+int(v.Imm)] = in.String()
			}
		}
		for at, text := range wants {
			if !starts[at] {
				t.Errorf("%s leads to %d, where none begins", text, at)
			}
		}
	}
	if jumps < 1000 {
		t.Errorf("only %d jumps", jumps)
	}
	for n, code := range nops {
		var in Inst
		if n > 0 {
			if err := Decode(code, &in); err != nil || in.Op != NOP || in.Len != n {
				t.Errorf("%x: %v of %d bytes, %v", code, &in, in.Len, err)
			}
		}
	}
}

// checkDecode checks that what Decode accepts can be assembled, and decodes to the same again.
func checkDecode(t *testing.T, a *Asm, code []byte) bool {
	var in, out Inst
	if err := Decode(code, &in); err != nil {
		if !errors.Is(err, ErrShort) && !errors.Is(err, ErrUnknown) {
			t.Errorf("%x: %v", code, err)
		}
		return false
	}
	if in.Len < 1 || in.Len > len(code) {
		t.Fatalf("%x: %v has %d bytes", code, &in, in.Len)
	}
	if o := in.Args[0]; o.kind == target || in.String() == "nop" {
		return true
	}
	for _, o := range in.Args {
		if o.kind == memory && o.base == ripBase && (o.imm < 0 || o.imm > 1<<16) {
			return true
		}
	}
	got, err := in.again(a)
	if err != nil {
		if in.n().must || in.n().enc == vex { // registers that must differ, immediates that would be ambiguous
			return true
		}
		t.Errorf("%x: %v cannot be written: %v", code[:in.Len], &in, err)
		return false
	}
	if err := Decode(got, &out); err != nil || out.Op != in.Op || out.String() != in.String() {
		t.Errorf("%x is read as %v, written as %x and read as %v, %v", code[:in.Len], &in, got, &out, err)
	}
	return true
}

func (in *Inst) n() *inst { return &compiled().insts[in.Form] }

// TestDecodeRandom decodes random bytes, and instructions with some bits changed.
func TestDecodeRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	a := New(cpu.All)
	var lines [][]byte
	for _, f := range families() {
		for _, l := range readTable(t, filepath.Join("testdata", f.name+".txt")) {
			code, err := hex.DecodeString(l.hex)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, code)
		}
	}
	read, n := 0, 1000000
	if testing.Short() {
		n = 100000
	}
	code := make([]byte, 16)
	for i := range n {
		for k := range code {
			code[k] = byte(r.Uint32())
		}
		if i%4 != 0 {
			copy(code, lines[r.IntN(len(lines))])
			for range 1 + r.IntN(3) {
				code[r.IntN(8)] ^= 1 << r.IntN(8)
			}
		}
		if checkDecode(t, a, code) {
			read++
		}
		if t.Failed() {
			return
		}
	}
	if read < n/10 {
		t.Errorf("only %d were instructions", read)
	}
}

// FuzzDecode is TestDecodeRandom for bytes of a fuzzer.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{0x62, 0x01, 0x7c, 0x08, 0x10, 0xcc})
	f.Add([]byte{0x48, 0x8d, 0x05, 1, 0, 0, 0})
	a := New(cpu.All)
	f.Fuzz(func(t *testing.T, code []byte) { checkDecode(t, a, code) })
}

// BenchmarkDecode decodes instructions without allocation.
func BenchmarkDecode(b *testing.B) {
	code := []byte{0x62, 0xa1, 0x7c, 0x48, 0x10, 0x94, 0x4c, 0x04, 0x00, 0x00, 0x00}
	b.ReportAllocs()
	var in Inst
	for b.Loop() {
		if err := Decode(code, &in); err != nil {
			b.Fatal(err)
		}
	}
}
