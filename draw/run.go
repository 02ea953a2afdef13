package draw

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// Limits of the memory that a draw may use.
const (
	maxVertices  = 1 << 18
	maxTriangles = 1 << 17
	maxBinned    = 1 << 22 // triangles, counted once for each tile of leastTile that they may intersect
)

// A Result says what a draw did. It is also valid if there is an error.
type Result struct {
	exec.Counters
	Vertices  int // shaded
	Triangles int // after clipping and culling
	Workers   int
	Time      time.Duration
}

// Run draws to the target. The error is that of the first vertex or tile that has one, whatever the number of
// workers; the target then holds what other tiles have drawn so far.
func (d *Call) Run(ctx context.Context, t *Canvas) (*Result, error) {
	start := time.Now()
	res := &Result{Workers: d.Workers}
	if res.Workers <= 0 {
		res.Workers = runtime.GOMAXPROCS(0)
	}
	if d.Capture != nil {
		res.Workers = 1
	}
	defer func() { res.Time = time.Since(start) }()
	err := d.whole(ctx, t)
	if err == nil {
		err = d.check()
	}
	if err != nil {
		return res, fmt.Errorf("draw %s: %w", d.Name, err)
	}
	p := &drawing{d: d, t: t, ctx: ctx, res: res}
	if err = p.vertices(); err == nil {
		if err = p.assemble(); err == nil {
			err = p.tiles()
		}
	}
	return res, err
}

// whole returns what a draw lacks; a worker could not report it as an error.
func (d *Call) whole(ctx context.Context, t *Canvas) error {
	switch {
	case ctx == nil:
		return errors.New("no context")
	case d.Shader == nil:
		return errors.New("no shader")
	case t == nil:
		return errors.New("no canvas")
	case t.Width < 1 || t.Height < 1 || t.Width > MaxSide || t.Height > MaxSide:
		return fmt.Errorf("canvas of %dx%d pixels; sides are 1 to %d", t.Width, t.Height, MaxSide)
	case len(t.Targets) > 0:
		return t.checkTargets()
	case len(t.Color) != 4*t.Width*t.Height || len(t.Depth) != t.Width*t.Height:
		return fmt.Errorf("canvas of %dx%d pixels with %d bytes of colour and %d depths", t.Width, t.Height, len(t.Color), len(t.Depth))
	}
	return nil
}

// check rejects draws that do not fit or are invalid.
func (d *Call) check() error {
	v := &d.Viewport
	vl, fl := d.Shader.Lanes()
	switch {
	case v.W < 1 || v.H < 1 || v.W > MaxSide || v.H > MaxSide || max(v.X, -v.X, v.Y, -v.Y) > MaxSide:
		return fmt.Errorf("viewport %dx%d at %d,%d: sides are 1 to %d, places at most that", v.W, v.H, v.X, v.Y, MaxSide)
	case d.Count < 0 || max(d.Count, len(d.Indices)) > maxVertices:
		return fmt.Errorf("%d vertices; at most %d", max(d.Count, len(d.Indices)), maxVertices)
	case d.Instances < 0 || max(d.Count, len(d.Indices))*min(d.Instances, maxVertices+1) > maxVertices:
		return fmt.Errorf("%d instances of %d vertices; at most %d vertices in all", d.Instances, max(d.Count, len(d.Indices)), maxVertices)
	case v.Map != nil && !v.Map.sound():
		return fmt.Errorf("viewport scale %v, offset %v: want numbers up to %d", v.Map.Scale, v.Map.Offset, MaxSide)
	case int(d.Depth.Func) >= len(CompareNames):
		return fmt.Errorf("depth test %d: there are %d", d.Depth.Func, len(CompareNames))
	case len(d.Inputs) > Varyings:
		return fmt.Errorf("%d attributes; at most %d", len(d.Inputs), Varyings)
	case vl < 1 || fl < 4 || fl%4 != 0 || fl > ir.MaxLanes:
		return fmt.Errorf("programs of %d and %d lanes cannot run vertices and quads", vl, fl)
	}
	n := d.Count
	for slot, values := range d.Inputs {
		if len(d.Indices) == 0 && values != nil && len(values) < n {
			return fmt.Errorf("attribute %d has %d values for %d vertices", slot, len(values), n)
		}
		for i, x := range d.Indices {
			if values != nil && uint64(x) >= uint64(len(values)) {
				return fmt.Errorf("index %d is %d; attribute %d has %d values", i, x, slot, len(values))
			}
		}
	}
	for i, x := range d.Indices {
		if x >= maxVertices {
			return fmt.Errorf("index %d is %d; at most %d", i, x, maxVertices-1)
		}
	}
	return nil
}

