package portable

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// A TransferOp is what a transfer does once all lanes are known to be within the segment.
type TransferOp uint8

const (
	NoTransfer TransferOp = iota
	CheckOnly
	LoadElems
	StoreElems
	ChangeElem // an atomic; Transfer does not execute these
)

// A TransferKind is the part of a transfer that its code is specialised for.
type TransferKind struct {
	Do     TransferOp
	Bytes  uint8 // of an element: 1, 2, 4, with Wide also 8
	Wide   bool  // values have 64 bits per lane, not 32
	Signed bool  // loaded elements are narrower than their value, and sign-extended
}

// TransferElems is the largest number of elements of a transfer.
const TransferElems = 16

// A Transfer is an access of lanes to one segment.
type Transfer struct {
	TransferKind
	Row   *Row    // addresses
	Quads *ir.Vec // addresses of 64 bits; nil: use Row
	Mask  uint64  // active lanes, at least one
	Rest  uint64  // the wave's other lanes; loads give 0 there
	Base  uint64  // address of Data[0]
	Data  []byte  // of the segment, at least Size
	Last  uint64  // the largest offset of an access
	Align uint64  // bits that must be 0 in addresses
	Size  uint64  // bytes of a lane's access
	First uint64  // address of lane 0 if the lanes of Mask are consecutive
	Count uint64  // elements
	Lanes uint64  // of the wave
	// The values that are stored or loaded. One of the loaded ones may be where the addresses are.
	Rows [TransferElems]*Row
	Vecs [TransferElems]*ir.Vec // if Wide
}

// transferKind returns that of an access; NoTransfer if it cannot be a transfer.
func transferKind(in *ir.Inst, typ ir.Type, values []place) TransferKind {
	k := TransferKind{Do: CheckOnly, Bytes: 4}
	if in.Op == ir.Check {
		return k
	}
	bits, elem := typ.Bits(), in.Mem.Elem
	k = TransferKind{Do: LoadElems, Bytes: elem, Wide: bits > 32, Signed: in.Mem.Signed && bits > 8*int(elem)}
	if in.Op == ir.Store {
		k.Do, k.Signed = StoreElems, false
	}
	if in.Op == ir.AtomicRMW {
		k.Do = ChangeElem
	}
	if len(values) > TransferElems || elem == 8 && !k.Wide || k.Signed && bits != 32 && bits != 64 {
		return TransferKind{}
	}
	for _, p := range values {
		if p.kind != inWord && p.kind != inRow && p.kind != inVec || p.kind == inWord && k.Do != StoreElems || p.kind == inVec && !k.Wide || p.kind == inRow && k.Wide {
			return TransferKind{}
		}
	}
	return k
}

// transfer executes an access for the lanes of m by machine code; false if it did nothing.
func (r *runner) transfer(x *extra, m uint64, want mem.Rights) bool {
	a, p := &x.access, x.args[0]
	if r.worker == nil || a.kind.Do == NoTransfer || p.kind != inRow && p.kind != inVec || m == 0 {
		return false
	}
	t := &r.move
	t.TransferKind, t.Size = a.kind, uint64(a.mem.Bytes())
	first := bits.TrailingZeros64(m) & 63
	addr := r.address(p, first)
	if t.Base, t.Data = r.segment(a, addr, want); uint64(len(t.Data)) < t.Size {
		return false
	}
	if a.kind.Do != CheckOnly && r.mustTell(t.Data, want) {
		return false
	}
	t.Last, t.Align = uint64(len(t.Data))-t.Size, uint64(max(a.mem.Align, 1))-1
	t.First, t.Mask, t.Rest, t.Lanes = addr-uint64(first)*t.Size, m, r.full&^m, uint64(r.st.Lanes)
	if p.kind == inVec {
		t.Quads = &r.vecs[p.at]
	} else {
		t.Row, t.Quads = r.row(p.at), nil
	}
	switch a.kind.Do {
	case LoadElems:
		r.values(t, x.res)
	case StoreElems:
		r.values(t, x.args[1:1+int(a.mem.Count)])
	}
	return r.worker.Transfer(t)
}

// values sets the values of a transfer.
func (r *runner) values(t *Transfer, list []place) {
	t.Count = uint64(len(list))
	for i, p := range list {
		switch {
		case p.kind == inVec:
			t.Vecs[i&(TransferElems-1)] = &r.vecs[p.at]
		case p.kind == inRow:
			t.Rows[i&(TransferElems-1)] = r.row(p.at)
		default:
			r.spread(t, i&(TransferElems-1), r.words[p.at])
		}
	}
}

// spread broadcasts a uniform value that is stored.
func (r *runner) spread(t *Transfer, i int, v uint64) {
	for len(r.spreads) <= i {
		r.spreads = append(r.spreads, new(ir.Vec))
		r.spreadRows = append(r.spreadRows, new(Row))
	}
	if !t.Wide {
		t.Rows[i] = r.spreadRows[i]
		for k := range t.Lanes {
			t.Rows[i][k&63] = uint32(v)
		}
		return
	}
	t.Vecs[i] = r.spreads[i]
	for k := range t.Lanes {
		t.Vecs[i][k&63] = v
	}
}
