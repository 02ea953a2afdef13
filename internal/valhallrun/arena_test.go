package valhallrun

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	launchvalhall "github.com/heddle-gpu/heddle/internal/platforms/valhall"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/valhall"
	"github.com/heddle-gpu/heddle/mem"
)

// An arena is memory in which descriptors and what they point to are laid out as by a driver.
type arena struct {
	data []byte
	next uint64 // offset of free memory
	desc [arenaTables][][8]uint32
}

const (
	arenaAt     = 0x1_0000_0000 // addresses of more than 32 bits
	arenaBytes  = 1 << 18
	arenaTables = 6
)

// Table numbers of Mesa.
const (
	tabBuffer = iota
	tabAttribute
	tabVertex
	tabSampler
	tabTexture
	tabImage
)

// take allocates so many bytes and returns their address.
func (a *arena) take(n int) (addr uint64, data []byte) {
	if a.data == nil {
		a.data = make([]byte, arenaBytes)
		a.next = 0x1000
	}
	at := a.next
	a.next = (at + uint64(n) + 63) &^ 63
	return arenaAt + at, a.data[at : at+uint64(n)]
}

// add adds a descriptor to a table and returns its handle.
func (a *arena) add(table int, d [8]uint32) uint32 {
	a.desc[table] = append(a.desc[table], d)
	return uint32(table)<<24 | uint32(len(a.desc[table])-1)
}

// finish writes the tables and returns the pointer to them, with their number.
func (a *arena) finish() uint64 {
	at, table := a.take(16 * arenaTables)
	for i, list := range a.desc {
		addr, data := a.take(32 * len(list))
		for k, d := range list {
			for j, w := range d {
				binary.LittleEndian.PutUint32(data[32*k+4*j:], w)
			}
		}
		binary.LittleEndian.PutUint64(table[16*i:], addr|1<<56)
		binary.LittleEndian.PutUint64(table[16*i+8:], uint64(32*len(list)))
	}
	return at | arenaTables
}

// warp returns a warp whose memory is the arena.
func (a *arena) warp(t *testing.T) *warp {
	t.Helper()
	return a.warpOf(t, "v9")
}

// warpOf is warp of another architecture.
func (a *arena) warpOf(t *testing.T, variant string) *warp {
	t.Helper()
	w := newWarpOf(t, variant, nil)
	pointer := a.finish()
	space, err := mem.NewSpace("global", mem.Segment{Name: "arena", Base: arenaAt, Data: mem.Alloc(arenaBytes), Rights: mem.ReadWrite})
	if err != nil {
		t.Fatal(err)
	}
	copy(space.Segments()[0].Data, a.data)
	a.data = space.Segments()[0].Data
	w.env.Spaces[ir.GlobalSpace] = []*mem.Space{space}
	w.env.ImageOf = launchvalhall.NewResources(space, w.target.Variant).Of
	w.setSpecial(valhall.SpecialTable, pointer)
	return w
}

// buffer returns a buffer descriptor.
func (a *arena) buffer(n int, stride uint32) (d [8]uint32, data []byte) {
	addr, data := a.take(n)
	kind := uint32(9 | 1<<4)
	if stride > 0 {
		kind = 9 | 3<<4
	}
	return [8]uint32{kind, uint32(n), uint32(addr), uint32(addr >> 32), stride}, data
}

// pixel returns a pixel format from a code and an order of components.
func pixel(code, order uint32) uint32 { return code<<12 | order }

// unswizzled is the identity swizzle.
const unswizzled = 0 | 1<<3 | 2<<6 | 3<<9

// A picture is the texture of a test: slices are layers times faces, or z.
type picture struct {
	dim, format           uint32
	width, height, depth  int
	layers, levels, bytes int
	tiled                 bool
	swizzle               uint32
	texel                 func(level, slice, x, y int) []byte
	minLod, maxLod        uint32
}

// Dimensions of texture descriptors.
const (
	cube = 0
	flat = 2
	deep = 3
)

// texture lays out a texture and returns its descriptor.
func (a *arena) texture(p picture) [8]uint32 {
	faces := 1
	if p.dim == cube {
		faces = 6
	}
	slices := p.layers * faces
	surfaces, planes := a.take(32 * p.levels * slices)
	type place struct {
		first, row, between uint64
	}
	var levels []place
	for l := range p.levels {
		w, h, d := max(p.width>>l, 1), max(p.height>>l, 1), 1
		if p.dim == deep {
			d = max(p.depth>>l, 1)
		}
		row := uint64(w*p.bytes+63) &^ 63
		size := row * uint64(h)
		if p.tiled {
			row = uint64((w+15)/16) * 256 * uint64(p.bytes)
			size = row * uint64((h+15)/16)
		}
		first, data := a.take(int(size) * max(slices, d))
		levels = append(levels, place{first, row, size})
		for s := range max(slices, d) {
			for y := range h {
				for x := range w {
					at := uint64(s)*size + uint64(y)*row + uint64(x*p.bytes)
					if p.tiled {
						at = uint64(s)*size + uint64(y/16)*row + uint64(x/16*256+interleaved(x%16, y%16))*uint64(p.bytes)
					}
					copy(data[at:], p.texel(l, s, x, y))
				}
			}
		}
	}
	order, clump := uint32(2), map[int]uint32{1: 0, 2: 1, 4: 2, 8: 3, 16: 4}[p.bytes]
	if p.tiled {
		order = 1
	}
	for s := range slices {
		for l, v := range levels {
			addr := v.first + uint64(s)*v.between
			for i, w := range []uint32{10 | 1<<4 | order<<8 | clump<<24, uint32(v.between), uint32(addr), uint32(addr >> 32), uint32(v.row), 0, uint32(v.between), 0} {
				binary.LittleEndian.PutUint32(planes[32*(s*p.levels+l)+4*i:], w)
			}
		}
	}
	return [8]uint32{2 | p.dim<<4 | p.format<<10, uint32(p.width-1) | uint32(p.height-1)<<16, p.swizzle | uint32(p.levels-1)<<16,
		p.minLod | p.maxLod<<16, uint32(surfaces), uint32(surfaces >> 32), uint32(p.layers - 1), uint32(max(p.depth, 1) - 1)}
}

// interleaved returns the number of a texel in a tile of 16 by 16: bits of x^y and y alternate, lowest first.
func interleaved(x, y int) (n int) {
	for i := range 4 {
		n += (x^y)>>i%2<<(2*i) + y>>i%2<<(2*i+1)
	}
	return n
}

// sampler returns a descriptor with wrap modes by axis, filters, levels and comparison.
func sampler(wrap [3]uint32, nearest bool, mip, compare uint32) [8]uint32 {
	w0 := uint32(1) | wrap[2]<<8 | wrap[1]<<12 | wrap[0]<<16 | 1<<23 | 1<<25 | mip<<30
	if nearest {
		w0 |= 3 << 27
	}
	return [8]uint32{w0, compare<<13 | 0x1fff<<16}
}

func float(x float64) uint32 { return math.Float32bits(float32(x)) }

func toFloat(w uint32) float64 { return float64(math.Float32frombits(w)) }

var _ exec.Inputs = (*pipeline)(nil)
