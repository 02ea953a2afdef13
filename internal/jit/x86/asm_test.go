package x86

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/jit/cpu"
)

// TestNoLegacyVectors checks that instructions on vector or mask registers have VEX or EVEX and need a feature, and
// that none changes rsp.
func TestNoLegacyVectors(t *testing.T) {
	tab := compiled()
	for op := range tab.names {
		for _, in := range tab.insts[tab.first[op]:tab.first[op+1]] {
			var kinds kind
			for _, p := range in.args[:in.n] {
				kinds |= p.kinds
			}
			if in.enc == legacy && (kinds&(anyVec|anyVSIB|kreg) != 0 || in.need != 0) {
				t.Errorf("%s has vectors without VEX", tab.names[op])
			}
			if in.enc != legacy && in.need == 0 {
				t.Errorf("%s is of no feature", tab.names[op])
			}
			if in.enc == legacy && in.opmap == 1 && legacyVector(in.opcode) {
				t.Errorf("%s: 0f %02x is an instruction on vectors", tab.names[op], in.opcode)
			}
		}
		if n := tab.names[op]; n == "push" || n == "pop" || n == "call" || n == "leave" || n == "enter" {
			t.Errorf("%s moves the stack", n)
		}
	}
}

// legacyVector reports whether the opcode is in a part of map 0f that belongs to MMX and SSE. Source: Intel's manual,
// volume 2, appendix A, table A-3.
func legacyVector(op uint8) bool {
	switch {
	case op >= 0x10 && op <= 0x17, op >= 0x28 && op <= 0x2f, op >= 0x50 && op <= 0x7f, op >= 0xd0, op == 0xae, op == 0xc2:
		return op < 0xc8 || op > 0xcf
	}
	return op >= 0xc4 && op <= 0xc6
}

// TestEveryInst checks that the samples cover every inst of every row, except jumps.
func TestEveryInst(t *testing.T) {
	tab := compiled()
	reached := map[*inst]bool{}
	for _, f := range families() {
		for _, s := range samplesOf(f) {
			args, round := s.args, uint8(none)
			if n := len(args); n > 0 && args[n-1].kind == rounding {
				args, round = args[:n-1], args[n-1].num
			}
			for i := tab.first[s.op]; i < tab.first[s.op+1]; i++ {
				if tab.insts[i].suits(args, round) == fitting {
					reached[&tab.insts[i]] = true
					break
				}
			}
		}
	}
	for op := range tab.names {
		for i := tab.first[op]; i < tab.first[op+1]; i++ {
			if in := &tab.insts[i]; !reached[in] && in.args[0].place != inRel {
				t.Errorf("%s: no sample of form %d: %+v", tab.names[op], i-tab.first[op], *in)
			}
		}
	}
}

// A refusal is operands that an instruction does not have, and a part of the error.
type refusal struct {
	op   Op
	args []Operand
	want string
}

