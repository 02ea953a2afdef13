package emul

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
)

var (
	runs  = flag.Int("runs", 0, "states that each instruction runs with; 0: a few")
	only  = flag.String("only", "", "instructions whose names begin so, and no others")
	seed  = flag.Uint64("first", 1, "seed of states")
	bochs = flag.Bool("bochs", false, "the processor is Bochs")
	diffs = flag.Int("diffs", 3, "differences of an instruction that are shown")
)

// A state is the input and output of an instruction. rbp points to it, and so is one of the registers that no
// instruction here uses.
type state struct {
	V       [32][64]byte
	R       [16]uint64
	K       [8]uint64
	MXCSR   uint32
	_       uint32
	A, B    uint64 // compared before
	RBP     uint64 // of the caller
	Flags   [8]uint8
	Earlier [1816]byte // Data begins at a cache line
	Data    [4096]byte
}

const (
	offR     = int32(unsafe.Offsetof(state{}.R))
	offK     = int32(unsafe.Offsetof(state{}.K))
	offMXCSR = int32(unsafe.Offsetof(state{}.MXCSR))
	offA     = int32(unsafe.Offsetof(state{}.A))
	offB     = int32(unsafe.Offsetof(state{}.B))
	offRBP   = int32(unsafe.Offsetof(state{}.RBP))
	offFlags = int32(unsafe.Offsetof(state{}.Flags))
)

var setters = [...]x86.Op{x86.SETB, x86.SETP, x86.SETE, x86.SETS, x86.SETO}

const letters = "CPZSO"

// moveVectors loads or stores all vectors and masks that the processor has.
func moveVectors(a *x86.Asm, load bool) {
	both := func(op x86.Op, r, at x86.Operand) {
		if load {
			a.Emit(op, r, at)
		} else {
			a.Emit(op, at, r)
		}
	}
	if !a.Has(cpu.Level512) {
		for i := range 16 {
			both(x86.VMOVUPS, x86.Y(i), x86.At(x86.RBP, int32(64*i)))
		}
		return
	}
	for i := range 32 {
		both(x86.VMOVUPS, x86.Z(i), x86.At(x86.RBP, int32(64*i)))
	}
	for i := range 8 {
		both(x86.KMOVQ, x86.K(i), x86.At(x86.RBP, offK+int32(8*i)))
	}
}

// frame returns code that loads a state, runs one instruction, and stores the state.
func frame(a *x86.Asm, instruction []byte) ([]byte, error) {
	a.Reset()
	a.Emit(x86.MOV, x86.RDI, x86.At(x86.RDI, code.OffV))
	a.Emit(x86.MOV, x86.At(x86.RDI, offRBP), x86.RBP)
	a.Emit(x86.MOV, x86.RBP, x86.RDI)
	a.Emit(x86.VLDMXCSR, x86.At(x86.RBP, offMXCSR))
	moveVectors(a, true)
	a.Emit(x86.MOV, x86.RAX, x86.At(x86.RBP, offA))
	a.Emit(x86.CMP, x86.RAX, x86.At(x86.RBP, offB))
	for i := range 16 {
		if i != rsp && i != rbp {
			a.Emit(x86.MOV, x86.R64(i), x86.At(x86.RBP, offR+int32(8*i)))
		}
	}
	a.Data(instruction...)
	for i := range 16 {
		if i != rsp && i != rbp {
			a.Emit(x86.MOV, x86.At(x86.RBP, offR+int32(8*i)), x86.R64(i))
		}
	}
	for i, op := range setters {
		a.Emit(op, x86.At(x86.RBP, offFlags+int32(i)))
	}
	moveVectors(a, false)
	a.Emit(x86.MOV, x86.RBP, x86.At(x86.RBP, offRBP))
	a.Emit(x86.RET)
	return a.Finish(nil)
}

// undefined has the flags that an instruction leaves undefined.
var undefined = map[string]string{
	"imul": "PZS", "mul": "PZS", "tzcnt": "PSO", "lzcnt": "PSO", "bzhi": "P", "blsr": "P", "blsmsk": "P", "blsi": "P", "andn": "P", "bextr": "PS",
	"shl": "CO", "shr": "CO", "sar": "O", "rol": "O", "ror": "O",
}

