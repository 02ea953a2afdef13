package chips

import (
	"fmt"
	"math"

	"github.com/heddle-gpu/heddle/isa/valhall"
)

// teslaChips have a multiprocessor with eight stream processors. Latencies of textures and special functions have no
// source of their own.
func teslaChips() []*Chip {
	const (
		guide  = "NVIDIA CUDA C Programming Guide 4.2 (2012)"
		first  = "NVIDIA CUDA Programming Guide 2.2 (2009)"
		course = "NVIDIA, Optimizing CUDA, part II (2009)"
	)
	memory := func(unit string, latency float64, sure, source string) []Figure {
		return []Figure{{unit + ".issue", 4, Documented, first + ", 5.1.1.3: memory instructions"}, {unit + ".latency", latency, sure, source}}
	}
	const late = first + ", 5.1.1.3: 400 to 600 clocks"
	common := figures([]Figure{
		{"wave.lanes", 32, Documented, guide + ", 4.1"},
		{"wave.issue", 4, Documented, guide + ", 5.2.3: compute capability 1.x issues an instruction of a warp over 4 clocks"},
		{"simd.waves", 24, Documented, guide + ", F.1: compute capability 1.0 and 1.1"},
		{"sp.issue", 4, Documented, guide + ", F.3.1"},
		{"sp.latency", 24, Documented, course + ": about 24 clocks; " + guide + ", 5.2.3: about 22"},
		{"sfu.issue", 16, Documented, guide + ", F.3.1"},
		{"sfu.latency", 24, Assumed, "no source found: as of sp"},
		{"texture.issue", 4, Assumed, "no source found: as memory instructions"},
		{"texture.latency", 400, Assumed, "no source found: as of global memory"},
		{"attribute.issue", 4, Assumed, "no source found: as memory instructions"}, {"attribute.latency", 24, Assumed, "no source found: as of sp"},
		{"output.issue", 4, Assumed, "no source found: as memory instructions"},
		{"control.issue", 4, Documented, guide + ", 5.2.3: an instruction of a warp over 4 clocks"},
	}, memory("shared", 24, Assumed, "no source found: as of sp, as without conflicts it is as fast as a register"), memory("constant", 24, Assumed, "no source found: as of sp, for constants in the cache"),
		memory("local", 400, Documented, late), memory("global", 400, Documented, late))
	double := figures(common, []Figure{
		{"simd.waves", 32, Documented, guide + ", F.1: compute capability 1.2 and 1.3"},
		{"dp.issue", 32, Documented, guide + ", F.3.1"}, {"dp.latency", 32, Assumed, "no source found: at least the issue"}})
	later := figures(common, double[2:3])
	var list []*Chip
	for _, c := range []struct {
		name, isa string
		figures   []Figure
		product   string
		cores     float64
		rate      float64 // bytes of memory a clock of a multiprocessor; 0: it has no memory of its own
	}{{"g80", "tesla:g80", common, "GeForce 8800 GTX (86.4 GB/s, 1350 MHz)", 16, 4}, {"g84", "tesla:g84", common, "GeForce 8600 GTS (32 GB/s, 1450 MHz)", 4, 5.517}, {"g92", "tesla:g84", common, "GeForce 8800 GTS 512 (62.1 GB/s, 1625 MHz)", 16, 2.388},
		{"gt200", "tesla:g200", double, "GeForce GTX 280 (141.7 GB/s, 1296 MHz)", 30, 3.645}, {"mcp77", "tesla:mcp77", common, "GeForce 8200", 1, 0}, {"gt215", "tesla:gt215", later, "GeForce GT 240 (54.4 GB/s, 1340 MHz)", 12, 3.383}} {
		of := []Figure{{"chip.cores", c.cores, Documented, guide + ", appendix A: " + c.product}}
		if c.rate > 0 {
			of = append(of, Figure{"lines.issue", math.Round(640/c.rate) / 10, Derived, "64 bytes of a multiprocessor's share of the memory of a " + c.product + ", as NVIDIA lists it"})
		}
		list = append(list, &Chip{Name: c.name, ISA: c.isa, Figures: figures(c.figures, of)})
	}
	return list
}

// valhallChips are those of which package valhall has rates. No source has a latency.
func valhallChips() (list []*Chip) {
	const source = "Mesa of 2026, src/panfrost/model/pan_model.c"
	for v := 9; v <= 14; v++ {
		for _, x := range valhall.Chips(fmt.Sprintf("v%d", v)) {
			c := &Chip{Name: x.Name, ISA: fmt.Sprintf("valhall:v%d", v), Figures: []Figure{{"wave.lanes", 16, Documented, "docs/reference/valhall.md 7: a warp is 16 lanes"}}}
			for _, unit := range []string{valhall.CostFMA, valhall.CostCVT, valhall.CostSFU, valhall.CostVarying, valhall.CostTexture} {
				if n := x.Rate(unit); n > 0 {
					c.Figures = append(c.Figures, Figure{unit + ".rate", float64(n), Compiler, source})
				}
			}
			c.Figures = append(c.Figures, Figure{"chip.cores", 1, Assumed, "products have different numbers of cores"})
			for _, unit := range []string{valhall.CostFMA, valhall.CostCVT, valhall.CostSFU, valhall.CostLoadStore, valhall.CostVarying, valhall.CostTexture} {
				c.Figures = append(c.Figures, Figure{unit + ".latency", 0, Assumed, "no source has it: results count as there at once, unless --set says otherwise"})
			}
			list = append(list, c)
		}
	}
	return list
}

// rogueChips have one figure: of each phase a clock for 16 instances. What the documents do not count is absent.
func rogueChips() []*Chip {
	const source = "Imagination, PowerVR compute development recommendations, example device of 500 MHz: one cycle per instruction, 16 instances each"
	figures := []Figure{{"wave.lanes", 32, Documented, "docs/reference/rogue.md 1: a task has up to 32 instances"}}
	for _, unit := range []string{"main 0", "main 1", "main 2", "bit 0", "bit 1", "bit 2"} {
		figures = append(figures, Figure{unit + ".rate", 16, Documented, source})
	}
	return []*Chip{{Name: "g6400", ISA: "rogue:rogue", Figures: figures}}
}

// attilaChips is the simulator's unified shader: cycles of latency and repetition.
func attilaChips() (list []*Chip) {
	const source = "ATTILA simulator, variable latency, SIMD4: docs/reference/attila.md 10"
	f := []Figure{{"wave.lanes", 16, Documented, "docs/reference/attila.md 10"}, {"wave.issue", 1, Documented, source}}
	for _, x := range []struct {
		unit           string
		latency, again float64
	}{{"alu.plain", 3, 1}, {"alu.integer", 2, 1}, {"alu.power", 5, 2}, {"alu.reciprocal", 5, 4}, {"alu.angle", 12, 6}, {"alu.parts", 9, 4}, {"alu.light", 4, 1},
		{"alu.derivatives", 16, 8}, {"alu.brief", 1, 1}, {"texture.plain", 1, 1}, {"texture.projected", 5, 1}, {"control", 1, 1}} {
		f = append(f, Figure{x.unit + ".issue", x.again, Documented, source}, Figure{x.unit + ".latency", x.latency, Documented, source})
	}
	for _, v := range []string{"attila", "sim"} {
		list = append(list, &Chip{Name: "attila", ISA: "attila:" + v, Figures: figures(f)})
	}
	return list
}