// A drawing is a draw in progress.
type drawing struct {
	d     *Call
	t     *Canvas
	ctx   context.Context
	res   *Result
	order []uint32   // vertex numbers to shade, each once
	outs  outs       // of the vertices of order, and of those that clipping has made
	place []int32    // by vertex number: its index in order, -1: not used
	at    []Vec4     // positions of the vertices of order
	param [][]uint32 // their parameters, with Weights
	list  blocks     // of triangles

	planes []plane // of the viewport, computed on first use
	spots  []spot  // of the vertices of an instance, without Weights
}

// blocks are triangles in blocks, which are not copied when the list grows. They contain no pointers, so the
// garbage collector does not scan them.
type blocks [][]triangle

// blockSize is the number of triangles in a block.
const blockSize = 256

// at returns the triangle with a number.
func (b blocks) at(n uint32) *triangle { return &b[n/blockSize][n%blockSize] }

// next returns the triangle after the last of the list.
func (p *drawing) next() *triangle {
	last := len(p.list) - 1
	if last < 0 || len(p.list[last]) == blockSize {
		p.list = append(p.list, make([]triangle, 0, blockSize))
		last++
	}
	list := p.list[last]
	return &list[:len(list)+1][len(list)]
}

// keep adds the next triangle to the list.
func (p *drawing) keep() {
	last := &p.list[len(p.list)-1]
	*last = (*last)[:len(*last)+1]
	p.res.Triangles++
}

// share distributes n parts, which need about waves waves, over the workers, which take them in order. The error is
// that of the first part that has one.
func (p *drawing) share(n, waves int, work func(r ShaderRunner, i int) error) error {
	var next, stop atomic.Int64
	stop.Store(int64(n))
	var mu sync.Mutex
	var first error
	var wg sync.WaitGroup
	for range min(p.res.Workers, n) {
		wg.Go(func() {
			r := p.d.Shader.NewRunner(p.ctx, waves)
			for {
				i := next.Add(1) - 1
				if i >= stop.Load() {
					break
				}
				err := p.ctx.Err()
				if err == nil {
					err = work(r, int(i))
				}
				if err != nil {
					mu.Lock()
					if i < stop.Load() {
						stop.Store(i)
						first = err
					}
					mu.Unlock()
				}
			}
			mu.Lock()
			defer mu.Unlock()
			count := r.Count()
			p.res.Add(&count)
		})
	}
	wg.Wait()
	return first
}

// vertices runs the vertex program once for each vertex that is used, in order of their numbers.
func (p *drawing) vertices() error {
	d := p.d
	count := d.Count
	for _, x := range d.Indices {
		count = max(count, int(x)+1)
	}
	p.place = make([]int32, count)
	for i := range p.place {
		p.place[i] = -1
	}
	for _, x := range d.Indices {
		p.place[x] = 0
	}
	for i := range p.place {
		if p.place[i] == 0 || len(d.Indices) == 0 {
			p.place[i] = int32(len(p.order))
			p.order = append(p.order, uint32(i))
		}
	}
	n := len(p.order)
	all := n * d.instances()
	p.at, p.outs = make([]Vec4, all), newOuts(d, all)
	if d.Weights {
		p.param = make([][]uint32, all)
	}
	p.res.Vertices = all
	lanes, _ := d.Shader.Lanes()
	rooms := sync.Pool{New: func() any { return &vertexRoom{make([]VertexIn, lanes), make([]Vertex, lanes)} }}
	waves := (all + lanes - 1) / lanes
	return p.share(waves, waves, func(r ShaderRunner, i int) error {
		room := rooms.Get().(*vertexRoom)
		defer rooms.Put(room)
		first := i * lanes
		in, out := room.in[:min(lanes, all-first)], room.out[:min(lanes, all-first)]
		for k := range in {
			d.vertexIn(&in[k], p.order[(first+k)%n])
			in[k].Instance = uint32((first + k) / n)
		}
		clear(out)
		if err := r.Vertices(in, out); err != nil {
			return p.vertexFault(err, first, len(in))
		}
		for k := range out {
			p.at[first+k] = out[k].Position
			p.outs.put(first+k, &out[k])
			if d.Weights {
				p.param[first+k] = out[k].Params
			}
		}
		return nil
	})
}