// lockable are the instructions that may have a lock prefix.
var lockable = map[string]bool{
	"add": true, "adc": true, "sub": true, "sbb": true, "and": true, "or": true, "xor": true, "not": true, "neg": true, "inc": true, "dec": true,
	"xadd": true, "cmpxchg": true,
}

// A trial is an instruction to be tested.
type trial struct {
	line  string
	bytes []byte
	in    x86.Inst
	mem   *x86.View // its memory operand
	index int       // bytes of the indices of a gather
	even  bool      // memory must be aligned
}

// fits reports whether the instruction can be tested: it does not use rsp and rbp, and its memory operand can be
// placed anywhere.
func (t *trial) fits() bool {
	for _, o := range t.in.Args[:t.in.N] {
		v := o.View()
		switch v.What {
		case x86.General:
			if v.Num == rsp || v.Num == rbp {
				return false
			}
		case x86.Target:
			return false
		case x86.Memory, x86.Gathered:
			t.mem = &v
			if v.Base == x86.NextIP || v.Base == rsp || v.Base == rbp || v.What == x86.Memory && (v.Index == rbp || v.Base == v.Index) {
				return false
			}
			if v.Base == x86.NoRegister && (v.What == x86.Gathered || v.Index == x86.NoRegister) {
				return false
			}
			if v.What == x86.Gathered {
				name := t.in.Op.String()
				_, kind, _ := strings.Cut(strings.ReplaceAll(name, "scatter", "gather"), "gather")
				t.index = map[byte]int{'d': 4, 'q': 8}[kind[0]]
			}
		}
	}
	switch name := t.in.Op.String(); name {
	case "jmp", "ret", "int3", "ud2", "lock", "vldmxcsr":
		return false
	case "vmovaps", "vmovapd", "vmovdqa", "vmovdqa32", "vmovdqa64", "vmovntdqa", "vmovntdq", "vmovntps":
		t.even = true
	}
	return !t.even || t.mem == nil || t.mem.Base != x86.NoRegister
}

// rebase changes the memory operand's base to a register that may point to the data.
func (t *trial) rebase(a *x86.Asm) bool {
	args := t.in.Operands()
	for i, o := range args {
		v := o.View()
		if v.What != x86.Memory && v.What != x86.Gathered {
			continue
		}
		made := x86.At(x86.RSI, 8)
		switch {
		case v.What == x86.Gathered:
			made = made.Index(x86.V(v.Bits, v.Index), 1<<v.Scale)
		case v.Bcst != 0:
			made = made.Bcst(v.Bcst)
		case v.Size != 0:
			made = made.Size(v.Size)
		}
		if v.Mask != 0 {
			made = made.Mask(x86.K(v.Mask))
		}
		args[i] = made
	}
	a.Reset()
	a.Emit(t.in.Op, args...)
	text, err := a.Finish(nil)
	if err != nil || x86.Decode(text, &t.in) != nil {
		return false
	}
	t.bytes, t.mem, t.even = text, nil, false
	return t.fits()
}

// vary randomises the last byte of an immediate and the embedded rounding.
func (t *trial) vary(r *rand.Rand) {
	t.change(len(t.bytes)-1, 0xff, byte(r.Uint32()), x86.Immediate)
	if v := t.in.Round.View(); v.What == x86.Rounding && v.Num < 4 {
		t.change(3, 0x60, byte(r.Uint32()), x86.Rounding)
	}
}

// change changes bits of a byte if that changes only an operand of a kind.
func (t *trial) change(at int, mask, to byte, what int) {
	made := bytes.Clone(t.bytes)
	made[at] = made[at]&^mask | to&mask
	var in x86.Inst
	if x86.Decode(made, &in) != nil || in.Form != t.in.Form || in.Len != t.in.Len {
		return
	}
	a, b := in.Operands(), t.in.Operands()
	if len(a) != len(b) {
		return
	}
	for i := range a {
		if a[i] != b[i] && (a[i].View().What != what || b[i].View().What != what) {
			return
		}
	}
	t.bytes, t.in = made, in
}

