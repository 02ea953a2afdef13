package cp

import "fmt"

// A Tiler is a Device that knows where texels of tiled surfaces are. Without it copies of them are not built.
type Tiler interface {
	// Texels returns the addresses of texels of so many bytes: info is the word with the fields of tile modes, pitch and
	// slice are texels of a row and of a slice.
	Texels(va uint64, info uint32, bytes int, pitch, slice uint32) (at func(x, y, z uint32) uint64, err error)
}

// A surface is one side of a copy of a window: the addresses of its texels, from those of a corner on. The texels of a
// row of a linear one follow each other.
type surface struct {
	at     func(x, y, z uint32) uint64
	linear bool
	corner [3]uint32
}

// linearSurface is a surface without tiles: fields addr, x, y, z, pitch, slice; the last two are one less.
func linearSurface(v []uint64, bytes int) *surface {
	pitch, slice := v[4]+1, v[5]+1
	at := func(x, y, z uint32) uint64 {
		return v[0] + (uint64(z)*slice+uint64(y)*pitch+uint64(x))*uint64(bytes)
	}
	return &surface{at, true, [3]uint32{uint32(v[1]), uint32(v[2]), uint32(v[3])}}
}

// tiledSurface is a surface of tiles of 8x8 texels: fields addr, x, y, z, pitch, slice; the last two in tiles, and one
// less.
func (r *run) tiledSurface(v []uint64, info uint32, bytes int) (*surface, error) {
	t, ok := r.Device.(Tiler)
	if !ok {
		return nil, &NotBuilt{r.packet.Name}
	}
	at, err := t.Texels(v[0], info, bytes, 8*(uint32(v[4])+1), 64*(uint32(v[5])+1))
	return &surface{at, false, [3]uint32{uint32(v[1]), uint32(v[2]), uint32(v[3])}}, err
}

// row reads or writes a row of texels of a window.
func (s *surface) row(p []byte, bytes int, y, z uint32, do func(va uint64, p []byte) error) error {
	x, y, z := s.corner[0], y+s.corner[1], z+s.corner[2]
	if s.linear {
		return do(s.at(x, y, z), p)
	}
	for ; len(p) > 0; p = p[bytes:] {
		if err := do(s.at(x, y, z), p[:bytes]); err != nil {
			return err
		}
		x++
	}
	return nil
}

// copyWindow copies a window of texels: v is its width, height and depth, on gfx8 less the units that it consists of.
func (r *run) copyWindow(to, from *surface, v []uint64, units [3]uint64, bytes int) error {
	var size [3]uint64
	for i, n := range v {
		if size[i] = n; r.State.Gen == 8 {
			size[i] += units[i]
		}
		if size[i]%units[i] != 0 {
			return fmt.Errorf("a window whose side %d is %d texels, not a multiple of %d", i, size[i], units[i])
		}
	}
	row := make([]byte, size[0]*uint64(bytes))
	for z := range uint32(size[2]) {
		for y := range uint32(size[1]) {
			if err := r.ctx.Err(); err != nil {
				return err
			}
			if err := from.row(row, bytes, y, z, r.Memory.Read); err != nil {
				return err
			}
			if err := to.row(row, bytes, y, z, r.Memory.Write); err != nil {
				return err
			}
		}
	}
	return nil
}

// Words of packets with the fields of tile modes, of which the lowest is the logarithm of the bytes of a texel.
const (
	tilingWord    = 6
	tilingWordDst = 12
	elementBits   = 7
)

// texelBytes returns the bytes of a texel.
func texelBytes(info uint32) (int, error) {
	bytes := 1 << (info & elementBits)
	if bytes > 16 {
		return 0, fmt.Errorf("texels of %d bytes, which do not exist", bytes)
	}
	return bytes, nil
}

// dmaWindow copies between linear surfaces: fields element, those of the source, of the destination, and the size.
func dmaWindow(r *run, v []uint64) error {
	bytes, err := texelBytes(uint32(v[0]))
	if err != nil {
		return err
	}
	return r.copyWindow(linearSurface(v[7:], bytes), linearSurface(v[1:], bytes), v[13:], [3]uint64{1, 1, 1}, bytes)
}

// dmaTiledWindow copies between a tiled and a linear surface: fields detile, those of the tiled one, of the linear one,
// and the size.
func dmaTiledWindow(r *run, v []uint64) error {
	info := r.packet.Body[tilingWord]
	bytes, err := texelBytes(info)
	if err != nil {
		return err
	}
	tiled, err := r.tiledSurface(v[1:], info, bytes)
	if err != nil {
		return err
	}
	to, from := tiled, linearSurface(v[7:], bytes)
	if v[0] != 0 {
		to, from = from, to
	}
	return r.copyWindow(to, from, v[13:], [3]uint64{1, 1, 1}, bytes)
}

// dmaTiles copies between tiled surfaces whole tiles: fields of the source, those of the destination, and the size. The
// size of texels is with the source.
func dmaTiles(r *run, v []uint64) error {
	bytes, err := texelBytes(r.packet.Body[tilingWord])
	if err != nil {
		return err
	}
	from, err := r.tiledSurface(v, r.packet.Body[tilingWord], bytes)
	if err != nil {
		return err
	}
	to, err := r.tiledSurface(v[6:], r.packet.Body[tilingWordDst], bytes)
	if err != nil {
		return err
	}
	return r.copyWindow(to, from, v[12:], [3]uint64{8, 8, 1}, bytes)
}
