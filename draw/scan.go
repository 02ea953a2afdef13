package draw

import "github.com/heddle-gpu/heddle/ir"

// A scan goes through rows of quads of a triangle, in a tile. Edge functions are whole numbers below 2^50: float64 holds them, and all that is
// done with them here is exact, but for the rounding to float32.
type scan struct {
	pixels  [3][4]float64          // by edge: how much more the edge function is at the pixels of a quad
	least   [3]float64             // by edge: the function is at least that inside
	step    [3]float64             // from quad to quad
	at      [3]float64             // at the first pixel of the quad at hand
	column  int                    // number of that in its row
	last    int                    // number of the last
	rows    uint32                 // pixels of quads in the box of the triangle, as far as rows of pixels go; bit i for pixel i
	boxes   [tileSide / 2]uint8    // the same by column, as far as columns of pixels go
	found   int                    // quads that have been found, of which the triangle covers some pixels
	covered [ir.MaxLanes / 4]uint8 // which of their pixels
	columns [ir.MaxLanes / 4]uint8 // and where they are
}

// begin is for rows that begin at x.
func (s *scan) begin(r *triangle, x, columns int) {
	s.last = columns
	for i := range s.least {
		dx, dy := float64(r.stepX[i]), float64(r.stepY[i])
		s.pixels[i] = [4]float64{0, dx, dy, dx + dy}
		s.least[i], s.step[i] = float64(r.inclusive[i]), 2*dx
	}
	for i := range columns {
		s.boxes[i] = 0b1111
	}
	s.boxes[columns] = 0b1111
	if x < r.x0 {
		s.boxes[0] = 0b1010
	}
	if x+2*columns+1 > r.x1 {
		s.boxes[columns] &= 0b0101
	}
}

// row begins a row whose first pixel has the edge functions e.
func (s *scan) row(e *[3]int64, rows uint32) {
	s.column, s.rows = 0, rows
	for i := range s.at {
		s.at[i] = float64(e[i])
	}
}

// cover goes on in a row until lanes are filled, from a lane on, and gives lanes their edge functions: what coverQuads does where there is assembly for it.
func (s *scan) cover(e *[3][ir.MaxLanes]float32, lane, lanes int) {
	for s.found = 0; lane < lanes && s.column <= s.last; s.column++ {
		covered := uint32(s.boxes[s.column]) & s.rows
		for k := range 4 {
			for i := range e {
				at := s.at[i] + s.pixels[i][k]
				if e[i][lane+k] = float32(at); at < s.least[i] {
					covered &^= 1 << k
				}
			}
		}
		if covered != 0 {
			s.covered[s.found], s.columns[s.found] = uint8(covered), uint8(s.column)
			s.found++
			lane += 4
		}
		for i := range s.at {
			s.at[i] += s.step[i]
		}
	}
}