// edges are edge values of integers and of floats of each size.
var edges = map[int][]uint64{
	2: {0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7c01, 0xfd55, 0x3555, 0xffff},
	4: {0, 1 << 31, 1, 0x80000001, 0x7fffff, 0x807fffff, 0x400000, 0x800000, 0x80800000, 0x800001, 0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f000000,
		0xbf000000, 0x3fc00000, 0x40200000, 0x4f000000, 0xcf000000, 0x4effffff, 0xcf000001, 0x4f800000, 0x4f7fffff, 0x5f000000, 0xdf000000, 0x5f800000,
		0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7fc12345, 0x7f812345, 0xffd54321, 0xff800001, 0x1f800000, 0x20000001,
		0x38800000, 0x387fffff, 0x33000000, 0x33000001, 0x477fefff, 0x477ff000, 0x43160000, 0xc3160000, 0x7fffffff, 0xffffffff, 0x4b000001},
	8: {0, 1 << 63, 1, 1<<63 | 1, 1<<52 - 1, 1 << 52, 1<<63 | 1<<52, 1<<52 + 1, 0x3ff0000000000000, 0xbff0000000000000, 0x3fe0000000000000,
		0xbfe0000000000000, 0x3ff8000000000000, 0x41e0000000000000, 0xc1e0000000000000, 0x41dfffffffc00000, 0x41dfffffffe00000, 0xc1e0000000100000,
		0x41f0000000000000, 0x41efffffffe00000, 0x43e0000000000000, 0xc3e0000000000000, 0x43f0000000000000, 0x7fefffffffffffff, 0xffefffffffffffff,
		0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000001, 0x7ff0000000000001, 0xfff4000000000000, 0x3810000000000000,
		0x380fffffffffffff, 0x36a0000000000000, 0x3690000000000001, 0x47efffffe0000000, 0x47effffff0000000, 0x40b0000000000000, 0xc0b0000000000000,
		0x3cb0000000000000, 0x4330000000000001, 1<<64 - 1},
}

// fill fills bytes with values of some kind.
func fill(r *rand.Rand, b []byte) {
	kind, size := r.IntN(5), []int{2, 4, 4, 8, 8}[r.IntN(5)]
	for i := 0; i < len(b); i += size {
		v := r.Uint64()
		switch k := kind; {
		case k <= 1:
			if r.IntN(4) != 0 {
				v = edges[size][r.IntN(len(edges[size]))]
			}
		case k == 2:
			v %= 80
		case k == 3: // floats near one
			v = map[int]uint64{2: 0x3c00 + v%0x1000 - 0x800, 4: 0x3f800000 + v%0x6000000 - 0x3000000, 8: 0x3ff<<52 + v%(96<<52) - 48<<52}[size] ^ v>>63<<(8*size-1)
		}
		for n := range size {
			b[i+n] = byte(v >> (8 * n))
		}
	}
}

// random makes a state for a trial.
func (st *state) random(r *rand.Rand, t *trial, at uint64) {
	for i := range st.V {
		fill(r, st.V[i][:])
	}
	for i := range st.R {
		st.R[i] = r.Uint64() >> (r.IntN(3) * r.IntN(63))
	}
	for i := range st.K {
		st.K[i] = r.Uint64() & (r.Uint64() | -uint64(r.IntN(2)))
	}
	st.MXCSR = cpu.Masked | uint32(r.IntN(4))<<cpu.RoundingAt | uint32(r.IntN(2))*cpu.FlushOperands | uint32(r.IntN(2))*cpu.FlushResults
	st.A, st.B = r.Uint64(), r.Uint64()
	if r.IntN(4) == 0 {
		st.B = st.A
	}
	st.RBP, st.Flags = 0, [8]uint8{}
	if t.mem == nil {
		return
	}
	data := at + uint64(unsafe.Offsetof(st.Data))
	if t.index != 0 {
		fill(r, st.Data[1024:3072])
		st.R[t.mem.Base] = data + 2048 - uint64(t.mem.Imm)
		for i := 0; i < 64; i += t.index {
			v := uint64(int64(r.IntN(128) - 64))
			for n := range t.index {
				st.V[t.mem.Index][i+n] = byte(v >> (8 * n))
			}
		}
		return
	}
	off := 512 + uint64(r.IntN(2048))
	if t.even || t.mem.Base == x86.NoRegister {
		off &^= 63
	}
	if t.mem.Base == x86.NoRegister {
		off += uint64(t.mem.Imm) & (1<<t.mem.Scale - 1)
		st.R[t.mem.Index] = (data + off - uint64(t.mem.Imm)) >> t.mem.Scale
	} else {
		st.R[t.mem.Base] = data + off - uint64(t.mem.Imm)
		if t.mem.Index != x86.NoRegister {
			st.R[t.mem.Index] = uint64(int64(r.IntN(64) - 32))
			st.R[t.mem.Base] -= st.R[t.mem.Index] << t.mem.Scale
		}
	}
	fill(r, st.Data[off-64:off+128])
}

