package gcn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/mem"
)

// A tileOrder is the order of texels in a tile: the values of MICRO_TILE_MODE_NEW. gfx6 has the first three.
type tileOrder uint8

const (
	orderDisplay tileOrder = iota
	orderThin
	orderDepth
	orderRotated
	orderThick
)

// thinOrder is the order of tiles for all sizes of texels.
const thinOrder = "x0 y0 x1 y1 x2 y2"

// tileOrders are the bits of coordinates that are the bits of the number of a texel in its tile, the lowest first, by
// the logarithm of the bytes of a texel. Other orders than thick ones have the bits of z last.
var tileOrders = [...][5]string{
	orderDisplay: {"x0 x1 x2 y1 y0 y2", "x0 x1 x2 y0 y1 y2", "x0 x1 y0 x2 y1 y2", "x0 y0 x1 x2 y1 y2", "y0 x0 x1 x2 y1 y2"},
	orderThin:    {thinOrder, thinOrder, thinOrder, thinOrder, thinOrder},
	orderDepth:   {thinOrder, thinOrder, thinOrder, thinOrder, thinOrder},
	orderRotated: {"y0 y1 y2 x1 x0 x2", "y0 y1 y2 x0 x1 x2", "y0 y1 x0 y2 x1 x2", "y0 x0 y1 x1 x2 y2", ""},
	orderThick: {"x0 y0 x1 y1 z0 z1 x2 y2", "x0 y0 x1 y1 z0 z1 x2 y2", "x0 y0 x1 z0 y1 z1 x2 y2", "x0 y0 z0 x1 y1 z1 x2 y2",
		"x0 y0 z0 x1 y1 z1 x2 y2"},
}

// A pipeConfig is how tiles are distributed to pipes: the values of PIPE_CONFIG.
type pipeConfig uint8

// pipeConfigs are the bits of the number of the pipe by the bits of texel coordinates, the lowest first. A name alone
// is a configuration whose public descriptions contradict each other or are not one to one. No supported chip has one.
var pipeConfigs = [...]struct{ name, number string }{
	0:  {"P2", "x3^y3"},
	4:  {"P4_8x16", "x4^y3 x3^y4"},
	5:  {"P4_16x16", "x3^y3^x4 x4^y4"},
	6:  {"P4_16x32", "x3^y3^x4 x4^y5"},
	7:  {"P4_32x32", ""},
	8:  {"P8_16x16_8x16", ""},
	9:  {"P8_16x32_8x16", "x4^y3^x5 x3^y4 x4^y5"},
	10: {"P8_32x32_8x16", "x4^y3^x5 x3^y4 x5^y5"},
	11: {"P8_16x32_16x16", "x3^y3^x4 x5^y4 x4^y5"},
	12: {"P8_32x32_16x16", "x3^y3^x4 x4^y4 x5^y5"},
	13: {"P8_32x32_16x32", "x3^y3^x4 x4^y6 x5^y5"},
	14: {"P8_32x64_32x32", ""},
	16: {"P16_32x32_8x16", "x4^y3 x3^y4 x5^y6 x6^y5"},
	17: {"P16_32x32_16x16", "x3^y3^x4 x4^y4 x5^y6 x6^y5"},
}

func (p pipeConfig) name() string {
	if int(p) >= len(pipeConfigs) || pipeConfigs[p].name == "" {
		return "reserved"
	}
	return pipeConfigs[p].name
}

// number is the number of pipes, 0 if the configuration is not built.
func (p pipeConfig) number() int {
	if int(p) >= len(pipeConfigs) || pipeConfigs[p].number == "" {
		return 0
	}
	return 1 << len(strings.Fields(pipeConfigs[p].number))
}

// bankNumbers are the bits of the number of the bank by the logarithm of the number of banks. x0 is the lowest bit of
// the number of a bank's width, counted in tiles of all pipes, y0 that of a bank's height.
var bankNumbers = [5]string{1: "x0^y0", 2: "x0^y1 x1^y0", 3: "x0^y2 x1^y1^y2 x2^y0", 4: "x0^y3 x1^y2^y3 x2^y1 x3^y0"}

// numberBits returns the bits of a number. Bit 0 of x and of y in the text is bit shift[0] and shift[1] of a
// coordinate.
func numberBits(text string, shift [2]int) (number []mem.SwizzleBit) {
	for _, word := range strings.Fields(text) {
		var b mem.SwizzleBit
		for _, term := range strings.Split(word, "^") {
			axis, at := term[0]-'x', int(term[1]-'0')
			if axis < 2 {
				at += shift[axis]
			}
			b[axis] ^= 1 << at
		}
		number = append(number, b)
	}
	return number
}

// run returns n bits of a coordinate from bit at on.
func run(axis, at, n int) (number []mem.SwizzleBit) {
	for k := range n {
		var b mem.SwizzleBit
		b[axis] = 1 << (at + k)
		number = append(number, b)
	}
	return number
}

