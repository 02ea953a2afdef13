package gcn

import (
	"fmt"
	"math/bits"
	"sync"

	"github.com/heddle-gpu/heddle/mem"
)

// A Tiling is how a chip lays out tiled images: the registers that its kernel driver sets. A descriptor names a tile
// mode by its index. Source: docs/reference/gcn.md 8.4.6.
type Tiling struct {
	Gen        int        // 6, 7 or 8
	AddrConfig uint32     // GB_ADDR_CONFIG
	Modes      [32]uint32 // GB_TILE_MODE0 and following
	Macro      [16]uint32 // GB_MACROTILE_MODE0 and following, of gfx7 and gfx8

	mu    sync.Mutex
	known map[tileMode]*mem.Swizzle
}

// interleave is the number of bytes that follow each other in a pipe.
func (t *Tiling) interleave() int { return 256 << (t.AddrConfig >> 4 & 7) }

// rowBytes is the size of a row of memory.
func (t *Tiling) rowBytes() int { return 1 << 10 << (t.AddrConfig >> 28 & 3) }

// An arrayMode is how texels are laid out: the values of ARRAY_MODE.
type arrayMode uint8

const (
	linearGeneral arrayMode = iota
	linearAligned
	microThin
	microThick
	macroThin
	prtThin
	prt2DThin
	macroThick
	macroXThick
	prtThick
	prt2DThick
	prt3DThin
	macro3DThin
	macro3DThick
	macro3DXThick
	prt3DThick
)

// arrayModes are the properties of array modes.
var arrayModes = [16]struct {
	name              string
	thick             int       // slices of a tile
	micro, macro, prt bool      // tiles alone; tiles in blocks for pipes and banks; for partially resident images
	banks, pipes      bool      // each slice of blocks turns the banks, or both
	flat              bool      // banks and pipes depend on the place in the block alone
	thin              arrayMode // with fewer slices, where there is one
	small             arrayMode // of levels smaller than a block
}{
	linearGeneral: {name: "LINEAR_GENERAL", thick: 1},
	linearAligned: {name: "LINEAR_ALIGNED", thick: 1},
	microThin:     {name: "1D_TILED_THIN1", thick: 1, micro: true},
	microThick:    {name: "1D_TILED_THICK", thick: 4, micro: true, thin: microThin},
	macroThin:     {name: "2D_TILED_THIN1", thick: 1, macro: true, banks: true, small: microThin},
	prtThin:       {name: "PRT_TILED_THIN1", thick: 1, macro: true, prt: true, flat: true, small: microThin},
	prt2DThin:     {name: "PRT_2D_TILED_THIN1", thick: 1, macro: true, prt: true, small: microThin},
	macroThick:    {name: "2D_TILED_THICK", thick: 4, macro: true, banks: true, thin: macroThin, small: microThick},
	macroXThick:   {name: "2D_TILED_XTHICK", thick: 8, macro: true, banks: true, thin: macroThick, small: microThick},
	prtThick:      {name: "PRT_TILED_THICK", thick: 4, macro: true, prt: true, flat: true, small: microThick},
	prt2DThick:    {name: "PRT_2D_TILED_THICK", thick: 4, macro: true, prt: true, small: microThick},
	prt3DThin:     {name: "PRT_3D_TILED_THIN1", thick: 1, macro: true, prt: true, small: microThin},
	macro3DThin:   {name: "3D_TILED_THIN1", thick: 1, macro: true, banks: true, pipes: true, small: microThin},
	macro3DThick:  {name: "3D_TILED_THICK", thick: 4, macro: true, banks: true, pipes: true, thin: macro3DThin, small: microThick},
	macro3DXThick: {name: "3D_TILED_XTHICK", thick: 8, macro: true, banks: true, pipes: true, thin: macro3DThick, small: microThick},
	prt3DThick:    {name: "PRT_3D_TILED_THICK", thick: 4, macro: true, prt: true, small: microThick},
}

// A tileMode is a tile mode for texels of one size.
type tileMode struct {
	array   arrayMode
	order   tileOrder
	texel   int // bytes
	samples int // of a pixel
	pipes   pipeConfig
	banks   int
	width   int // tiles of a bank along x, and along y
	height  int
	aspect  int // banks of a block along x
	split   int // the largest number of bytes of a tile in one place
	chunk   int // bytes that follow each other in a pipe
	degrade bool
}

// Fields of tile modes: the first bit and the number of bits.
type tileField struct{ at, n uint8 }

func (f tileField) of(w uint32) int { return int(w >> f.at & (1<<f.n - 1)) }

var (
	fieldArray    = tileField{2, 4}
	fieldPipes    = tileField{6, 5}
	fieldSplit    = tileField{11, 3} // of depth on gfx7 and gfx8
	fieldOrder6   = tileField{0, 2}
	fieldBanks6   = [4]tileField{{14, 2}, {16, 2}, {18, 2}, {20, 2}} // width, height, aspect, number
	fieldOrder    = tileField{22, 3}
	fieldSamples  = tileField{25, 2}
	fieldBanks    = [4]tileField{{0, 2}, {2, 2}, {4, 2}, {6, 2}} // of macro tile modes
	prtMacroModes = 8                                            // the first macro tile mode for partially resident images
)