// trials returns the rows of the assembler's tables.
func trials(t *testing.T) (list []*trial) {
	files, err := filepath.Glob("../x86/testdata/*.txt")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		if filepath.Base(name) == "jumps.txt" {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sc := bufio.NewScanner(bytes.NewReader(data))
		for sc.Scan() {
			text, _, _ := strings.Cut(sc.Text(), " | ")
			code, err := hex.DecodeString(text)
			if err != nil {
				continue // the header
			}
			tr := &trial{line: sc.Text(), bytes: code}
			if err := x86.Decode(code, &tr.in); err != nil {
				t.Fatalf("%s: %v", tr.line, err)
			}
			list = append(list, tr)
		}
	}
	return list
}

// TestProcessor compares every supported instruction with the processor, if that has it.
func TestProcessor(t *testing.T) {
	arena, err := code.NewArena(1 << 20)
	if err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	g := &ground{t: t, arena: arena, asm: x86.New(cpu.Host()), r: rand.New(rand.NewPCG(*seed, 1)), ctx: code.NewContext()}
	g.block = make([]state, 2)
	known, tried, lacking := map[int]bool{}, map[int]bool{}, map[int]bool{}
	n := *runs
	if n == 0 {
		if n = 12; raceEnabled {
			n = 1
		}
	}
	for _, tr := range trials(t) {
		if !strings.HasPrefix(tr.in.Op.String(), *only) || !Knows(&tr.in) {
			continue
		}
		known[tr.in.Form] = true
		if !cpu.Host().Has(tr.in.Need) {
			lacking[tr.in.Form] = true
			continue
		}
		if form := tr.in.Form; !tr.fits() && (!tr.rebase(g.asm) || tr.in.Form != form) {
			continue
		}
		tried[tr.in.Form] = true
		for range 3 {
			if tr.vary(g.r); !*bochs || !tr.others() {
				g.try(tr, n)
			}
		}
		if lockable[tr.in.Op.String()] && tr.mem != nil && tr.in.Args[0].InMemory() && tr.mem.Base != x86.NoRegister {
			tr.bytes, tr.even = append([]byte{0xf0}, tr.bytes...), true
			g.try(tr, n)
		}
	}
	t.Logf("%d forms of %d are known, %d were compared with the processor, which lacks %d", len(known), x86.Forms(), len(tried), len(lacking))
	for f := range known {
		name, _, _ := strings.Cut(x86.FormName(f), " ")
		if !tried[f] && !lacking[f] && !strings.Contains(" jmp ret int3 ud2 vldmxcsr ", " "+name+" ") { // frame has some of these
			t.Errorf("not compared: %s", x86.FormName(f))
		}
	}
	if len(tried) < 900 && cpu.Host().Has(cpu.Level2) && *only == "" {
		t.Errorf("only %d forms were compared", len(tried))
	}
}

// others reports instructions in which Bochs, with which the forms of AVX-512 have been compared, deviates from the
// manual.
func (t *trial) others() bool {
	name, v := t.in.Op.String(), t.in.Round.View()
	switch {
	case strings.HasPrefix(name, "vrndscale") && v.What == x86.Rounding: // MXCSR selects the mode; Bochs takes that of the prefix
		return t.in.Args[t.in.N-1].View().Imm&4 != 0
	case name == "kshiftrw": // shifted by 15 it leaves no bit
		return t.in.Args[2].View().Imm == 15
	case name == "vpinsrb" && t.in.Need.Has(cpu.AVX512BW): // its 8-bit displacements have another unit
		return t.mem != nil
	}
	return false
}

