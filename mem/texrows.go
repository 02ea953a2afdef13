package mem

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Texels of any format, and in any place, for SampleRows: the corners of all lanes are fetched, converted by component,
// and blended. With assembly, fourRows and nearestRows do so for texels of four bytes in rows.

// A window is the host memory of the texels of a level.
type window struct {
	data  []byte
	base  uint64 // guest address of the data
	pitch uint32 // texels between rows that follow each other from the first on; 0: places are those of address
}

// windowOf returns the memory of the texels of a level; nil data if there is none that can be read directly.
func (u *Unit) windowOf(r *Rows, lv *level) (w window) {
	size := uint64(u.tex.Format.Bytes)
	if u.tex.Guest == nil {
		return window{data: lv.faces[0], pitch: lv.size[0]}
	}
	p, first := &lv.plane, u.address(lv, 0, 0, 0)
	if p.Swizzle != nil || p.Twiddled { // the texel at 0, 0 may not be the first
		first = p.Base
	}
	base, data := u.tex.Guest.Space.Around(&r.cursor, first, Read)
	if data == nil {
		return w
	}
	w.data, w.base = data[first-base:], first
	if p.Swizzle == nil && !p.Twiddled && p.Texel <= size && p.Row%size == 0 {
		pitch := p.Row / size
		if high := uint64(lv.size[1]); pitch < maxRowTexels/high && (pitch*(high-1)+uint64(lv.size[0]))*size <= uint64(len(w.data)) {
			w.pitch = uint32(pitch)
		}
	}
	return w
}

// corners are the texels of lanes before they are blended.
type corners struct {
	raw    [4]Row    // the bytes of one corner, as words
	texel  [4][4]Row // by corner and component
	places [rowLanes]uint64
}

// anyRows reads the texels of lanes, or blends them with earlier ones. odd are lanes that must be sampled in quads:
// those of texels that cannot be read, and those whose result is a NaN, whose bits depend on the order of operands.
func (u *Unit) anyRows(r *Rows, lv *level, w window, f Filter, weights *[rowLanes]float32, lanes uint64) (odd uint64) {
	if r.corners == nil {
		r.corners = new(corners)
	}
	count := 4
	if f == Nearest {
		count = 1
	}
	for corner := range count {
		i, j := &r.x.i, &r.y.i
		if corner&1 != 0 {
			i = &r.x.j
		}
		if corner>>1 != 0 {
			j = &r.y.j
		}
		odd |= u.cornerRows(r, lv, w, i, j, lanes&^odd, corner)
	}
	for k := range max(1, 4-r.Idle) {
		if u.raw {
			for m := lanes &^ odd; m != 0; m &= m - 1 {
				lane := bits.TrailingZeros64(m) & (rowLanes - 1)
				r.Texel[k][lane] = r.corners.texel[0][k][lane]
			}
			continue
		}
		for m := lanes &^ odd; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m) & (rowLanes - 1)
			x := 0 + u.blend(r, k, lane, count)
			if weights != nil {
				old := math.Float32frombits(r.Texel[k][lane])
				x = 0 + (float32(old*(1-weights[lane])) + float32(x*weights[lane]))
			}
			if x != x {
				odd |= 1 << lane
			}
			r.Texel[k][lane] = math.Float32bits(x)
		}
	}
	return odd
}

// blend is mixFour, or mixAxes, of the corners of a lane.
func (u *Unit) blend(r *Rows, k, lane, count int) float32 {
	c := &r.corners.texel
	at := func(i int) float32 { return math.Float32frombits(c[i][k&3][lane&(rowLanes-1)]) }
	if count == 1 {
		return at(0)
	}
	a, b := r.x.w[lane], r.y.w[lane]
	na, nb := 1-a, 1-b
	if u.smp.Rules.Mix == MixAxes {
		low, high := float32(at(0)*na)+float32(at(1)*a), float32(at(2)*na)+float32(at(3)*a)
		return float32(low*nb) + float32(high*b)
	}
	return float32(float32(at(0)*na)*nb) + float32(float32(at(1)*a)*nb) + float32(float32(at(2)*na)*b) + float32(float32(at(3)*a)*b)
}

// cornerRows fetches and converts a corner. odd are lanes whose texel is not in the window.
func (u *Unit) cornerRows(r *Rows, lv *level, w window, i, j *Row, lanes uint64, corner int) (odd uint64) {
	c, size := r.corners, uint64(u.tex.Format.Bytes)
	for m := lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m) & (rowLanes - 1)
		at := (uint64(j[lane])*uint64(w.pitch) + uint64(i[lane])) * size
		if w.pitch == 0 {
			at = u.address(lv, i[lane], j[lane], 0) - w.base
		}
		if c.places[lane] = at; at >= uint64(len(w.data)) || size > uint64(len(w.data))-at {
			odd |= 1 << lane
			c.places[lane] = 0
		}
	}
	if lanes &^= odd; lanes == 0 {
		return odd
	}
	for m := lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m) & (rowLanes - 1)
		b := w.data[c.places[lane]:][:size]
		if size < 4 {
			c.raw[0][lane] = uint32(b[0])
			if size > 1 {
				c.raw[0][lane] |= uint32(b[1]) << 8
			}
			continue
		}
		for k := 0; 4*k+4 <= len(b); k++ {
			c.raw[k&3][lane] = binary.LittleEndian.Uint32(b[4*k:])
		}
	}
	raw := [4]*Row{&c.raw[0], &c.raw[1], &c.raw[2], &c.raw[3]}
	u.DecodeRows(&raw, bits.Len64(lanes), &c.texel[corner])
	return odd
}
