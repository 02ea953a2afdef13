package portable

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// transfer executes an access for the lanes of m by machine code; false if it did nothing.
func (r *runner) transfer(x *extra, m uint64, want mem.Rights) bool {
	a, p := &x.access, x.args[0]
	if r.worker == nil || a.transfer.Do == lower.NoTransfer || p.Kind != lower.InRow && p.Kind != lower.InVec || m == 0 {
		return false
	}
	t := &r.move
	t.TransferKind, t.Size = a.transfer, uint64(a.mem.Bytes())
	first := bits.TrailingZeros64(m) & 63
	addr := r.address(p, first)
	if t.Base, t.Data = r.segment(a, addr, want); uint64(len(t.Data)) < t.Size {
		return false
	}
	if a.transfer.Do != lower.CheckOnly && r.mustRecord(t.Data, want) {
		return false
	}
	t.Last, t.Align = uint64(len(t.Data))-t.Size, uint64(max(a.mem.Align, 1))-1
	t.First, t.Mask, t.Rest, t.Lanes = addr-uint64(first)*t.Size, m, r.full&^m, uint64(r.st.Lanes)
	if p.Kind == lower.InVec {
		t.Quads = &r.vecs[p.At]
	} else {
		t.Row, t.Quads = r.row(p.At), nil
	}
	switch a.transfer.Do {
	case lower.LoadElems:
		r.values(t, x.res)
	case lower.StoreElems:
		r.values(t, x.args[1:1+int(a.mem.Count)])
	}
	return r.worker.Transfer(t)
}

// values sets the values of a transfer.
func (r *runner) values(t *Transfer, list []lower.Place) {
	t.Count = uint64(len(list))
	for i, p := range list {
		switch {
		case p.Kind == lower.InVec:
			t.Vecs[i&(lower.TransferElems-1)] = &r.vecs[p.At]
		case p.Kind == lower.InRow:
			t.Rows[i&(lower.TransferElems-1)] = r.row(p.At)
		default:
			r.broadcast(t, i&(lower.TransferElems-1), r.words[p.At])
		}
	}
}

// broadcast broadcasts a uniform value that is stored.
func (r *runner) broadcast(t *Transfer, i int, v uint64) {
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
