package draw

import "unsafe"

// A prefetch requests the tile that a painter draws next, in software: while fragments of the current tile are
// drawn, rows of the next are requested at the same rate. The processor cannot predict its address, and would wait
// for memory.
type prefetch struct {
	x, y       int
	wide, high int // 0: no next tile
	rows       int // rows requested so far
	drawn      int // fragments
}

// expect sets the next tile, by its lower left corner.
func (p *painter) expect(x, y int) {
	t := p.t
	p.prefetch = prefetch{x: x, y: y, wide: min(p.side, t.Width-x), high: min(p.side, t.Height-y)}
}

// fetch requests rows of the next tile after more fragments have been drawn.
func (p *painter) fetch(lanes int) {
	c, t := &p.prefetch, p.t
	c.drawn += lanes
	n := min(c.high, c.drawn/p.side) - c.rows
	if n <= 0 || !vectorsHere || len(t.Color) == 0 || c.wide < 16 {
		return
	}
	y := c.y + c.rows
	fetchRows(unsafe.Pointer(&t.Color[4*(t.rowOf(y)+c.x)]), t.pitch(), c.wide, n)
	if p.early || p.late {
		fetchRows(unsafe.Pointer(&t.Depth[y*t.Width+c.x]), t.Width, c.wide, n)
	}
	c.rows += n
}