// A vertexRoom holds the inputs and outputs of a wave of vertices.
type vertexRoom struct {
	in  []VertexIn
	out []Vertex
}

func (d *Call) instances() int { return max(d.Instances, 1) }

// vertexIn sets v to the inputs of the vertex with that number; v is empty or holds another vertex of the draw.
func (d *Call) vertexIn(v *VertexIn, x uint32) {
	v.Index = x
	for slot, values := range d.Inputs {
		v.Attr[slot] = Vec4{0, 0, 0, 1}
		if values != nil {
			v.Attr[slot] = values[x]
		}
	}
}

// assemble makes the triangles of the draw: primitives, clipping, viewport, culling.
func (p *drawing) assemble() error {
	for i := range p.d.instances() {
		if err := p.instance(i * len(p.order)); err != nil {
			return err
		}
	}
	return nil
}

// instance makes the triangles of one instance, whose vertices start at first.
func (p *drawing) instance(first int) error {
	p.put(first)
	for i := range p.primitives() {
		if err := p.tick(i); err != nil {
			return err
		}
		tri := p.corners(i)
		if err := p.add(first, tri, uint32(first+tri[2])); err != nil {
			return err
		}
	}
	return nil
}

// primitives returns the number of triangles of an instance.
func (p *drawing) primitives() int {
	n := len(p.d.Indices)
	if n == 0 {
		n = p.d.Count
	}
	if p.d.Primitive != Triangles {
		return max(n-2, 0)
	}
	return n / 3
}

// corners returns the indices of the vertices of a triangle among those of its instance.
func (p *drawing) corners(i int) [3]int {
	d := p.d
	a, b, c := i, i+1, i+2
	switch {
	case d.Primitive == Triangles:
		a, b, c = 3*i, 3*i+1, 3*i+2
	case d.Primitive == Fan:
		a = 0
	case d.Primitive == Strip && i%2 == 1:
		a, b = b, a // so that all have the same orientation
	}
	if len(d.Indices) == 0 {
		return [3]int{a, b, c}
	}
	return [3]int{int(p.place[d.Indices[a]]), int(p.place[d.Indices[b]]), int(p.place[d.Indices[c]])}
}

// tick checks the context every so many triangles; its error ends the loop.
func (p *drawing) tick(i int) error {
	if i%256 != 0 || p.ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("draw %s: %w", p.d.Name, p.ctx.Err())
}

// A spot is a vertex in the window, if it needs no clipping.
type spot struct {
	corner
	inside bool
}

// put transforms the vertices of an instance to the window, once for all their triangles.
func (p *drawing) put(first int) {
	if p.d.Weights { // corners are not shared
		return
	}
	n := len(p.order)
	p.spots = append(p.spots[:0], make([]spot, n)...)
	for i, at := range p.at[first : first+n] {
		if s := &p.spots[i]; p.within(&at) {
			s.corner, s.inside = p.d.Viewport.corner(&at, uint32(first+i)), true
		}
	}
}

// add keeps a triangle of an instance, or the part of it inside the planes. last is its last vertex.
func (p *drawing) add(first int, tri [3]int, last uint32) error {
	if p.d.Weights || !p.spots[tri[0]].inside || !p.spots[tri[1]].inside || !p.spots[tri[2]].inside {
		var v [3]Vertex
		for i := range v {
			at := first + tri[i]
			v[i].Position = p.at[at]
			p.outs.get(&v[i], at)
			if p.d.Weights {
				v[i].Params = p.param[at]
			}
		}
		return p.clipped(v, last)
	}
	if p.res.Triangles >= maxTriangles {
		return p.tooMany()
	}
	if p.d.setUp(p.next(), &p.spots[tri[0]].corner, &p.spots[tri[1]].corner, &p.spots[tri[2]].corner, last, p.t) {
		p.keep()
	}
	return nil
}

func (p *drawing) tooMany() error {
	return fmt.Errorf("draw %s: more than %d triangles", p.d.Name, maxTriangles)
}

