package gcn

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/num"
)

// Handling of exports. docs/reference/gcn.md 14.5.

// vertexOut receives the exports of a vertex wave.
type vertexOut struct {
	params int // number of parameters of a vertex that are kept
	lanes  int
	pos    [64][4]uint32
	out    [][]uint32 // parameters by lane
	done   bool
}

// Output implements exec.Outputs.
func (v *vertexOut) Output(c *exec.IOCall) (refused uint64, err error) {
	e := gcn.Export(c.Slot[bits.TrailingZeros64(c.Lanes)&63])
	t := e.Target()
	switch {
	case e.Compressed():
		return c.Lanes, fmt.Errorf("a vertex shader exports halves to %s", targetName(t))
	case t < gcn.ExportPos || t >= gcn.ExportPos+4 && t < gcn.ExportParam:
		return c.Lanes, fmt.Errorf("a vertex shader exports to %s", targetName(t))
	}
	v.done = v.done || e.Done()
	for lane := range v.lanes {
		if c.Lanes>>lane&1 == 0 || !gcn.Export(c.Slot[lane]).Executes() {
			continue
		}
		for k := range 4 {
			switch {
			case e.Enabled()>>k&1 == 0:
			case t == gcn.ExportPos:
				v.pos[lane][k] = c.Put[k][lane]
			case t >= gcn.ExportParam && t-gcn.ExportParam < v.params:
				v.out[lane][4*(t-gcn.ExportParam)+k] = c.Put[k][lane]
			}
		}
	}
	return 0, nil
}

// targetName returns a target as assembly writes it.
func targetName(t int) string {
	switch {
	case t < gcn.ExportDepth:
		return fmt.Sprintf("mrt%d", t)
	case t == gcn.ExportDepth:
		return "mrtz"
	case t == gcn.ExportNull:
		return "null"
	case t >= gcn.ExportPos && t < gcn.ExportPos+4:
		return fmt.Sprintf("pos%d", t-gcn.ExportPos)
	case t >= gcn.ExportParam:
		return fmt.Sprintf("param%d", t-gcn.ExportParam)
	}
	return fmt.Sprintf("target %d", t)
}

// pixelOut receives the exports of a pixel wave.
type pixelOut struct {
	colours uint32 // SPI_SHADER_COL_FORMAT
	depths  int    // SPI_SHADER_Z_FORMAT
	useZ    bool

	pixels  [64][draw.MaxTargets]draw.Pixel
	written [64]uint8
	depth   [64]float32
	hasZ    uint64
	valid   uint64 // lanes that are not killed
	marked  bool   // by an export with vm
	done    bool
}

func (p *pixelOut) reset() {
	p.written, p.hasZ, p.valid, p.marked, p.done = [64]uint8{}, 0, 0, false, false
}

// Output implements exec.Outputs.
func (p *pixelOut) Output(c *exec.IOCall) (refused uint64, err error) {
	e := gcn.Export(c.Slot[bits.TrailingZeros64(c.Lanes)&63])
	t := e.Target()
	lanes := executing(c)
	switch {
	case t < draw.MaxTargets:
		err = p.colour(c, e, lanes)
	case t == gcn.ExportDepth:
		err = p.z(c, e, lanes)
	case t != gcn.ExportNull:
		err = fmt.Errorf("a pixel shader exports to %s", targetName(t))
	}
	if err != nil {
		return c.Lanes, err
	}
	if e.Valid() {
		p.valid, p.marked = lanes, true
	}
	p.done = p.done || e.Done()
	return 0, nil
}

// executing returns the lanes of an export that are in EXEC.
func executing(c *exec.IOCall) (m uint64) {
	for lane := range c.Width {
		if gcn.Export(c.Slot[lane&63]).Executes() {
			m |= 1 << lane
		}
	}
	return m & c.Lanes
}

// A colourFormat is how a pixel shader exports colours: whether as halves of words, and how a channel is converted.
// only lists the channels that exist.
type colourFormat struct {
	name   string
	halves bool
	only   int
	decode func(v uint32) uint32
}

func asIs(v uint32) uint32 { return v }

// float16 to sint16 convert a channel of 16 bits to one of 32.
func float16(v uint32) uint32 { return uint32(num.FCvt(16, 32, num.ModeSet, uint64(v))) }
func unorm16(v uint32) uint32 { return math.Float32bits(float32(float64(v) / 65535)) }
func snorm16(v uint32) uint32 {
	return math.Float32bits(float32(max(float64(int16(v))/32767, -1)))
}
func sint16(v uint32) uint32 { return uint32(int32(int16(v))) }

// colourFormats are the codes of SPI_SHADER_COL_FORMAT.
var colourFormats = [16]colourFormat{
	1: {"32_R", false, 1, asIs}, 2: {"32_GR", false, 3, asIs}, 3: {"32_AR", false, 9, asIs},
	4: {"FP16_ABGR", true, 15, float16}, 5: {"UNORM16_ABGR", true, 15, unorm16}, 6: {"SNORM16_ABGR", true, 15, snorm16},
	7: {"UINT16_ABGR", true, 15, asIs}, 8: {"SINT16_ABGR", true, 15, sint16}, 9: {"32_ABGR", false, 15, asIs},
}

// colour handles an export to an MRT in the MRT's format; if it has none, the export is discarded.
func (p *pixelOut) colour(c *exec.IOCall, e gcn.Export, lanes uint64) error {
	code := p.colours >> (4 * e.Target()) & 15
	f := &colourFormats[code]
	switch {
	case code == 0:
		return nil
	case f.decode == nil:
		return fmt.Errorf("SPI_SHADER_COL_FORMAT of %s is %d, which is reserved", targetName(e.Target()), code)
	case f.halves != e.Compressed():
		return fmt.Errorf("%s is of format %s, and the export has compr %v", targetName(e.Target()), f.name, e.Compressed())
	}
	for m := lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		pixel := &p.pixels[lane][e.Target()]
		*pixel = draw.Pixel{}
		for k := range 4 {
			if e.Enabled()&f.only>>k&1 != 0 {
				pixel[k] = f.decode(channel(c, e, k, lane))
			}
		}
		p.written[lane] |= 1 << e.Target()
	}
	return nil
}

// channel returns an export's value of a channel of a lane.
func channel(c *exec.IOCall, e gcn.Export, k, lane int) uint32 {
	if e.Compressed() {
		return c.Put[k/2][lane] >> (16 * (k % 2)) & 0xffff
	}
	return c.Put[k][lane]
}

// z handles an export of depths.
func (p *pixelOut) z(c *exec.IOCall, e gcn.Export, lanes uint64) error {
	if p.depths != 1 && p.depths != 2 && p.depths != 3 && p.depths != 9 || e.Compressed() {
		return fmt.Errorf("SPI_SHADER_Z_FORMAT is %d, and the export to mrtz has compr %v: only formats of 32 bits are built", p.depths, e.Compressed())
	}
	if !p.useZ || e.Enabled()&1 == 0 {
		return nil
	}
	for m := lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		p.depth[lane] = math.Float32frombits(c.Put[0][lane])
	}
	p.hasZ |= lanes
	return nil
}

// shot returns the results of the wave for a lane.
func (p *pixelOut) shot(lane int) draw.FragmentOut {
	return draw.FragmentOut{Depth: p.depth[lane], HasDepth: p.hasZ>>lane&1 != 0, Killed: p.marked && p.valid>>lane&1 == 0,
		Out: &p.pixels[lane], Written: p.written[lane]}
}
