package gen

import (
	"math/bits"
	"unsafe"

	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/internal/portable"
)

// Loads and stores that the caller executes call code that all blocks share: those of lower tiers, of blocks that are
// not wholly compiled, and of the rest of a block whose code has exited. Short launches need it: their first accesses
// exit, since the segment is not known yet. The code checks all lanes before it touches memory. Lanes that are
// consecutive in memory are moved as vectors, others lane by lane in ascending order: if two lanes store to one byte,
// the higher lane's value remains.

// Offsets in the portable.Transfer at Context.Spaces.
const (
	offRow   = int32(unsafe.Offsetof(portable.Transfer{}.Row))
	offQuads = int32(unsafe.Offsetof(portable.Transfer{}.Quads))
	offMask  = int32(unsafe.Offsetof(portable.Transfer{}.Mask))
	offRest  = int32(unsafe.Offsetof(portable.Transfer{}.Rest))
	offBase  = int32(unsafe.Offsetof(portable.Transfer{}.Base))
	offData  = int32(unsafe.Offsetof(portable.Transfer{}.Data)) // the pointer to the first byte
	offLast  = int32(unsafe.Offsetof(portable.Transfer{}.Last))
	offAlign = int32(unsafe.Offsetof(portable.Transfer{}.Align))
	offSize  = int32(unsafe.Offsetof(portable.Transfer{}.Size))
	offFirst = int32(unsafe.Offsetof(portable.Transfer{}.First))
	offCount = int32(unsafe.Offsetof(portable.Transfer{}.Count))
	offLanes = int32(unsafe.Offsetof(portable.Transfer{}.Lanes))
	offRows  = int32(unsafe.Offsetof(portable.Transfer{}.Rows))
	offVecs  = int32(unsafe.Offsetof(portable.Transfer{}.Vecs))
)

// kinds is the number of values of kindOf.
const kinds = 48

// kindOf numbers the kinds of transfers.
func kindOf(k lower.TransferKind) int {
	n := int(k.Do-lower.CheckOnly)*4 + bits.TrailingZeros8(k.Bytes)
	return n*4 + flag(k.Wide)*2 + flag(k.Signed)
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// transfers is the code, by kind and whether addresses have 64 bits; -1: none.
type transfers struct {
	*code.Unit
	at [kinds][2]int
}

// newTransfers emits the code.
func newTransfers(set cpu.Set, arena *code.Arena) (*transfers, error) {
	a := x86.New(set)
	var labels [kinds][2]x86.Label
	t := &transfers{}
	bytes8 := a.NewLabel()
	each := func(do func(k lower.TransferKind, n, quads int)) {
		for _, k := range transferKinds() {
			for quads := range 2 {
				do(k, kindOf(k), quads)
			}
		}
	}
	each(func(k lower.TransferKind, n, quads int) {
		labels[n][quads] = a.NewLabel()
		a.Align(16)
		a.Bind(labels[n][quads])
		w := transfer{a: a, k: k, addr64: quads == 1, wide512: set.Has(cpu.Level512), bytes8: bytes8}
		w.write()
	})
	a.Bind(bytes8)
	a.Data(0, 1, 2, 3, 4, 5, 6, 7)
	text, err := a.Finish(nil)
	if err != nil {
		return nil, err
	}
	if t.Unit, err = arena.Add(text); err != nil {
		return nil, err
	}
	for n := range t.at {
		t.at[n] = [2]int{-1, -1}
	}
	each(func(_ lower.TransferKind, n, quads int) { t.at[n][quads] = a.Place(labels[n][quads]) })
	return t, nil
}

// transferKinds returns the kinds that have code.
func transferKinds() []lower.TransferKind {
	list := []lower.TransferKind{{Do: lower.CheckOnly, Bytes: 4}}
	for _, wide := range []bool{false, true} {
		for _, bytes := range []uint8{1, 2, 4, 8} {
			if bytes == 8 && !wide {
				continue
			}
			list = append(list, lower.TransferKind{Do: lower.LoadElems, Bytes: bytes, Wide: wide},
				lower.TransferKind{Do: lower.StoreElems, Bytes: bytes, Wide: wide})
			if bytes < 4 || bytes == 4 && wide {
				list = append(list, lower.TransferKind{Do: lower.LoadElems, Bytes: bytes, Wide: wide, Signed: true})
			}
		}
	}
	return list
}

// Transfer implements portable.CodeRunner.
func (w *worker) Transfer(t *portable.Transfer) bool {
	if w.n.transfers == nil {
		return false
	}
	quads := flag(t.Quads != nil)
	at := w.n.transfers.at[kindOf(t.TransferKind)][quads]
	if at < 0 {
		return false
	}
	c := w.memory
	c.Spaces = unsafe.Pointer(t)
	w.n.transfers.Call(c, at)
	return c.What == 0
}

func arg(i int) x86.Operand { return x86.At(x86.RDI, code.OffArgs+int32(8*i)) }
