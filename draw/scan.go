package draw

import "github.com/heddle-gpu/heddle/ir"

// A scan goes through the quads of a triangle in a tile, row by row. Edge functions are whole numbers below 2^50: float64 holds them, and all
// that is done with them here is exact, but for the rounding to float32.
type scan struct {
	pixels   [3][4]float64 // by edge: how much more the edge function is at the pixels of a quad
	least    [3]float64    // by edge: the function is at least that inside
	step     [3]float64    // from quad to quad
	stepRow  [3]float64    // from row to row
	at       [3]float64    // at the first pixel of the quad at hand
	start    [3]float64    // and of its row
	column   int           // number of the quad in its row
	last     int           // number of the last
	row      int           // number of the row
	lastRow  int
	boxes    [tileSide / 2]uint8    // pixels of quads in the box of the triangle by column, as far as columns of pixels go; bit i for pixel i
	rowBoxes [tileSide / 2]uint8    // the same by row, as far as rows of pixels go
	found    int                    // quads that have been found, of which the triangle covers some pixels
	covered  [ir.MaxLanes / 4]uint8 // which of their pixels
	columns  [ir.MaxLanes / 4]uint8 // where they are
	rows     [ir.MaxLanes / 4]uint8
}

// begin is for quads from the one at x, y on: columns more of them to the right, rows more of them up.
func (s *scan) begin(r *triangle, x, y, columns, rows int) {
	e := r.edges(x, y)
	s.column, s.last, s.row, s.lastRow = 0, columns, 0, rows
	for i := range e {
		dx, dy := float64(r.stepX[i]), float64(r.stepY[i])
		s.pixels[i] = [4]float64{0, dx, dy, dx + dy}
		s.least[i], s.step[i], s.stepRow[i] = float64(r.inclusive[i]), 2*dx, 2*dy
		s.at[i] = float64(e[i])
	}
	s.start = s.at
	for i := range columns + 1 {
		s.boxes[i] = 0b1111
	}
	for i := range rows + 1 {
		s.rowBoxes[i] = 0b1111
	}
	if x < r.x0 {
		s.boxes[0] = 0b1010
	}
	if x+2*columns+1 > r.x1 {
		s.boxes[columns] &= 0b0101
	}
	if y < r.y0 {
		s.rowBoxes[0] = 0b1100
	}
	if y+2*rows+1 > r.y1 {
		s.rowBoxes[rows] &= 0b0011
	}
}

// ended is whether there are no more quads.
func (s *scan) ended() bool { return s.row > s.lastRow }

// cover goes on until lanes are filled, from a lane on, and gives lanes their edge functions: what coverQuads does where there is assembly for it.
func (s *scan) cover(e *[3][ir.MaxLanes]float32, lane, lanes int) {
	for s.found = 0; lane < lanes && !s.ended(); {
		if s.column > s.last {
			s.column = 0
			s.row++
			for i := range s.start {
				s.start[i] += s.stepRow[i]
			}
			s.at = s.start
			continue
		}
		covered := uint32(s.boxes[s.column] & s.rowBoxes[s.row])
		for k := range 4 {
			for i := range e {
				at := s.at[i] + s.pixels[i][k]
				if e[i][lane+k] = float32(at); at < s.least[i] {
					covered &^= 1 << k
				}
			}
		}
		if covered != 0 {
			s.covered[s.found], s.columns[s.found], s.rows[s.found] = uint8(covered), uint8(s.column), uint8(s.row)
			s.found++
			lane += 4
		}
		for i := range s.at {
			s.at[i] += s.step[i]
		}
		s.column++
	}
}