var refusals = []refusal{
	{VADDPS, []Operand{Z(1), Z(2), Y(3)}, "no form"},
	{VADDPS, []Operand{Z(1), Z(2)}, "no form"},
	{VADDPS, []Operand{X(1).Mask(K(1)), X(2), X(3), RoundUp}, "no such rounding"},
	{VADDPS, []Operand{Z(1), Z(2), At(RAX, 0), RoundUp}, "no such rounding"},
	{VADDPS, []Operand{Z(1), Z(2), Z(3), NoExceptions}, "no such rounding"},
	{VMINPS, []Operand{Z(1), Z(2), Z(3), RoundZero}, "no such rounding"},
	{VMAXPS, []Operand{Y(1), Y(2), Y(17), NoExceptions}, "no such rounding"},
	{VADDPS, []Operand{Z(1), Z(2), At(RAX, 0).Bcst(8)}, "no such broadcast"},
	{VADDPS, []Operand{Z(1), Z(2), At(RAX, 0).Size(32)}, "another size"},
	{VADDPS, []Operand{Z(1), Z(2).Mask(K(1)), Z(3)}, "no write mask"},
	{VMOVUPS, []Operand{At(RAX, 0).Zero(K(1)), Z(3)}, "no zeroing"},
	{VPADDB, []Operand{Z(1), Z(2), At(RAX, 0).Bcst(16)}, "no such broadcast"},
	{VPCMPD, []Operand{K(1).Zero(K(2)), Z(2), Z(3), Imm(0)}, "no zeroing"},
	{VPCMPEQD, []Operand{Y(1).Mask(K(1)), Y(2), Y(3)}, "no write mask"},
	{VPCMPEQD, []Operand{Y(17), Y(2), Y(3)}, "cannot stand"},
	{VPSADBW, []Operand{Z(1).Mask(K(1)), Z(2), Z(3)}, "no write mask"},
	{VPXOR, []Operand{X(16), X(1), X(2)}, "cannot stand"},
	{VPXOR, []Operand{Z(1), Z(1), Z(2)}, "no form"},
	{VGATHERDPS, []Operand{Z(1), At(RAX, 0).Index(Z(2), 4)}, "mask is required"},
	{VGATHERDPS, []Operand{Z(1).Mask(K(1)), At(RAX, 0).Index(Z(1), 4)}, "different registers"},
	{VGATHERDPS, []Operand{Y(1), At(RAX, 0).Index(Y(2), 4), Y(2)}, "different registers"},
	{VGATHERDPS, []Operand{Y(1), At(RAX, 0).Index(Y(2), 4), Y(1)}, "different registers"},
	{VGATHERDPS, []Operand{Z(1).Zero(K(1)), At(RAX, 0).Index(Z(2), 4)}, "no zeroing"},
	{VGATHERDPS, []Operand{Z(1).Mask(K(1)), At(RAX, 0)}, "no form"},
	{VPADDD, []Operand{Z(1), Z(2), At(RAX, 0).Index(Z(3), 4)}, "no form"},
	{VCVTPD2PS, []Operand{X(1), At(RAX, 0)}, "must be said"},
	{VCVTPS2PH, []Operand{At(RAX, 0), Z(1), Imm(0), NoExceptions}, "no such rounding"},
	{VCVTSI2SD, []Operand{X(1), X(2), R32(3), RoundUp}, "no such rounding"},
	{VPSLLD, []Operand{Z(1), Z(2), Imm(256)}, "does not fit"},
	{VPERMB, []Operand{Z(1), Z(2), RAX}, "no form"},
	{VBLENDVPS, []Operand{X(1), X(2), X(3), X(16)}, "cannot stand"},
	{ADD, []Operand{At(RAX, 0), Imm(1)}, "must be said"},
	{ADD, []Operand{RAX, R32(1)}, "no form"},
	{ADD, []Operand{RAX, Imm(1 << 31)}, "does not fit"},
	{ADD, []Operand{R32(1), Imm(1 << 32)}, "does not fit"},
	{ADD, []Operand{G(8, 1), Imm(256)}, "does not fit"},
	{ADD, []Operand{G(8, 1), Imm(-129)}, "does not fit"},
	{SHL, []Operand{RAX, G(8, 2)}, "cannot stand"},
	{SHL, []Operand{RAX, Imm(256)}, "does not fit"},
	{SHLX, []Operand{G(16, 1), G(16, 2), G(16, 3)}, "no form"},
	{MOVZX, []Operand{R32(1), At(RAX, 0)}, "must be said"},
	{LEA, []Operand{G(8, 1), At(RAX, 0)}, "no form"},
	{ADD, []Operand{RAX.Mask(K(1)), RCX}, "no write mask"},
	{Op(9999), nil, "no instruction"},
}

// TestRefusals checks that operands which an instruction does not have are errors, that nothing is emitted, and that
// the first error is kept.
func TestRefusals(t *testing.T) {
	for _, r := range refusals {
		a := New(cpu.All)
		a.Emit(r.op, r.args...)
		if err := a.Err(); err == nil || !strings.Contains(err.Error(), r.want) || a.Len() != 0 {
			t.Errorf("%v %v: %v and %d bytes, want an error with %q", r.op, r.args, err, a.Len(), r.want)
		}
		first := a.Err()
		a.Emit(RET)
		a.Emit(ADD, RAX)
		if _, err := a.Finish(nil); err != first || a.Len() != 0 {
			t.Errorf("%v %v: the error became %v", r.op, r.args, err)
		}
		a.Reset()
		a.Emit(RET)
		if code, err := a.Finish(nil); err != nil || !bytes.Equal(code, []byte{0xc3}) {
			t.Errorf("after Reset: %x, %v", code, err)
		}
	}
}

