package exectest

import (
	"bytes"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// base is the start of the segment of most memory tests: not aligned.
const base = 0x1003

func space(name string, at uint64, size int, rnd *rand.Rand) (*mem.Space, []byte) {
	seg := mem.NewSegment("buf", at, size, mem.ReadWrite)
	for i := range seg.Data {
		seg.Data[i] = byte(rnd.Uint32())
	}
	s, err := mem.NewSpace(name, seg)
	if err != nil {
		panic(err)
	}
	return s, seg.Data
}

// envOf has one global space.
func envOf(global *mem.Space) *exec.Env {
	return &exec.Env{Spaces: exec.Spaces{ir.GlobalSpace: {global}}}
}

// An access is one load or store with the homes of its address and values.
type access struct {
	m    ir.Mem
	t    ir.Type
	op   ir.Op
	addr home
	vals []home
	blk  *ir.Block
}

// accesses are loads and stores of every type, element size and scope, one to three elements, with addresses of 32
// and 64 bits.
func accesses(m *ir.Machine) (as []access) {
	for _, op := range []ir.Op{ir.Load, ir.Store} {
		for t := ir.I8; t <= ir.V4I8; t++ {
			for i := range 4 * 3 * 2 * 2 * 2 {
				a := access{op: op, t: t, m: ir.Mem{Space: ir.GlobalSpace, Elem: 1 << (i % 4), Count: uint8(1 + i/4%3), Signed: i/12%2 != 0}}
				a.addr = home{t: ir.I64, wave: i/24%2 != 0}
				if i/48 != 0 {
					a.addr.t = ir.I32
				}
				if a.build(m) {
					as = append(as, a)
				}
			}
		}
	}
	return as
}

// build makes the block: values in home 1 and up; the mask is exec, or none if the address is uniform.
func (a *access) build(m *ir.Machine) bool {
	s := newAssembly(m)
	in := ir.Inst{Op: a.op, Type: a.t, Mem: a.m, Args: []ir.Val{s.fetch(a.addr)}}
	for i := range int(a.m.Count) {
		h := home{t: a.t, wave: a.addr.wave, first: 1 + i}
		a.vals = append(a.vals, h)
		if a.op == ir.Store {
			in.Args = append(in.Args, s.fetch(h))
		}
	}
	mask := s.add(ir.Inst{Op: ir.Get, Type: ir.I1, Cell: cellOf(fileF+1, 0)})
	if !a.addr.wave {
		in.Args = append(in.Args, mask)
	}
	v := s.add(in)
	if a.op == ir.Load {
		for i, h := range a.vals {
			s.keep(h, v+ir.Val(i), mask)
		}
	}
	a.blk = s.b
	return s.finish() == nil
}

// testAccess: every form of access moves the right bytes, in the lanes of the mask only, in lane order.
func testAccess(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	rnd := rand.New(rand.NewPCG(4, 4))
	as := accesses(m)
	if len(as) < 100 {
		t.Fatalf("%d accesses", len(as))
	}
	global, data := space("global", base, 300, rnd)
	for i := range as {
		a := &as[i]
		r := e.NewRunner(exec.NewProgram(NewCode(m, a.blk)))
		for _, lanes := range m.Widths {
			st, _ := exec.NewState(m, lanes)
			for _, mask := range masks(st, rnd) {
				fill(st, rnd)
				a.aim(st, mask, rnd)
				st.Start(entry, st.Full)
				st.Exec = mask
				want, after := st.Snapshot(), bytes.Clone(data)
				count := a.expect(want, after)
				env := envOf(global)
				stop := r.Run(st, env, exec.Budget{Steps: 1})
				if d := want.Diff(st, 3); stop.Reason != exec.StopBudget || d != nil || !bytes.Equal(after, data) {
					t.Fatalf("%d lanes, exec %#x: stop %v %v; want, got: %q; %s\n%s",
						lanes, mask, stop.Reason, stop.Fault, d, Differs(base, data, after), ir.Print(m, a.blk))
				}
				if n := env.Count.Memory[ir.GlobalSpace]; n.Read+n.Written != count || env.Count.Total() != n {
					t.Fatalf("%+v counted, want %d bytes of global memory\n%s", env.Count, count, ir.Print(m, a.blk))
				}
			}
		}
	}
}

// aim gives lanes of the mask addresses inside the segment, close together so that they overlap, and the other
// lanes addresses that would fault.
func (a *access) aim(st *exec.State, mask uint64, rnd *rand.Rand) {
	for lane := range st.Lanes {
		x := uint64(base + rnd.IntN(300-a.m.Bytes()+1))
		if rnd.IntN(2) == 0 {
			x = base + uint64(rnd.IntN(8))
		}
		if mask>>lane&1 == 0 && !a.addr.wave {
			x = rnd.Uint64() | 1<<31
		}
		a.addr.put(st, lane, x)
	}
}

// expect performs the access lane by lane and byte by byte, and counts the bytes.
func (a *access) expect(st *exec.State, data []byte) (count uint64) {
	st.Clock++
	lanes := st.Exec
	if a.addr.wave {
		lanes = 1
	}
	before := st.Snapshot()
	for lane := range st.Lanes {
		if lanes>>lane&1 == 0 {
			continue
		}
		at := a.addr.read(before, lane) - base
		for _, h := range a.vals {
			elem := data[at : at+uint64(a.m.Elem)]
			x := h.read(before, lane)
			if a.op == ir.Store {
				for k := range elem {
					elem[k] = byte(x >> (8 * k))
				}
			} else {
				h.put(st, lane, extended(elem, a.m.Signed, a.t.Bits()))
			}
			at += uint64(a.m.Elem)
			count += uint64(a.m.Elem)
		}
	}
	return count
}

// extended is the little-endian number in elem as n bits.
func extended(elem []byte, signed bool, n int) (x uint64) {
	if signed && elem[len(elem)-1]&0x80 != 0 {
		x = ^uint64(0)
	}
	for k := len(elem) - 1; k >= 0; k-- {
		x = x<<8 | uint64(elem[k])
	}
	if n < 64 {
		x &= 1<<n - 1
	}
	return x
}

// testAtomics: every operation, with all lanes on few addresses: results and memory are those of one lane after the
// other, lowest first.
func testAtomics(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	rnd := rand.New(rand.NewPCG(5, 5))
	global, data := space("global", 0, 16, rnd)
	for op := mem.AtomicOp(0); op.Valid(); op++ {
		for _, typ := range []ir.Type{ir.I32, ir.I64} {
			blk := atomicBlock(t, m, op, typ)
			r := e.NewRunner(exec.NewProgram(NewCode(m, blk)))
			for _, lanes := range m.Widths {
				st, _ := exec.NewState(m, lanes)
				for _, mask := range masks(st, rnd) {
					fill(st, rnd)
					old, addr := home{t: typ, first: 3}, home{t: ir.I32, first: 0}
					for lane := range lanes {
						addr.put(st, lane, uint64(rnd.IntN(2)*8))
					}
					st.Start(entry, st.Full)
					st.Exec = mask
					want, after := st.Snapshot(), bytes.Clone(data)
					want.Clock++
					n := typ.Bits() / 8
					for lane := range lanes {
						if mask>>lane&1 != 0 {
							w := after[addr.read(st, lane):][:n]
							x := mem.Load(w)
							data, cmp := home{t: typ, first: 1}.read(st, lane), home{t: typ, first: 2}.read(st, lane)
							mem.Store(w, op.Apply(typ.Bits(), x, data, cmp))
							old.put(want, lane, x)
						}
					}
					env := envOf(global)
					stop := r.Run(st, env, exec.Budget{Steps: 1, Counted: true})
					k := uint64(bits.OnesCount64(mask & st.Full))
					if c, want := env.Count.Total(), (exec.Traffic{Read: k * uint64(n), Written: k * uint64(n), Atomics: k}); c != want {
						t.Fatalf("%v %v, %d lanes, exec %#x: counted %+v", op, typ, lanes, mask, c)
					}
					if d := want.Diff(st, 3); stop.Reason != exec.StopBudget || d != nil || !bytes.Equal(after, data) {
						t.Fatalf("%v %v, %d lanes, exec %#x: stop %v %v; want, got: %q; %s",
							op, typ, lanes, mask, stop.Reason, stop.Fault, d, Differs(0, data, after))
					}
				}
			}
		}
	}
}

// atomicBlock: address in home 0, data in 1, comparand in 2, old value to 3.
func atomicBlock(t *testing.T, m *ir.Machine, op mem.AtomicOp, typ ir.Type) *ir.Block {
	s := newAssembly(m)
	a := ir.Mem{Space: ir.GlobalSpace, Elem: uint8(typ.Bits() / 8), Count: 1, Atomic: uint8(op)}
	in := ir.Inst{Op: ir.AtomicRMW, Type: typ, Mem: a}
	in.Args = []ir.Val{s.fetch(home{t: ir.I32}), s.fetch(home{t: typ, first: 1})}
	if op.Two() {
		in.Args = append(in.Args, s.fetch(home{t: typ, first: 2}))
	}
	mask := s.add(ir.Inst{Op: ir.Get, Type: ir.I1, Cell: cellOf(fileF+1, 0)})
	in.Args = append(in.Args, mask)
	s.keep(home{t: typ, first: 3}, s.add(in), mask)
	if err := s.finish(); err != nil {
		t.Fatal(err)
	}
	return s.b
}
