package gen

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/ir"
)

// A trial is one transfer with its data.
type trial struct {
	t      portable.Transfer
	memory []byte
	data   []byte // part of memory
	addrs  [ir.MaxLanes]uint64
}

// addresses fills the trial's addresses in one of many ways; some are at the edges of the segment, or out of bounds.
func (x *trial) addresses(r *rand.Rand, lanes int) {
	n, size := uint64(len(x.data)), x.t.Size
	start := x.t.Base + r.Uint64N(n/4)
	if r.IntN(2) == 0 {
		start = start / 16 * 16
	}
	ways := [...]func(lane uint64) uint64{
		func(lane uint64) uint64 { return start + lane*size },
		func(uint64) uint64 { return start },
		func(lane uint64) uint64 { return start + (63-lane)*size },
		func(lane uint64) uint64 { return start + lane*(size+1)/2 },
		func(uint64) uint64 { return x.t.Base + r.Uint64N(n-size+1) },
		func(lane uint64) uint64 { return x.t.Base + n - (uint64(lanes)-lane)*size },
		func(lane uint64) uint64 { return x.t.Base + lane*size },
	}
	way := ways[r.IntN(len(ways))]
	for lane := range x.addrs {
		x.addrs[lane] = r.Uint64()
		if lane < lanes {
			x.addrs[lane] = way(uint64(lane))
		}
	}
	odd := &x.addrs[r.IntN(lanes)]
	switch r.IntN(8) {
	case 0:
		*odd = x.t.Base + n - size + 1
	case 1:
		*odd = x.t.Base - 1
	case 2:
		*odd = x.t.Base + n - size
	case 3:
		*odd++
	}
}

// newTrial returns one of the kind, for a wave of that width.
func newTrial(r *rand.Rand, k lower.TransferKind, lanes int) *trial {
	x := &trial{memory: make([]byte, 4096+64)}
	for i := range x.memory {
		x.memory[i] = byte(r.Uint32())
	}
	x.data = x.memory[32 : len(x.memory)-32 : len(x.memory)-32]
	t := &x.t
	t.TransferKind = k
	t.Lanes, t.Count = uint64(lanes), uint64(1)
	if r.IntN(2) == 0 {
		t.Count = 1 + r.Uint64N(lower.TransferElems)
	}
	full := ^uint64(0) >> (64 - lanes)
	switch r.IntN(4) {
	case 0:
		t.Mask = r.Uint64() & full
	case 1:
		t.Mask = full &^ (1 << r.IntN(lanes))
	case 2:
		t.Mask = 1 << r.IntN(lanes)
	}
	if t.Mask == 0 {
		t.Mask = full
	}
	t.Rest = full &^ t.Mask
	t.Size = t.Count * uint64(k.Bytes)
	t.Base, t.Data, t.Last = 0x1000, x.data, uint64(len(x.data))-t.Size
	t.Align = uint64(1)<<r.IntN(3) - 1
	quads := r.IntN(2) == 0
	if quads {
		t.Base = 0x7000_0000_0100
	}
	x.addresses(r, lanes)
	if quads {
		t.Quads = (*ir.Vec)(&x.addrs)
	} else {
		t.Row = new(lower.Row)
		for lane := range x.addrs {
			x.addrs[lane] = uint64(uint32(x.addrs[lane]))
			t.Row[lane] = uint32(x.addrs[lane])
		}
	}
	for first := range lanes {
		if t.Mask>>first&1 != 0 {
			t.First = x.addrs[first] - uint64(first)*t.Size
			break
		}
	}
	for i := range t.Count {
		t.Rows[i], t.Vecs[i] = new(lower.Row), new(ir.Vec)
		for lane := range t.Vecs[i] {
			t.Vecs[i][lane], t.Rows[i][lane] = r.Uint64(), r.Uint32()
		}
	}
	return x
}

// good reports whether all active lanes may access their addresses.
func (x *trial) good() bool {
	for lane, addr := range x.addrs {
		off := addr - x.t.Base
		if x.t.Mask>>lane&1 != 0 && (addr < x.t.Base || off > uint64(len(x.data)) || uint64(len(x.data))-off < x.t.Size || addr&x.t.Align != 0) {
			return false
		}
	}
	return true
}

