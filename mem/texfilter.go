package mem

import "math"

// An axisPos is the place of a sample along one axis: two neighbours, and the weight of the second.
type axisPos struct {
	i [2]uint32 // beyond the size: no texel there
	w float32
}

// level is the filtered texel of one level.
func (s *quadSample) level(v *view, l int, c *[3]float32) [4]float32 {
	u := s.u
	lv := &u.levels[l]
	p := s.places(lv, v.filter, c)
	if u.fast {
		t, ok := [4]float32{}, false
		if v.filter == Nearest {
			ok = lv.nearest(&t, s.face, p[0].i[0], p[1].i[0])
		} else {
			ok = lv.four(&t, s.face, p[0].i[0], p[0].i[1], p[1].i[0], p[1].i[1], p[0].w, p[1].w)
		}
		if ok {
			return t
		}
	}
	switch {
	case v.filter == Nearest:
		return s.texel(lv, p[0].i[0], p[1].i[0], p[2].i[0])
	case u.smp.Rules.Mix == MixAxes:
		return s.mixAxes(lv, &p)
	case u.axes == 2:
		return s.mixFour(lv, &p[0], &p[1])
	}
	return s.mix(lv, &p)
}

// places finds the place along each axis.
func (s *quadSample) places(lv *level, f Filter, c *[3]float32) (p [3]axisPos) {
	for i := range s.u.axes {
		if f == Linear && s.u.seams() {
			p[i] = bySeam(c[i], lv.size[i])
			continue
		}
		p[i] = s.u.place(i, c[i], lv.size[i], f, s.offset[i])
	}
	return p
}

// place finds the place along one axis of n texels.
func (u *Unit) place(axis int, x float32, n uint32, f Filter, offset int8) (p axisPos) {
	p.i[0], p.i[1], p.w = u.along(axis, x, n, f, offset)
	return p
}

// along is place with results that fit in registers: the neighbours, and the weight of the second.
func (u *Unit) along(axis int, x float32, n uint32, f Filter, offset int8) (i, j uint32, w float32) {
	if u.smp.Rules.Wrap == WrapTexel {
		return u.byTexel(axis, x, n, f, offset)
	}
	return u.byCoordinate(axis, x, n, f, offset)
}

// mixFour is mix for two axes.
func (s *quadSample) mixFour(lv *level, p, q *axisPos) (sum [4]float32) {
	t00, t10 := s.texel(lv, p.i[0], q.i[0], 0), s.texel(lv, p.i[1], q.i[0], 0)
	t01, t11 := s.texel(lv, p.i[0], q.i[1], 0), s.texel(lv, p.i[1], q.i[1], 0)
	a, b := p.w, q.w
	na, nb := 1-a, 1-b
	for i := range sum {
		sum[i] = float32(float32(t00[i]*na)*nb) + float32(float32(t10[i]*a)*nb) +
			float32(float32(t01[i]*na)*b) + float32(float32(t11[i]*a)*b)
	}
	return sum
}

// mixAxes blends along the first axis, then the second, then the third.
func (s *quadSample) mixAxes(lv *level, p *[3]axisPos) [4]float32 {
	var t [8][4]float32
	n := 1 << s.u.axes
	for corner := range n {
		t[corner] = s.texel(lv, p[0].i[corner&1], p[1].i[corner>>1&1], p[2].i[corner>>2])
	}
	s.corner(lv, p, &t)
	for axis := 0; n > 1; axis++ {
		n /= 2
		for k := range n {
			for c := range 4 {
				a, b := t[2*k][c], t[2*k+1][c]
				t[k][c] = float32(a*(1-p[axis].w)) + float32(b*p[axis].w)
			}
		}
	}
	return t[0]
}

// mix sums the two or eight corners, the first axis fastest, each as texel * weight * weight ..., from left to
// right.
func (s *quadSample) mix(lv *level, p *[3]axisPos) (sum [4]float32) {
	w := [3][2]float32{{1 - p[0].w, p[0].w}, {1 - p[1].w, p[1].w}, {1 - p[2].w, p[2].w}}
	for corner := range 1 << s.u.axes {
		a, b, c := corner&1, corner>>1&1, corner>>2
		t := s.texel(lv, p[0].i[a], p[1].i[b], p[2].i[c])
		for i, x := range t {
			x = float32(x * w[0][a])
			if s.u.axes == 3 {
				x = float32(float32(x*w[1][b]) * w[2][c])
			}
			if corner == 0 {
				sum[i] = x
			} else {
				sum[i] += x
			}
		}
	}
	return sum
}