// TestFeatures checks that an instruction which the processor lacks is an error with the feature's name, and that of
// two encodings the available one is used.
func TestFeatures(t *testing.T) {
	for _, c := range []struct {
		has  cpu.Set
		op   Op
		args []Operand
		want string // hex or error
	}{
		{cpu.Level512, VPERMB, []Operand{Z(1), Z(2), Z(3)}, "lacks AVX512VBMI"},
		{cpu.Level2, VADDPS, []Operand{Y(1), Y(2), Y(3)}, "c5ec58cb"},
		{cpu.Level2, VADDPS, []Operand{Z(1), Z(2), Z(3)}, "lacks AVX512F"},
		{cpu.Level2, VADDPS, []Operand{Y(17), Y(2), Y(3)}, "lacks AVX512F AVX512VL"},
		{cpu.AVX, VPADDD, []Operand{Y(1), Y(2), Y(3)}, "lacks AVX2"},
		{cpu.AVX, VPADDD, []Operand{X(1), X(2), X(3)}, "c5e9fecb"},
		{cpu.Level512 &^ cpu.AVX512VL, VPADDD, []Operand{Y(17), Y(2), Y(3)}, "lacks AVX512VL"},
		{0, SHLX, []Operand{RAX, RCX, RDX}, "lacks BMI2"},
		{0, SHL, []Operand{RAX, Imm(3)}, "48c1e003"},
		{cpu.AVX512F | cpu.AVX512VL, VADDPS, []Operand{Y(1), Y(2), Y(3)}, "62f16c2858cb"},
	} {
		a := New(c.has)
		a.Emit(c.op, c.args...)
		code, err := a.Finish(nil)
		if got := hex.EncodeToString(code); err == nil && got != c.want || err != nil && !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%v %v with %v: %s, %v; want %s", c.op, c.args, c.has, got, err, c.want)
		}
	}
}

// TestOperands checks that invalid operands panic, since they are bugs of the caller.
func TestOperands(t *testing.T) {
	for name, f := range map[string]func(){
		"x32":      func() { X(32) },
		"k8":       func() { K(8) },
		"g24":      func() { G(24, 0) },
		"v64":      func() { V(64, 0) },
		"k0":       func() { X(1).Mask(K(0)) },
		"rsp":      func() { At(RAX, 0).Index(RSP, 1) },
		"scale 3":  func() { At(RAX, 0).Index(RCX, 3) },
		"eax base": func() { At(R32(0), 0) },
		"eax idx":  func() { At(RAX, 0).Index(R32(0), 1) },
		"twice":    func() { At(RAX, 0).Index(RCX, 1).Index(RCX, 1) },
		"rip":      func() { RIP(0).Index(RCX, 1) },
		"size 3":   func() { At(RAX, 0).Size(3) },
		"bcst 3":   func() { At(RAX, 0).Bcst(3) },
		"bcst reg": func() { RAX.Bcst(4) },
		"align":    func() { New(0).Align(3) },
	} {
		func() {
			defer func() {
				if r := recover(); r == nil || !strings.HasPrefix(fmt.Sprint(r), "x86: ") {
					t.Errorf("%s: %v", name, r)
				}
			}()
			f()
		}()
	}
}

// program emits a random program of short and long jumps, with memory operands at labels between them. It returns its
// text for an assembler.
func program(a *Asm, seed uint64) []string {
	rnd := rand.New(rand.NewPCG(seed, 1))
	var text []string
	const n = 60
	var labels [n]Label
	for i := range labels {
		labels[i] = a.NewLabel()
	}
	ops := [...]Op{JMP, JE, JNE, JB, JA, JL, JGE, JS, JO, JNP}
	for i := range labels {
		text = append(text, fmt.Sprintf("L%d:", i))
		a.Bind(labels[i])
		to := labels[max(0, min(n-1, i+rnd.IntN(21)-10))]
		if rnd.IntN(5) == 0 {
			to = labels[rnd.IntN(n)]
		}
		op := ops[rnd.IntN(len(ops))]
		text = append(text, fmt.Sprintf("%v %v", op, To(to)))
		a.Emit(op, To(to))
		if rnd.IntN(3) == 0 {
			text = append(text, fmt.Sprintf("lea rax, %v", RIP(to)), fmt.Sprintf("cmp dword ptr %v, 7", RIP(to)))
			a.Emit(LEA, RAX, RIP(to))
			a.Emit(CMP, RIP(to).Size(4), Imm(7))
		}
		for range rnd.IntN(12) {
			text = append(text, "mov ecx, 7")
			a.Emit(MOV, R32(1), Imm(7))
		}
	}
	return text
}