// swizzle returns the order of texels in a mode, without turns.
func (t *Tiling) swizzle(m tileMode) (*mem.Swizzle, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.known[m]; s != nil {
		return s, nil
	}
	s, err := m.swizzle()
	if err == nil {
		if t.known == nil {
			t.known = map[tileMode]*mem.Swizzle{}
		}
		t.known[m] = s
	}
	return s, err
}

func (m *tileMode) swizzle() (*mem.Swizzle, error) {
	tile, err := m.tile()
	if err != nil {
		return nil, err
	}
	if !m.macro() {
		return mem.NewSwizzle([3]uint8{3, 3, uint8(log2(m.deep()))}, tile, 0)
	}
	whole := len(tile) - log2(m.parts())
	inBank, parts := tile[:whole:whole], tile[whole:]
	pipes, low := log2(m.pipes.number()), log2(m.chunk/m.texel)
	inBank = append(append(inBank, run(0, 3+pipes, log2(m.width))...), run(1, 3, log2(m.height))...)
	if low > len(inBank) {
		return nil, fmt.Errorf("gcn: banks of %d bytes, less than the %d that follow each other in a pipe", m.texel<<len(inBank), m.chunk)
	}
	bank := numberBits(bankNumbers[log2(m.banks)], [2]int{3 + pipes + log2(m.width), 3 + log2(m.height)})
	m.turnParts(bank, parts)
	number := slices.Concat(inBank[:low], numberBits(pipeConfigs[m.pipes].number, [2]int{}), bank, inBank[low:], parts)
	width, height := m.block()
	if arrayModes[m.array].flat {
		for i := range number {
			number[i][0] &= uint32(width - 1)
			number[i][1] &= uint32(height - 1)
		}
	}
	return mem.NewSwizzle([3]uint8{uint8(log2(width)), uint8(log2(height)), uint8(log2(m.deep()))}, number, len(parts))
}

// tile returns the number of a texel in its tile. In tiles of several samples z is the sample.
func (m *tileMode) tile() ([]mem.SwizzleBit, error) {
	text := tileOrders[m.order][log2(m.texel)]
	switch {
	case text == "":
		return nil, fmt.Errorf("gcn: rotated tiles of texels of %d bytes, which do not exist", m.texel)
	case m.order == orderThick && m.thick() == 1:
		return nil, fmt.Errorf("gcn: texels in thick order in tiles of mode %s, which does not exist", arrayModes[m.array].name)
	case m.order != orderThick && m.thick() > 1:
		text += " z0 z1"
	}
	if m.thick() == 8 {
		text += " z2"
	}
	if m.samples > 1 {
		if m.thick() > 1 || m.samples > 8 {
			return nil, fmt.Errorf("gcn: %d samples of a pixel in tiles of mode %s, which do not exist or are not built", m.samples, arrayModes[m.array].name)
		}
		numbers := [...]string{1: "z0", 2: "z0 z1", 3: "z0 z1 z2"}[log2(m.samples)]
		if text += " " + numbers; m.order == orderDepth { // the samples of a pixel follow each other
			text = numbers + " " + tileOrders[m.order][log2(m.texel)]
		}
	}
	return numberBits(text, [2]int{}), nil
}

// turnParts makes the bank depend on the part of the tile: part n is in the bank n * (banks/2 + 1) XOR that of part 0.
func (m *tileMode) turnParts(bank, parts []mem.SwizzleBit) {
	if arrayModes[m.array].flat {
		return
	}
	add := func(to int, b mem.SwizzleBit) {
		for axis := range b {
			bank[to][axis] ^= b[axis]
		}
	}
	for k, b := range parts {
		if k < len(bank) {
			add(k, b)
		}
		if k == 0 {
			add(len(bank)-1, b)
		}
	}
}

// turns returns what is added to the numbers of texels in each slice of blocks, for as many as there are. base is the
// address of the image, whose low bits turn banks and pipes.
func (m *tileMode) turns(base uint64, count int) []uint32 {
	a := &arrayModes[m.array]
	pipes := m.pipes.number()
	pipeTurn, bankTurn := int(base/uint64(m.chunk))&(pipes-1), int(base/uint64(m.chunk*pipes))&(m.banks-1)
	period := 1
	if a.banks {
		period = m.banks * pipes
	}
	list := make([]uint32, min(period, power(max(count, 1))))
	for s := range list {
		pipe, bank := pipeTurn, bankTurn
		switch {
		case a.pipes:
			step := max(1, pipes/2-1) * s
			pipe, bank = pipe+step, bank+step/pipes
		case a.banks:
			bank += (m.banks/2 - 1) * s
		}
		list[s] = uint32(pipe&(pipes-1)|bank&(m.banks-1)*pipes) * uint32(m.chunk/m.texel)
	}
	return list
}

// swizzleBits are the low bits of the address of an image that turn banks and pipes instead.
func (m *tileMode) swizzleBits() uint64 {
	if !m.macro() {
		return 0
	}
	return uint64(m.chunk * (m.pipes.number()*m.banks - 1))
}
