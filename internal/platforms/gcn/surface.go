package gcn

import (
	"fmt"

	"github.com/heddle-gpu/heddle/mem"
)

// A Surface is a tiled surface as a packet of the DMA engines of gfx7 and gfx8 describes it: with the fields of its
// tile modes, not their index. Source: the packet's layout in kernels and Mesa (radeonsi, encode_tile_info).
type Surface struct {
	Base         uint64 // its low bits turn banks and pipes
	Info         uint32
	Texel        int    // bytes
	Pitch, Slice uint32 // texels of a row and of a slice
}

// Fields of Info.
var (
	infoArray = tileField{3, 4}
	infoOrder = tileField{8, 3}
	infoSplit = tileField{11, 3}
	infoBanks = [4]tileField{{15, 2}, {18, 2}, {24, 2}, {21, 2}} // width, height, aspect, number
	infoPipes = tileField{26, 5}
)

// Texels returns where the texels of a surface are. Modes are those that Mesa uses: tiles alone, or in blocks.
func (t *Tiling) Texels(s *Surface) (at func(x, y, z uint32) uint64, err error) {
	m := tileMode{array: arrayMode(infoArray.of(s.Info)), order: tileOrder(infoOrder.of(s.Info)), texel: s.Texel, samples: 1,
		pipes: pipeConfig(infoPipes.of(s.Info)), chunk: t.interleave(), split: min(64<<infoSplit.of(s.Info), t.rowBytes())}
	m.width, m.height = 1<<infoBanks[0].of(s.Info), 1<<infoBanks[1].of(s.Info)
	m.aspect, m.banks = 1<<infoBanks[2].of(s.Info), 2<<infoBanks[3].of(s.Info)
	name := arrayModes[m.array].name
	switch {
	case m.array != microThin && m.array != macroThin:
		return nil, fmt.Errorf("surfaces of mode %s are not built", name)
	case int(m.order) >= len(tileOrders):
		return nil, fmt.Errorf("texels of tiles in order %d, which does not exist", m.order)
	case s.Texel > 16:
		return nil, fmt.Errorf("texels of %d bytes, which do not exist", s.Texel)
	}
	if m.macro() {
		if m.pipes.number() == 0 || m.aspect > m.banks {
			return nil, fmt.Errorf("pipe configuration %d (%s) with a macro tile aspect of %d of %d banks, which is not built", m.pipes, m.pipes.name(), m.aspect, m.banks)
		}
		if err := m.settle(0, t.rowBytes()); err != nil {
			return nil, err
		}
	}
	width, height := m.block()
	if int(s.Pitch)%width != 0 || int(s.Slice)%(int(s.Pitch)*height) != 0 && m.macro() {
		return nil, fmt.Errorf("rows of %d texels and slices of %d, which are no blocks of %dx%d", s.Pitch, s.Slice, width, height)
	}
	p := &mem.Plane{Base: s.Base &^ m.swizzleBits(), Row: uint64(int(s.Pitch)*height*s.Texel) / uint64(m.parts()), Slice: uint64(s.Slice) * uint64(s.Texel)}
	p.Part = p.Slice / uint64(m.parts())
	if p.Swizzle, err = m.swizzle(); err == nil && m.macro() {
		p.Swizzle, err = p.Swizzle.Turned(m.turns(s.Base, 1<<11))
	}
	return func(x, y, z uint32) uint64 { return p.At(x, y, z, uint64(s.Texel)) }, err
}