// doubtful makes equal what differs in Bochs: elements after those of a gather of smaller ones.
func (t *trial) doubtful(got, want *state) {
	switch t.in.Op {
	case x86.VPGATHERQD, x86.VGATHERQPS:
		if v := t.in.Args[0].View(); v.Mask != 0 {
			clear(got.V[v.Num][t.in.Bits/16:])
			clear(want.V[v.Num][t.in.Bits/16:])
		}
	}
}

// A ground is the environment of trials.
type ground struct {
	t     *testing.T
	arena *code.Arena
	asm   *x86.Asm
	r     *rand.Rand
	ctx   *code.Context
	block []state
	bad   int
}

// try runs an instruction on some states, on the processor and here.
func (g *ground) try(tr *trial, n int) {
	text, err := frame(g.asm, tr.bytes)
	if err != nil {
		g.t.Fatal(err)
	}
	u, err := g.arena.Add(text)
	if err != nil {
		g.t.Fatal(err)
	}
	defer u.Drop()
	at := uintptr(unsafe.Pointer(&g.block[0]))
	at = (at + 63) &^ 63
	st := (*state)(unsafe.Add(unsafe.Pointer(&g.block[0]), at-uintptr(unsafe.Pointer(&g.block[0]))))
	g.ctx.V = unsafe.Pointer(st)
	shown := 0
	for range n {
		st.random(g.r, tr, uint64(at))
		was := *st
		u.Call(g.ctx, 0)
		want := *st
		*st = was
		if why := g.emulate(u); why != "" {
			g.bad++
			g.t.Errorf("%s: %s", tr.line, why)
			return
		}
		got := *st
		for i, l := range letters {
			if strings.ContainsRune(undefined[tr.in.Op.String()], l) {
				got.Flags[i], want.Flags[i] = 0, 0
			}
		}
		got.RBP, want.RBP = 0, 0
		if *bochs {
			tr.doubtful(&got, &want)
		}
		if got == want {
			continue
		}
		if shown++; shown <= *diffs && g.bad < 40 {
			g.t.Errorf("%s\n%v with MXCSR %#x: %s", tr.line, &tr.in, was.MXCSR, differences(tr, &was, &got, &want))
		}
	}
	if shown > 0 {
		g.bad++
		g.t.Fail()
	}
}

// emulate runs a unit here, and returns the panic, if any.
func (g *ground) emulate(u *code.Unit) (why string) {
	defer func() {
		if p := recover(); p != nil {
			why = fmt.Sprint("panic: ", p)
		}
	}()
	Call(u.Address(0), g.ctx)
	return ""
}

// differences describes the differences, and the operands.
func differences(tr *trial, was, got, want *state) string {
	var b strings.Builder
	for i := range got.V {
		if got.V[i] != want.V[i] {
			fmt.Fprintf(&b, "\nv%d is  %x\nwant   %x", i, got.V[i], want.V[i])
		}
	}
	for i := range got.R {
		if got.R[i] != want.R[i] {
			fmt.Fprintf(&b, "\nr%d is %x, want %x", i, got.R[i], want.R[i])
		}
	}
	for i := range got.K {
		if got.K[i] != want.K[i] {
			fmt.Fprintf(&b, "\nk%d is %x, want %x", i, got.K[i], want.K[i])
		}
	}
	if got.Flags != want.Flags {
		fmt.Fprintf(&b, "\nflags %s are %v, want %v", letters, got.Flags, want.Flags)
	}
	for i := range got.Data {
		if got.Data[i] != want.Data[i] {
			fmt.Fprintf(&b, "\nmemory %d: %x, want %x, was %x", i, got.Data[i:min(i+64, 4096)], want.Data[i:min(i+64, 4096)], was.Data[i:min(i+64, 4096)])
			break
		}
	}
	for _, o := range tr.in.Args[:tr.in.N] {
		switch v := o.View(); v.What {
		case x86.Vector:
			fmt.Fprintf(&b, "\n%v was %x", o, was.V[v.Num])
		case x86.General:
			fmt.Fprintf(&b, "\n%v was %x", o, was.R[v.Num])
		}
		if k := o.View().Mask; k != 0 {
			fmt.Fprintf(&b, "\nk%d was %x", k, was.K[k])
		}
	}
	return b.String()
}