// texel returns one texel, or the border, with all conversions that precede filtering.
func (s *quadSample) texel(lv *level, i, j, k uint32) [4]float32 {
	u := s.u
	t := u.border
	if i < lv.size[0] && j < lv.size[1] && k < lv.size[2] {
		if u.tex.Guest != nil {
			t = s.guest(lv, i, j, k)
		} else {
			n := u.tex.Format.Bytes
			t = u.tex.Format.Decode(lv.faces[s.face][n*int((k*lv.size[1]+j)*lv.size[0]+i):])
		}
	} else if u.seams() {
		t = s.across(lv, int32(i), int32(j))
	} else if u.smp.Rules.Border == BorderColour && u.smp.Rules.Ref == RefThird {
		return t
	}
	if u.plain {
		return t
	}
	return u.smp.finish(t, s.compare)
}

// guest reads a texel that exists from guest memory.
func (s *quadSample) guest(lv *level, i, j, k uint32) (t [4]float32) {
	addr := s.u.locate(lv, i, j, k+uint32(s.face))
	b, f := s.u.tex.Guest.Space.At(&s.quad.Cursor, addr, uint64(s.u.tex.Format.Bytes), Read)
	if f != nil {
		if s.quad.Fault == nil {
			s.quad.Fault = f
		}
		return t
	}
	if s.quad.Reads != nil {
		s.quad.Reads(s.number, addr, b)
	}
	return s.u.tex.Format.texel(b, i, j)
}

// texel returns the texel at i, j of the image from its bytes, or from those of its block.
func (f *Format) texel(b []byte, i, j uint32) [4]float32 {
	if f.Blocks != nil {
		x, y := f.Blocks.Sides()
		return f.Blocks.decode(b, int(i%x), int(j%y))
	}
	return f.Decode(b)
}

// locate returns the address of a texel, or of the block that has it.
func (u *Unit) locate(lv *level, i, j, slice uint32) uint64 {
	if b := u.tex.Format.Blocks; b != nil {
		x, y := b.Sides()
		i, j = i/x, j/y
	}
	return u.address(lv, i, j, slice)
}

// address returns the address of a texel, or of a block of texels, in guest memory. slice is z, or layer and face;
// they are never both more than 0.
func (u *Unit) address(lv *level, i, j, slice uint32) uint64 {
	p := &lv.plane
	slice = slice*u.each + p.First
	if p.Swizzle != nil {
		return p.Base + p.Swizzle.offset(p, i, j, slice, uint64(u.tex.Format.Bytes))
	}
	bytes := max(uint64(u.tex.Format.Bytes), p.Texel)
	if p.Twiddled && u.tex.Target == Texture3D {
		return p.Base + twiddled(i, j, slice, &p.Logs)*bytes
	}
	at := p.Base + uint64(slice)*p.Slice
	if p.Twiddled {
		return at + twiddled(i, j, 0, &p.Logs)*bytes
	}
	return at + uint64(j)*p.Row + uint64(i)*bytes
}

// twiddled returns the index of a texel in Morton order: bits of y, x, z in turn from the lowest up. An axis that
// has no more bits is skipped.
func twiddled(x, y, z uint32, logs *[3]uint8) (n uint64) {
	at := 0
	for k := range max(logs[0], logs[1], logs[2]) {
		for _, axis := range [...]struct {
			v   uint32
			log uint8
		}{{y, logs[1]}, {x, logs[0]}, {z, logs[2]}} {
			if k < axis.log {
				n |= uint64(axis.v>>k&1) << at
				at++
			}
		}
	}
	return n
}

// finish compares, swizzles and linearises a texel.
func (s *Sampler) finish(t [4]float32, reference float32) [4]float32 {
	if s.Compare != CompareNone {
		for i, x := range t {
			t[i] = 0
			if s.Compare.holds(x, reference) {
				t[i] = 1
			}
		}
	}
	if s.BGR {
		t[0], t[2] = t[2], t[0]
	}
	if s.Reverse {
		t = [4]float32{t[3], t[2], t[1], t[0]}
	}
	if s.Curve != CurveNone {
		for i := range 3 {
			t[i] = s.Curve.apply(t[i])
		}
	}
	return t
}