// TestJumps compares jumps and addresses relative to the instruction with an independent assembler, and that each is
// as short as possible.
func TestJumps(t *testing.T) {
	file := filepath.Join("testdata", "jumps.txt")
	const n = 40
	if *update {
		var b strings.Builder
		b.WriteString("# seed | hex of the program, by the GNU assembler; made by go test -update\n")
		for seed := range uint64(n) {
			code := assemble(t, []string{strings.Join(program(New(0), seed), "\n")})
			fmt.Fprintf(&b, "%x | %d\n", code[0], seed)
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want := readTable(t, file)
	if len(want) != n {
		t.Fatalf("%d programs", len(want))
	}
	a := New(0)
	for seed := range uint64(n) {
		a.Reset()
		program(a, seed)
		code, err := a.Finish([]byte("before"))
		if got := hex.EncodeToString(code[len("before"):]); err != nil || got != want[seed].hex {
			t.Errorf("program %d: %s, %v; want %s", seed, got, err, want[seed].hex)
		}
	}
}

// TestLabels checks that labels which are bound twice, never, or were never made are errors.
func TestLabels(t *testing.T) {
	a := New(0)
	l := a.NewLabel()
	a.Emit(JMP, To(l))
	if _, err := a.Finish(nil); err == nil || !strings.Contains(err.Error(), "not bound") {
		t.Errorf("not bound: %v", err)
	}
	a.Reset()
	l = a.NewLabel()
	a.Bind(l)
	a.Bind(l)
	if _, err := a.Finish(nil); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("twice: %v", err)
	}
	a.Reset()
	a.Bind(3)
	if _, err := a.Finish(nil); err == nil || !strings.Contains(err.Error(), "no label 3") {
		t.Errorf("unknown: %v", err)
	}
	a.Reset()
	a.Emit(JE, To(7))
	if _, err := a.Finish(nil); err == nil || !strings.Contains(err.Error(), "label 7") {
		t.Errorf("jump to an unknown label: %v", err)
	}
}

// TestAlign checks that the position after Align is a multiple, that jumps over it reach their targets, and that the
// padding does nothing.
func TestAlign(t *testing.T) {
	a := New(0)
	for pad := range 130 {
		for _, n := range []int{1, 2, 8, 16, 64} {
			a.Reset()
			back, ahead := a.NewLabel(), a.NewLabel()
			a.Emit(JMP, To(ahead))
			for range pad {
				a.Emit(NOP)
			}
			a.Align(n)
			a.Bind(back)
			a.Emit(JMP, To(back))
			a.Bind(ahead)
			a.Emit(RET)
			code, err := a.Finish(nil)
			at := a.Place(back)
			if err != nil || at%n != 0 || !bytes.Equal(code[at:], []byte{0xeb, 0xfe, 0xc3}) {
				t.Fatalf("%d instructions, aligned to %d: at %d, %x, %v", pad, n, at, code, err)
			}
			if to := landing(code); to != a.Place(ahead) || code[to] != 0xc3 {
				t.Fatalf("%d instructions, aligned to %d: the jump ends at %d of %x", pad, n, to, code)
			}
		}
	}
	for n := range 64 {
		if got := appendNops(nil, n); len(got) != n {
			t.Errorf("%d bytes to fill: %x", n, got)
		}
	}
}

// landing returns the target of the jump at the start of the code.
func landing(code []byte) int {
	if code[0] == 0xeb {
		return 2 + int(int8(code[1]))
	}
	return 5 + int(int32(uint32(code[1])|uint32(code[2])<<8|uint32(code[3])<<16|uint32(code[4])<<24))
}

// block emits typical code.
func block(a *Asm) {
	loop := a.NewLabel()
	a.Bind(loop)
	for i := range 8 {
		a.Emit(VMOVUPS, Z(i), At(RSI, int32(64*i)))
		a.Emit(VADDPS, Z(i).Mask(K(1)), Z(i), At(RSI, 4).Bcst(16))
		a.Emit(VFMADD231PS, Z(i), Z(i+8), Z(31), RoundNearest)
		a.Emit(VPCMPD, K(2), Z(i), At(RSI, int32(64*i)), Imm(1))
		a.Emit(VMOVUPS, At(RDI, int32(64*i)), Z(i))
	}
	a.Emit(SUB, RCX, Imm(1))
	a.Emit(JNE, To(loop))
}

// TestNoAllocation checks that an Asm which has grown does not allocate.
func TestNoAllocation(t *testing.T) {
	a := New(cpu.All)
	var code []byte
	if n := testing.AllocsPerRun(100, func() {
		a.Reset()
		block(a)
		code, _ = a.Finish(code[:0])
	}); n != 0 || a.Err() != nil {
		t.Errorf("%v allocations, %v", n, a.Err())
	}
}

// BenchmarkEmit measures the time per instruction.
func BenchmarkEmit(b *testing.B) {
	a := New(cpu.All)
	var code []byte
	for i := 0; i < b.N; i += 42 {
		a.Reset()
		block(a)
		code, _ = a.Finish(code[:0])
	}
	b.ReportMetric(float64(len(code))/42, "bytes/op")
}
