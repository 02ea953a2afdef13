package draw

import "github.com/heddle-gpu/heddle/ir"

// A scan enumerates the quads of a triangle in a tile, row by row. Edge functions are integers below 2^50 in a
// unit, a power of two (see unitOf). float64 represents them, and all operations on them here are exact, except the
// rounding to float32.
type scan struct {
	slopes   *slopes
	at       [3]float64 // edge functions at the first pixel of the current quad
	start    [3]float64 // and at the first pixel of its row
	_        float64    // padding: start and down are read as four numbers each
	down     [3]float64 // their increase from row to row
	_        float64
	column   int // number of the quad in its row
	row      int // number of the row
	lastRow  int
	firsts   [maxTile / 2]int8  // by row: quads before these have no pixel in the triangle
	lasts    [maxTile / 2]int8  // by row: quads after these have no pixel in the triangle
	boxes    [maxTile / 2]uint8 // pixels of quads in the box of the triangle by column, as far as columns of pixels matter; bit i for pixel i
	rowBoxes [maxTile / 2]uint8 // the same by row, as far as rows of pixels matter
	origin   quad               // the first of the first row
	inside   bool               // the triangle covers all of their pixels
	pixels   [3][4]float64      // inside: the difference of edge functions between the pixels of a quad and its first
	found    int                // number of quads found, of which the triangle covers some pixels
	covered  uint64             // covered pixels, by lane
}

// slopes are the edge functions of a triangle.
type slopes struct {
	dx, dy [3]float32 // by edge: change from pixel to pixel, an integer of 24 bits times 256 units
	least  [3]float32 // minimum of the function inside: 0, or a unit if points of the edge are outside
	start  [3]float64 // at the centre of pixel 0,0
}

// whole is the pixels of quads that are entirely in a box.
var whole = func() (b [maxTile / 2]uint8) {
	for i := range b {
		b[i] = 15
	}
	return b
}()

// begin starts with the quad at x, y: columns more of them to the right, rows more of them up.
func (s *scan) begin(r *triangle, x, y, columns, rows int) {
	e := &r.slopes
	x0, y0, x1, y1 := r.ends()
	s.slopes, s.row, s.lastRow, s.origin = e, 0, rows, quad{int32(x), int32(y)}
	outside, crossed := startOf(s, x, y, 2*columns+1, 2*rows+1)
	if outside != 0 {
		s.lastRow = -1
		return
	}
	s.inside = crossed == 0 && x >= x0 && y >= y0 && x+2*columns < x1 && y+2*rows < y1
	s.boxes, s.rowBoxes = whole, whole
	switch {
	case s.inside:
		s.all(columns)
		for i := range s.pixels {
			dx, dy := float64(e.dx[i]), float64(e.dy[i])
			s.pixels[i] = [4]float64{0, dx, dy, dx + dy}
		}
		s.enter()
		return
	case columns < fewestSpans:
		s.all(columns)
	case wideHere:
		spansWide(s, columns, rows)
	case vectorsHere:
		spansQuads(s, columns, rows)
	default:
		s.spans(columns, rows)
	}
	if x < x0 {
		s.boxes[0] = 0b1010
	}
	if x+2*columns+1 > x1 {
		s.boxes[columns] &= 0b0101
	}
	if y < y0 {
		s.rowBoxes[0] = 0b1100
	}
	if y+2*rows+1 > y1 {
		s.rowBoxes[rows] &= 0b0011
	}
	s.enter()
}

// startOf is scan.starts.
func startOf(s *scan, x, y, wide, high int) (outside, crossed int) {
	if vectorsHere {
		return startQuads(s, x, y, wide, high)
	}
	return s.starts(x, y, wide, high)
}