// within reports whether a vertex needs no clipping.
func (p *drawing) within(at *Vec4) bool {
	if p.planes == nil {
		p.planes = p.d.Viewport.planes()
	}
	if !finite(at) || !(at[3]-minW >= 0) {
		return false
	}
	for i := range p.planes {
		if !(p.planes[i].at(at) >= 0) {
			return false
		}
	}
	return true
}

// clipped clips a triangle and keeps the rest of it, as a fan.
func (p *drawing) clipped(tri [3]Vertex, last uint32) error {
	w := [3]float64{}
	params := &[3][]uint32{}
	for i := range tri {
		tri[i].weight = [3]float64{}
		tri[i].weight[i] = 1
		w[i], params[i] = float64(tri[i].Position[3]), tri[i].Params
	}
	poly := p.d.Viewport.clip(tri)
	if len(poly) < 3 {
		return nil
	}
	if p.res.Triangles+len(poly)-2 > maxTriangles {
		return p.tooMany()
	}
	corners, exacts := make([]corner, len(poly)), make([]exact, len(poly))
	for i := range poly {
		if !p.d.Weights {
			corners[i] = p.d.Viewport.corner(&poly[i].Position, p.outs.add(&poly[i]))
			continue
		}
		corners[i] = p.d.Viewport.exactly(&poly[i].Position, &exacts[i])
		exacts[i].share(&poly[i], &w)
	}
	for i := 1; i+1 < len(corners); i++ {
		r := p.next()
		if !p.d.setUp(r, &corners[0], &corners[i], &corners[i+1], last, p.t) {
			continue
		}
		if p.d.Weights {
			x := weighed{[3]exact{exacts[0], exacts[i], exacts[i+1]}, params}
			if r.signed < 0 {
				x.exact[1], x.exact[2] = x.exact[2], x.exact[1]
			}
			r.weighed = int32(len(p.outs.weighed))
			p.outs.weighed = append(p.outs.weighed, x)
		}
		p.keep()
	}
	return nil
}

// tiles draws tile by tile.
func (p *drawing) tiles() error {
	side := p.t.tileSide()
	columns, rows := (p.t.Width+side-1)/side, (p.t.Height+side-1)/side
	bins := make([][]uint32, columns*rows) // the numbers of their triangles
	binned, area := 0, 0
	for i := range p.res.Triangles {
		if err := p.tick(i); err != nil {
			return err
		}
		r := p.list.at(uint32(i))
		area += int(r.area >> (2*subBits + 1))
		x0, y0, x1, y1 := r.ends()
		binned += (x1/leastTile - x0/leastTile + 1) * (y1/leastTile - y0/leastTile + 1)
		x0, y0, x1, y1 = x0/side, y0/side, x1/side, y1/side
		for y := y0; y <= y1; y++ {
			for x := x0; x <= x1; x++ {
				bins[y*columns+x] = append(bins[y*columns+x], uint32(i))
			}
		}
		if binned > maxBinned {
			return fmt.Errorf("draw %s: its triangles are too large and too many: more than %d in all tiles", p.d.Name, maxBinned)
		}
	}
	var done atomic.Int64
	var idle sync.Pool // painters that have finished a tile
	_, lanes := p.d.Shader.Lanes()
	waves := area / lanes
	if p.d.ByTriangle {
		waves = max(waves, binned)
	}
	return p.share(len(bins), waves, func(r ShaderRunner, i int) error {
		painter, _ := idle.Get().(*painter)
		if painter == nil {
			painter = newPainter(p.d, p.t, &p.outs)
			painter.wave.drawing = p
		}
		painter.use(r)
		painter.prefetch = prefetch{}
		for next := i + p.res.Workers; len(bins[i]) > 0 && next < len(bins); next++ { // empty tiles need no painter
			if len(bins[next]) > 0 {
				painter.expect(next%columns*side, next/columns*side)
				break
			}
		}
		err := painter.tile(i%columns*side, i/columns*side, p.list, bins[i])
		if err == nil {
			idle.Put(painter)
		}
		if n := done.Add(1); p.d.Progress != nil {
			p.d.Progress(int(n), len(bins))
		}
		if err != nil {
			return p.fragmentFault(err)
		}
		return nil
	})
}
