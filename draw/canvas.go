package draw

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"unsafe"
)

// A Canvas is what draws write to: colours of 8 bits per channel and depths, row 0 at the bottom (see
// Call.TopDown).
type Canvas struct {
	Width, Height int
	Color         []byte    // red, green, blue, alpha
	Depth         []float32 // one per pixel
	// Targets receive the colours instead of Color, at most MaxTargets; a nil entry has no target.
	Targets []*Target
	// Turned means that rows of Color are in the opposite order, row 0 at the top, as in picture files. Those of
	// Depth and Targets are not.
	Turned bool

	waits  []uint8 // per tile: what is still to be cleared; nil: nothing
	colors []byte  // cleared contents of a row of a tile
	depths []float32
}

// What of a tile is to be cleared.
const (
	colorWaits = 1 << iota
	depthWaits
)

// MaxSide limits the sides of a target, so that positions in fixed point fit; MaxPixels limits its area, so that
// short input cannot request all of the memory.
const (
	MaxSide   = 8192
	MaxPixels = 1 << 24
)

// CheckSize returns what is wrong with a size of pictures.
func CheckSize(width, height int) error {
	if width < 1 || height < 1 || width > MaxSide || height > MaxSide {
		return fmt.Errorf("picture of %dx%d pixels; sides are 1 to %d", width, height, MaxSide)
	}
	if width*height > MaxPixels {
		return fmt.Errorf("picture of %dx%d pixels; at most %d", width, height, MaxPixels)
	}
	return nil
}

// NewCanvas makes a canvas of one colour and depth.
func NewCanvas(width, height int, color Vec4, depth float32) (*Canvas, error) {
	if err := CheckSize(width, height); err != nil {
		return nil, err
	}
	n := width * height
	t := &Canvas{Width: width, Height: height, Color: make([]byte, 4*n), Depth: make([]float32, n)}
	if pixel := pixelOf(color); pixel != [4]byte{} {
		fill(t.Color, bytes.Repeat(pixel[:], width))
	}
	if math.Float32bits(depth) != 0 {
		fill(t.Depth, slices.Repeat([]float32{depth}, width))
	}
	return t, nil
}

// fill copies a row, which stays in the cache, to all rows.
func fill[T any](data, row []T) {
	for at := 0; at < len(data); at += len(row) {
		copy(data[at:], row)
	}
}

// pixelOf converts a colour to the form of a canvas.
func pixelOf(color Vec4) (pixel [4]byte) {
	for k := range color {
		pixel[k] = toByte(color[k], false)
	}
	return pixel
}

// Clear sets the canvas to one colour and depth. This is done lazily: a tile is cleared when a draw comes to it,
// its depths when they are tested, so that it is then in the cache. Settle must be called before others read Color
// and Depth. Targets are not cleared.
func (t *Canvas) Clear(color Vec4, depth float32) {
	side := t.tileSide()
	columns, rows := (t.Width+side-1)/side, (t.Height+side-1)/side
	pixel := pixelOf(color)
	t.waits = slices.Repeat([]uint8{colorWaits | depthWaits}, columns*rows)
	t.colors, t.depths = bytes.Repeat(pixel[:], side), slices.Repeat([]float32{depth}, side)
}

// Settle clears all tiles that no draw has come to: colours, and depths if they are to be read.
func (t *Canvas) Settle(depths bool) {
	what := uint8(colorWaits)
	if depths {
		what |= depthWaits
	}
	side := t.tileSide()
	columns := (t.Width + side - 1) / side
	for i := range t.waits {
		t.open(i%columns*side, i/columns*side, what)
	}
}

// open clears what is needed of the tile with that lower left corner, if it has not been cleared.
func (t *Canvas) open(x, y int, what uint8) {
	if t.waits == nil {
		return
	}
	side := t.tileSide()
	i := y/side*((t.Width+side-1)/side) + x/side
	if what &= t.waits[i]; what == 0 {
		return
	}
	t.waits[i] &^= what
	wide, high := min(side, t.Width-x), min(side, t.Height-y)
	if len(t.Color) == 0 {
		what &^= colorWaits
	}
	if vectorsHere && wide%16 == 0 {
		t.fill(x, y, wide, high, what)
		return
	}
	for row := y; row < y+high; row++ {
		if what&colorWaits != 0 {
			copy(t.Color[4*(t.rowOf(row)+x):][:4*wide], t.colors)
		}
		if what&depthWaits != 0 {
			copy(t.Depth[row*t.Width+x:][:wide], t.depths)
		}
	}
}

// fill clears a rectangle; the number of columns is a multiple of 16.
func (t *Canvas) fill(x, y, wide, high int, what uint8) {
	if what&colorWaits != 0 {
		pitch := t.pitch()
		rows := t.Color[4*(min(t.rowOf(y), t.rowOf(y+high-1))+x):][:4*((high-1)*t.Width+wide)]
		fillRows(unsafe.Pointer(&rows[max(0, -4*pitch*(high-1))]), pitch, wide, high, binary.LittleEndian.Uint32(t.colors))
	}
	if what&depthWaits != 0 {
		rows := t.Depth[y*t.Width+x:][:(high-1)*t.Width+wide]
		fillRows(unsafe.Pointer(&rows[0]), t.Width, wide, high, math.Float32bits(t.depths[0]))
	}
}

// pitch is the distance in pixels from a row of Color to the row above it.
func (t *Canvas) pitch() int {
	if t.Turned {
		return -t.Width
	}
	return t.Width
}

// rowOf is the index of the first pixel of a row in Color.
func (t *Canvas) rowOf(y int) int {
	if t.Turned {
		y = t.Height - 1 - y
	}
	return y * t.Width
}