// loaded returns the loaded element i of a lane.
func (x *trial) loaded(i, lane int) uint64 {
	if x.t.Mask>>lane&1 == 0 {
		return 0
	}
	var b [8]byte
	n := int(x.t.Bytes)
	copy(b[:n], x.data[x.addrs[lane]-x.t.Base+uint64(i*n):])
	v := binary.LittleEndian.Uint64(b[:])
	if x.t.Signed && b[n-1] >= 128 {
		v -= 1 << (8 * n)
	}
	if !x.t.Wide {
		v = uint64(uint32(v))
	}
	return v
}

// value returns the value of element i in a lane.
func (x *trial) value(i, lane int) uint64 {
	if x.t.Wide {
		return x.t.Vecs[i][lane]
	}
	return uint64(x.t.Rows[i][lane])
}

// stored returns memory after the store.
func (x *trial) stored() []byte {
	b := bytes.Clone(x.memory)
	for lane := range int(x.t.Lanes) {
		for i := range int(x.t.Count) {
			for k := range int(x.t.Bytes) {
				if x.t.Mask>>lane&1 != 0 {
					b[32+x.addrs[lane]-x.t.Base+uint64(i*int(x.t.Bytes)+k)] = byte(x.value(i, lane) >> (8 * k))
				}
			}
		}
	}
	return b
}

// TestTransfer checks that transfers of each kind, with each vector length, do what a loop over lanes and bytes does,
// or nothing if a lane is rejected.
func TestTransfer(t *testing.T) {
	for _, level := range tested(t) {
		n := nativeOf(level)
		if n.transfers == nil {
			t.Fatal("no code: ", n.Lacks())
		}
		r, w := rand.New(rand.NewPCG(1, uint64(level))), n.NewWorker()
		for _, k := range transferKinds() {
			done := [2]int{}
			for range 1500 {
				x := newTrial(r, k, []int{4, 16, 32, 64}[r.IntN(4)])
				if done[flag(tryTransfer(t, w, x, r))]++; t.Failed() {
					return
				}
			}
			if done[0] < 150 || done[1] < 150 {
				t.Errorf("%+v: %d transfers were refused, %d done", k, done[0], done[1])
			}
		}
	}
}

// tryTransfer does one and compares; it reports whether it was done. Sometimes addresses are where values go.
func tryTransfer(t *testing.T, w portable.CodeRunner, x *trial, r *rand.Rand) bool {
	memory, loads := bytes.Clone(x.memory), x.t.Do == lower.LoadElems
	good := x.good()
	if good && x.t.Do == lower.StoreElems {
		memory = x.stored()
	}
	var want [lower.TransferElems][ir.MaxLanes]uint64
	at := x.addrs
	lanes, count := int(x.t.Lanes), int(x.t.Count)
	if alias := r.IntN(count); loads && r.IntN(3) == 0 {
		if x.t.Quads != nil && x.t.Wide {
			x.t.Vecs[alias] = x.t.Quads
		} else if x.t.Quads == nil && !x.t.Wide {
			x.t.Rows[alias] = x.t.Row
		}
	}
	for i := range count {
		for lane := range lanes {
			if want[i][lane] = x.value(i, lane); good && loads {
				want[i][lane] = x.loaded(i, lane)
			}
		}
	}
	if got := w.Transfer(&x.t); got != good {
		t.Errorf("%+v: done %v, want %v; addresses %#x", x.t, got, good, at[:lanes])
	}
	if !bytes.Equal(x.memory, memory) {
		t.Errorf("%+v: memory differs; addresses %#x", x.t.TransferKind, at[:lanes])
	}
	for i := range count {
		for lane := range lanes {
			if got := x.value(i, lane); got != want[i][lane] {
				t.Errorf("%+v: element %d of lane %d of %d is %#x, want %#x", x.t.TransferKind, i, lane, lanes, got, want[i][lane])
				return good
			}
		}
	}
	return good
}
