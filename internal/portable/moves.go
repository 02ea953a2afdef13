package portable

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

func getWord(r *runner, o *op) bool { r.words[o.d] = uint64(r.st.S[o.a]); return true }
func getMask(r *runner, o *op) bool { r.words[o.d] = r.st.M[o.a]; return true }
func getExec(r *runner, o *op) bool { r.words[o.d] = r.st.Exec; return true }
func setWord(r *runner, o *op) bool { r.st.S[o.d] = uint32(r.words[o.a]); return true }
func setExec(r *runner, o *op) bool { r.st.Exec = r.wholeMask(o.a, o.wave); return true }

func setMask(r *runner, o *op) bool {
	m := r.mask(o.mask)
	p := &r.st.M[o.d]
	*p = *p&^m | r.wholeMask(o.a, o.wave)&m
	return true
}

// setWholeMask is setMask for all lanes.
func setWholeMask(r *runner, o *op) bool {
	p := &r.st.M[o.d]
	*p = *p&^r.full | r.wholeMask(o.a, o.wave)&r.full
	return true
}

func expect(r *runner, o *op) bool {
	r.unlikely = r.mask(o.mask) != 0
	return !r.unlikely
}

func copyRow(r *runner, o *op) bool {
	copy(r.row(o.d)[:r.n], r.row(o.a)[:r.n]) // the next row may follow directly
	return true
}

// fillRow broadcasts a word to all lanes.
func fillRow(r *runner, o *op) bool {
	fill(r.row(o.d), uint32(r.words[o.a]), r.n)
	return true
}

// fillVec is fillRow for 64 bits.
func fillVec(r *runner, o *op) bool {
	fill64(&r.vecs[o.d], r.words[o.a])
	return true
}

// fill writes x to the first n lanes.
func fill(d *row, x uint32, n int) {
	for i := 0; i < n; i += laneBlock {
		j := i & (ir.MaxLanes - laneBlock)
		d[j], d[j+1], d[j+2], d[j+3] = x, x, x, x
	}
}

// fill64 writes x to all lanes.
func fill64(d *ir.Vec, x uint64) {
	for i := range d {
		d[i] = x
	}
}

// few is the number of lanes up to which lanes are written one by one.
const few = 16

// setRow writes a register in the lanes of the mask.
func setRow(r *runner, o *op) bool {
	d, a, m := r.row(o.d), r.row(o.a), r.mask(o.mask)
	switch n := bits.OnesCount64(m); {
	case m == r.full:
		copy(d[:r.n], a[:r.n])
	case n <= few:
		for ; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m) & 63
			d[lane] = a[lane]
		}
	default:
		blend(d, a, m, r.n)
	}
	return true
}

// blend writes the lanes of m, among the first n.
func blend(d, a *row, m uint64, n int) {
	for i := 0; i < n; i += laneBlock {
		j := i & (ir.MaxLanes - laneBlock)
		k := m >> j & 15
		switch k {
		case 0:
		case 15:
			d[j], d[j+1], d[j+2], d[j+3] = a[j], a[j+1], a[j+2], a[j+3]
		default:
			d[j] ^= (d[j] ^ a[j]) & -uint32(k&1)
			d[j+1] ^= (d[j+1] ^ a[j+1]) & -uint32(k>>1&1)
			d[j+2] ^= (d[j+2] ^ a[j+2]) & -uint32(k>>2&1)
			d[j+3] ^= (d[j+3] ^ a[j+3]) & -uint32(k>>3)
		}
	}
}

// setRowWord writes a uniform value to a register in the lanes of the mask.
func setRowWord(r *runner, o *op) bool {
	d, x, m := r.row(o.d), uint32(r.words[o.a]), r.mask(o.mask)
	if m == r.full {
		fill(d, x, r.n)
		return true
	}
	for ; m != 0; m &= m - 1 {
		d[bits.TrailingZeros64(m)&63] = x
	}
	return true
}

// runGeneric executes the op by package lanewise on copies of its operands.
func runGeneric(r *runner, o *op) bool {
	x := o.more
	for i, pl := range x.args {
		v := &r.lanes.Slots[i]
		switch pl.Kind {
		case lower.InRow:
			for lane, w := range r.row(pl.At)[:r.n] {
				v[lane&63] = uint64(w)
			}
		case lower.InVec:
			copy(v[:r.n], r.vecs[pl.At][:r.n])
		default:
			v[0] = r.words[pl.At]
		}
	}
	if !x.generic.Run(&r.lanes, &x.generic) {
		return false
	}
	for k, pl := range x.res {
		v := &r.lanes.Slots[len(x.args)+k]
		switch pl.Kind {
		case lower.InRow:
			d := r.row(pl.At)[:r.n]
			for lane := range d {
				d[lane] = uint32(v[lane&63])
			}
		case lower.InVec:
			copy(r.vecs[pl.At][:r.n], v[:r.n])
		default:
			r.words[pl.At] = v[0]
		}
	}
	return true
}