// mode returns the tile mode of an index for texels of some bytes, with a number of samples of a pixel.
func (t *Tiling) mode(index uint32, texel, samples int) (tileMode, error) {
	w := t.Modes[index]
	m := tileMode{array: arrayMode(fieldArray.of(w)), texel: texel, samples: samples, pipes: pipeConfig(fieldPipes.of(w)), chunk: t.interleave(), degrade: t.Gen == 6}
	a := &arrayModes[m.array]
	if !a.micro && !a.macro {
		return m, nil
	}
	bank, fields := w, &fieldBanks6
	if t.Gen == 6 {
		m.order, m.split = tileOrder(fieldOrder6.of(w)), 64<<fieldSplit.of(w)
		if m.order == orderRotated || a.prt {
			return m, fmt.Errorf("gcn: T# of tiling index %d: mode %s with texels in order %d, which gfx6 does not define", index, a.name, m.order)
		}
	} else {
		m.order = tileOrder(fieldOrder.of(w))
		tile := texel * 64 * a.thick
		m.split = 64 << fieldSplit.of(w)
		if m.order != orderDepth {
			m.split = max(256, tile<<fieldSamples.of(w))
		}
		m.split = min(m.split, t.rowBytes())
		i := log2(max(min(m.split, tile*samples), 64) / 64)
		if a.prt {
			i += prtMacroModes
		}
		bank, fields = t.Macro[i], &fieldBanks
	}
	if int(m.order) >= len(tileOrders) {
		return m, fmt.Errorf("gcn: T# of tiling index %d: texels of tiles in order %d, which does not exist", index, m.order)
	}
	m.width, m.height, m.aspect, m.banks = 1<<fields[0].of(bank), 1<<fields[1].of(bank), 1<<fields[2].of(bank), 2<<fields[3].of(bank)
	if a.macro {
		return m, m.settle(index, t.rowBytes())
	}
	return m, nil
}

// settle aligns the shape of the banks: a bank has at least the bytes that follow each other in a pipe, and at most
// those of a row of memory.
func (m *tileMode) settle(index uint32, row int) error {
	pipes := m.pipes.number()
	if pipes == 0 {
		return fmt.Errorf("gcn: T# of tiling index %d: pipe configuration %d (%s), which is not built", index, m.pipes, m.pipes.name())
	}
	if m.aspect > m.banks {
		return fmt.Errorf("gcn: T# of tiling index %d: macro tile aspect %d of %d banks", index, m.aspect, m.banks)
	}
	tile := m.tileBytes()
	least := max(1, m.chunk/(tile*m.width))
	m.height = max(m.height, least)
	m.aspect = max(m.aspect, m.chunk/(tile*pipes*m.width))
	if tile*m.width*m.height <= row {
		return nil
	}
	if m.width > 1 {
		for m.width > 1 && tile*m.width*m.height > row {
			m.width /= 2
		}
		least = max(1, m.chunk/(tile*m.width))
		m.aspect = max(m.aspect, m.chunk/(tile*pipes*m.width))
	}
	for m.height > least && tile*m.width*m.height > row {
		m.height /= 2
	}
	return nil
}

// tileBytes is the number of bytes of a tile, or of a part of one, in one place.
func (m *tileMode) tileBytes() int { return min(m.split, 64*m.deep()*m.texel) }

// deep is the number of slices and samples of a tile.
func (m *tileMode) deep() int { return m.thick() * m.samples }

func (m *tileMode) thick() int { return arrayModes[m.array].thick }

func (m *tileMode) macro() bool { return arrayModes[m.array].macro }

// linear reports whether there are no tiles.
func (m *tileMode) linear() bool { return m.array <= linearAligned }

// block returns the sides of what is laid out as a whole, in texels.
func (m *tileMode) block() (width, height int) {
	switch {
	case m.linear():
		return 1, 1
	case !m.macro():
		return 8, 8
	}
	return 8 * m.width * m.pipes.number() * m.aspect, 8 * m.height * m.banks / m.aspect
}

// align is what addresses of levels are multiples of.
func (m *tileMode) align() uint64 {
	if !m.macro() {
		return uint64(m.chunk)
	}
	return uint64(m.pipes.number() * m.banks * m.width * m.height * m.tileBytes())
}

// parts is the number of parts that a tile is in.
func (m *tileMode) parts() int {
	if m.thick() == 1 && m.macro() {
		return max(1, 64*m.deep()*m.texel/m.split)
	}
	return 1
}

// level returns the mode of a level after the first, of the given size in texels: one that is smaller than a block has
// tiles alone, and one with fewer slices than a tile is in thinner tiles on gfx6.
func (m *tileMode) level(index uint32, row, width, height, slices int) (tileMode, error) {
	l := *m
	a := &arrayModes[l.array]
	if l.degrade && slices < a.thick {
		for slices < arrayModes[l.array].thick {
			l.array = arrayModes[l.array].thin
		}
		a = &arrayModes[l.array]
	}
	if !a.macro {
		return l, nil
	}
	w, h := m.block()
	tile := l.tileBytes()
	short := a.thick == 1 && m.chunk > tile*m.width*min(m.pipes.number()*m.aspect, m.height)
	if width < w || height < h || short {
		l.array = a.small
		if l.degrade && slices < arrayModes[l.array].thick {
			l.array = microThin
		}
		return l, nil
	}
	if l.array == m.array {
		return l, nil
	}
	if err := l.settle(index, row); err != nil {
		return l, err
	}
	return l.level(index, row, width, height, slices)
}

// log2 is the logarithm of a power of two.
func log2(n int) int { return bits.TrailingZeros(uint(n)) }