// byCoordinate finds the place by the rule WrapCoordinate.
func (u *Unit) byCoordinate(axis int, x float32, n uint32, f Filter, offset int8) (i, j uint32, w float32) {
	mode := u.smp.Wrap[axis]
	if !u.smp.Unnormalised {
		x = mode.coordinate(x, float32(n))
		if axis == 1 && u.smp.FlipV {
			x = 1 - x
		}
		x = float32(x * float32(n))
	}
	if offset != 0 {
		x += float32(offset)
	}
	if f == Nearest {
		return unsigned(math.Floor(float64(x))), 0, 0
	}
	x -= 0.5
	whole := math.Floor(float64(x))
	i = unsigned(whole)
	return mode.unsigned(i, n), mode.unsigned(i+1, n), x - float32(whole)
}

// coordinate wraps a coordinate of an axis of n texels. NaN becomes the upper bound if there is one.
func (m WrapMode) coordinate(x, n float32) float32 {
	whole := float32(math.Floor(float64(x)))
	if m == Repeat {
		return x - whole
	}
	half := 1 / float32(2*n)
	switch m {
	case Clamp:
		return within(x, 0, 1)
	case ClampToEdge:
		return within(x, half, 1-half)
	case ClampToBorder:
		return within(x, -half, 1+half)
	case MirrorClamp:
		return within(abs(x), 0, 1)
	case MirrorClampToEdge:
		return within(abs(x), half, 1-half)
	case MirrorClampToBorder:
		return within(abs(x), -half, 1+half)
	}
	if unsigned(float64(whole))&1 != 0 { // MirroredRepeat
		return within(1-(x-whole), half, 1-half)
	}
	return within(x-whole, half, 1-half)
}

// unsigned wraps texel number i of n as an unsigned integer: -1 is greater than all others.
func (m WrapMode) unsigned(i, n uint32) uint32 {
	switch m {
	case Repeat:
		switch {
		case i < n:
			return i
		case n&(n-1) == 0: // no division
			return i & (n - 1)
		}
		return (i + n) % n
	case Clamp, ClampToBorder, MirrorClamp, MirrorClampToBorder:
		return min(i, n)
	}
	return min(i, n-1)
}

// unsigned is x modulo 2^32; 0 if a 64-bit integer cannot represent x.
func unsigned(x float64) uint32 {
	if x >= -1<<63 && x < 1<<63 {
		return uint32(int64(x))
	}
	return 0
}

// byTexel finds the place by the rule WrapTexel.
func (u *Unit) byTexel(axis int, x float32, n uint32, f Filter, offset int8) (i, j uint32, w float32) {
	mode := u.smp.Wrap[axis]
	if !u.smp.Unnormalised {
		if axis == 1 && u.smp.FlipV {
			x = 1 - x
		}
		x = float32(x * float32(n))
	}
	switch mode {
	case Clamp:
		x = within(x, 0, float32(n))
	case MirrorClamp:
		x = within(x, -float32(n), float32(n))
	}
	if f == Linear {
		x -= 0.5
	}
	whole := math.Floor(float64(x))
	at := int64(0)
	if whole >= -1<<62 && whole <= 1<<62 {
		at = int64(whole) + int64(offset)
	}
	return mode.signed(at, int64(n)), mode.signed(at+1, int64(n)), x - float32(whole)
}

// signed wraps texel number i of n; n if there is no texel.
func (m WrapMode) signed(i, n int64) uint32 {
	switch m {
	case Repeat:
		if n&(n-1) == 0 { // no division
			return uint32(i & (n - 1))
		}
		i = (i%n + n) % n
	case MirrorClamp, MirrorClampToBorder, MirrorClampToEdge:
		if i < 0 {
			i = -1 - i
		}
		if m == MirrorClampToEdge {
			i = min(i, n-1)
		}
	case ClampToEdge:
		i = min(max(i, 0), n-1)
	case MirroredRepeat:
		i = (i%(2*n) + 2*n) % (2 * n)
		if i >= n {
			i = 2*n - 1 - i
		}
	}
	if i < 0 || i >= n {
		i = n
	}
	return uint32(i)
}