// starts sets the edge functions at a pixel, for a rectangle of pixels that extends wide to the right and high up.
// Bit i of the results says whether all pixels are outside of edge i, and whether some are.
func (s *scan) starts(x, y, wide, high int) (outside, crossed int) {
	e := s.slopes
	for i := range s.start {
		dx, dy, least := float64(e.dx[i]), float64(e.dy[i]), float64(e.least[i])
		s.start[i], s.down[i] = e.start[i]+float64(float64(x)*dx)+float64(float64(y)*dy), 2*dy
		if s.start[i]+float64(float64(wide)*max(dx, 0))+float64(float64(high)*max(dy, 0)) < least {
			outside |= 1 << i
		}
		if s.start[i]+float64(float64(wide)*min(dx, 0))+float64(float64(high)*min(dy, 0)) < least {
			crossed |= 1 << i
		}
	}
	return outside, crossed
}

// enter goes to the first quad of a row.
func (s *scan) enter() {
	s.column = int(s.firsts[s.row])
	for i := range s.at {
		s.at[i] = s.start[i] + float64(float64(2*s.column)*float64(s.slopes.dx[i]))
	}
}

// all sets all rows to columns.
func (s *scan) all(columns int) {
	s.firsts, s.lasts = [maxTile / 2]int8{}, alike[columns&(maxTile/2-1)]
}

// alike is, by column, that column in each row.
var alike = func() (rows [maxTile / 2][maxTile / 2]int8) {
	for column := range rows {
		for row := range rows {
			rows[column][row] = int8(column)
		}
	}
	return rows
}()

// fewestSpans is the number of additional columns from which computing the spans of rows pays.
const fewestSpans = 3

// spans finds the columns of each row outside of which no quad has a pixel in the triangle; the result may include
// one column too many on each side.
func (s *scan) spans(columns, rows int) {
	// at is the maximum of an edge function in the first quad of a row, minus its minimum inside. Divided by the
	// decrease to the next quad of the row, it is the number of quads in which it is large enough. Both are
	// integers in units, the divisor below 2^34: a quotient that is not an integer differs from the next integer by
	// more than the error of the product with the inverse.
	var at, inverse [3]float64
	for i := range at {
		dx, dy := float64(s.slopes.dx[i]), float64(s.slopes.dy[i])
		at[i] = s.start[i] + max(dx, 0) + max(dy, 0) - float64(s.slopes.least[i])
		if dx != 0 {
			inverse[i] = 1 / (-2 * dx)
		}
	}
	for row := range rows + 1 {
		first, last := 0.0, float64(columns)
		for i, x := range at {
			switch d := inverse[i]; {
			case d < 0:
				first = max(first, x*d)
			case d > 0:
				last = min(last, x*d)
			case x < 0:
				last = -2
			}
			at[i] += s.down[i]
		}
		s.firsts[row], s.lasts[row] = 0, -1
		if last >= -1 && first <= float64(columns)+1 {
			s.firsts[row], s.lasts[row] = int8(first), int8(min(int(last)+1, columns))
		}
	}
}

// ended reports whether there are no more quads.
func (s *scan) ended() bool { return s.row > s.lastRow }

// cover continues until lanes are filled, starting at a lane, and stores their edge functions and the places of
// their quads; those after the last are undefined. coverQuads does the same in assembly.
func (s *scan) cover(e *[3][ir.MaxLanes]float32, quads *[ir.MaxLanes / 4]quad, lane, lanes int) {
	d := s.slopes
	for s.found, s.covered = 0, 0; lane < lanes && !s.ended(); {
		if s.column > int(s.lasts[s.row]) {
			s.row++
			for i := range s.start {
				s.start[i] += s.down[i]
			}
			if !s.ended() {
				s.enter()
			}
			continue
		}
		covered := uint32(s.boxes[s.column] & s.rowBoxes[s.row])
		for k := range 4 {
			for i := range e {
				at := s.at[i] + float64(float64(k&1)*float64(d.dx[i])) + float64(float64(k>>1)*float64(d.dy[i]))
				if e[i][lane+k] = float32(at); at < float64(d.least[i]) {
					covered &^= 1 << k
				}
			}
		}
		if covered != 0 {
			quads[lane/4] = quad{s.origin.x + 2*int32(s.column), s.origin.y + 2*int32(s.row)}
			s.covered |= uint64(covered) << lane
			s.found++
			lane += 4
		}
		for i := range s.at {
			s.at[i] += 2 * float64(d.dx[i])
		}
		s.column++
	}
}
