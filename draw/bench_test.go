package draw

import (
	"testing"

	"github.com/heddle-gpu/heddle/ir"
)

// benchWave returns a full wave of one triangle on a canvas 256 pixels wide, and the triangle.
func benchWave() (*Wave, *triangle) {
	list := outsOf(2)
	o := &list
	r := &triangle{scaled: 1.5, front: true}
	for i := range r.c {
		var v Vertex
		v.Out[1] = Vec4{float32(i), 1, 2, 3}
		r.c[i].z, r.c[i].invW, r.c[i].out = 0.5, 1, o.add(&v)
	}
	w := &Wave{waveRows: new(waveRows), Lanes: ir.MaxLanes, Covered: ^uint64(0), quads: new([ir.MaxLanes / 4]quad), outs: o, high: 1, vectors: hasVectors(), wide: hasWide(), call: &Call{}}
	for i := range w.e {
		for lane := range w.e[i] {
			w.e[i][lane] = float32(1<<20*(i+1)+1000*lane) / (1 << 27)
		}
	}
	for i := range w.quads {
		w.quads[i] = quad{int32(2 * i), 4}
	}
	r.box = box{0, 0, 63, 63}
	w.runs = []run{{r, 0, ir.MaxLanes}}
	for i := range r.slopes.dx {
		r.slopes.dx[i], r.slopes.dy[i], r.slopes.start[i] = 256, 256, 1<<20
	}
	return w, r
}

// BenchmarkWave measures the steps of a wave of 64 fragments.
func BenchmarkWave(b *testing.B) {
	if !hasVectors() {
		b.Skip("no vectors, or no assembly")
	}
	bytes, store := byteRow, storeQuads
	if hasWide() {
		bytes, store = byteWide, storeWide
	}
	w, r := benchWave()
	depth, color := make([]float32, 256*16), make([]byte, 4*256*16)
	p := &painter{d: w.call, wave: *w, lanes: ir.MaxLanes, t: &Canvas{Width: 256, Height: 16, Depth: depth}, pairs: true}
	p.d.Depth.Func = Less
	p.scan.lastRow = -1
	w = &p.wave
	rows := [4][]uint32{}
	for k := range rows {
		rows[k] = make([]uint32, ir.MaxLanes)
	}
	for _, step := range []struct {
		name string
		run  func()
	}{
		{"cover", func() {
			if p.scan.ended() {
				p.scan.begin(r, 0, 0, 31, 31)
			}
			w.Lanes = 0
			p.found()
			w.Lanes = ir.MaxLanes
		}},
		{"depth", func() { w.depths = 0; w.Depth() }},
		{"shares", func() { w.shares = false; w.persp() }},
		{"varying", func() { w.mix(&w.mixed[1], 1) }},
		{"shares and varying", func() { w.shares = false; w.mix(&w.mixed[1], 1) }},
		{"bytes", func() { bytes(p.wave.pixels[:], &rows, false) }},
		{"store", func() { store(w.quads, &color[0], 256, w.Lanes, w.Covered, &p.wave.pixels) }},
		{"bytes and store", func() { paintQuads(w.quads, &color[0], 256, w.Lanes, w.Covered, &rows, false) }},
		{"test", func() { p.test(0, w.Covered, true) }},
	} {
		b.Run(step.name, func(b *testing.B) {
			for b.Loop() {
				step.run()
			}
		})
	}
}

// BenchmarkClear measures clearing a picture tile by tile, colours and depths.
func BenchmarkClear(b *testing.B) {
	t, err := NewCanvas(2560, 1920, Vec4{}, 1)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(8 * t.Width * t.Height))
	for b.Loop() {
		t.Clear(Vec4{0, 0, 0, 1}, 1)
		t.Settle(true)
	}
}
