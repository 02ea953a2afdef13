package portable

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// transferKind returns that of an access; NoTransfer if it cannot be a transfer.
func transferKind(in *ir.Inst, typ ir.Type, values []place) lower.TransferKind {
	k := lower.TransferKind{Do: lower.CheckOnly, Bytes: 4}
	if in.Op == ir.Check {
		return k
	}
	bits, elem := typ.Bits(), in.Mem.Elem
	k = lower.TransferKind{Do: lower.LoadElems, Bytes: elem, Wide: bits > 32, Signed: in.Mem.Signed && bits > 8*int(elem)}
	if in.Op == ir.Store {
		k.Do, k.Signed = lower.StoreElems, false
	}
	if in.Op == ir.AtomicRMW {
		k.Do = lower.AtomicElem
	}
	if len(values) > lower.TransferElems || elem == 8 && !k.Wide || k.Signed && bits != 32 && bits != 64 {
		return lower.TransferKind{}
	}
	for _, p := range values {
		if p.kind != inWord && p.kind != inRow && p.kind != inVec || p.kind == inWord && k.Do != lower.StoreElems || p.kind == inVec && !k.Wide || p.kind == inRow && k.Wide {
			return lower.TransferKind{}
		}
	}
	return k
}

// transfer executes an access for the lanes of m by machine code; false if it did nothing.
func (r *runner) transfer(x *extra, m uint64, want mem.Rights) bool {
	a, p := &x.access, x.args[0]
	if r.worker == nil || a.kind.Do == lower.NoTransfer || p.kind != inRow && p.kind != inVec || m == 0 {
		return false
	}
	t := &r.move
	t.TransferKind, t.Size = a.kind, uint64(a.mem.Bytes())
	first := bits.TrailingZeros64(m) & 63
	addr := r.address(p, first)
	if t.Base, t.Data = r.segment(a, addr, want); uint64(len(t.Data)) < t.Size {
		return false
	}
	if a.kind.Do != lower.CheckOnly && r.mustTell(t.Data, want) {
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
	case lower.LoadElems:
		r.values(t, x.res)
	case lower.StoreElems:
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
			t.Vecs[i&(lower.TransferElems-1)] = &r.vecs[p.at]
		case p.kind == inRow:
			t.Rows[i&(lower.TransferElems-1)] = r.row(p.at)
		default:
			r.spread(t, i&(lower.TransferElems-1), r.words[p.at])
		}
	}
}

// spread broadcasts a uniform value that is stored.
func (r *runner) spread(t *Transfer, i int, v uint64) {
	for len(r.spreads) <= i {
		r.spreads = append(r.spreads, new(ir.Vec))
		r.spreadRows = append(r.spreadRows, new(lower.Row))
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
