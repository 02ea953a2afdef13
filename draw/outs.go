package draw

import "math/bits"

// outs are the varyings of the vertices of a draw, only those that fragments read: all sixteen of each vertex would
// not fit into caches.
type outs struct {
	used uint32          // varyings that fragments read
	size int             // their number
	rank [Varyings]uint8 // of a used varying: its index among them
	list []Vec4          // by vertex, size of each

	weighed []weighed // of triangles, with Weights
}

// newOuts allocates the varyings of n vertices. Draws with Weights have none.
func newOuts(d *Call, n int) outs {
	o := outsOf(d.used())
	if d.Weights {
		o.size = 0
	}
	o.list = make([]Vec4, n*o.size)
	return o
}

// outsOf has no vertices.
func outsOf(used uint32) outs {
	o := outs{used: used, size: bits.OnesCount32(used)}
	for n := range o.rank {
		o.rank[n] = uint8(bits.OnesCount32(used & (1<<n - 1)))
	}
	return o
}

// of returns varying n of a vertex; it must be used.
func (o *outs) of(vertex uint32, n int) *Vec4 {
	return &o.list[int(vertex)*o.size+int(o.rank[n&(Varyings-1)])]
}

// put stores the varyings of a vertex.
func (o *outs) put(vertex int, v *Vertex) {
	to := o.list[vertex*o.size:][:o.size]
	for m := o.used; m != 0 && len(to) > 0; m &= m - 1 {
		to[0] = v.Out[bits.TrailingZeros32(m)&(Varyings-1)]
		to = to[1:]
	}
}

// add stores the varyings of a vertex that clipping has made, and returns its number.
func (o *outs) add(v *Vertex) uint32 {
	if o.size == 0 {
		return 0
	}
	n := len(o.list) / o.size
	o.list = append(o.list, make([]Vec4, o.size)...)
	o.put(n, v)
	return uint32(n)
}

// get is the inverse of put.
func (o *outs) get(v *Vertex, vertex int) {
	from := o.list[vertex*o.size:][:o.size]
	for m := o.used; m != 0 && len(from) > 0; m &= m - 1 {
		v.Out[bits.TrailingZeros32(m)&(Varyings-1)] = from[0]
		from = from[1:]
	}
}
