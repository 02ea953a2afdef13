package draw

import "unsafe"

// A coming is the tile that a painter draws next, of which a row is asked for whenever as many fragments of the tile at hand have been drawn: a
// processor does not foresee where it lies, and would wait for the memory there.
type coming struct {
	x, y       int
	wide, high int // 0: there is none
	rows       int // that have been asked for
	drawn      int // fragments
}

// expect makes the tile with that left lower corner the next.
func (p *painter) expect(x, y int) {
	t := p.t
	p.coming = coming{x: x, y: y, wide: min(p.side, t.Width-x), high: min(p.side, t.Height-y)}
}

// fetch asks for rows of the next tile when so many more fragments have been drawn.
func (p *painter) fetch(lanes int) {
	c, t := &p.coming, p.t
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
