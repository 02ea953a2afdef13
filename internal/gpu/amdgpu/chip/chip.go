// Package chip has the AMD GPUs that heddle stands for: how they identify themselves to drivers, how many units they
// have, and the tables of their surface layouts. Every figure is in chips.txt, with its source.
package chip

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu/pm4"
	"github.com/heddle-gpu/heddle/internal/spell"
)

// A Chip is a GPU. Chips are shared and not to be changed.
type Chip struct {
	Name        string
	Gen         int    // 6, 7 or 8
	Device      uint32 // PCI device
	Revision    uint32 // PCI revision
	Family      uint32 // as amdgpu_drm.h numbers them
	ExternalRev uint32 // revision by which drivers know the chip
	Engines     int    // shader engines
	Arrays      int    // shader arrays of an engine
	CUs         int    // compute units of an array
	RBs         int    // render backends of an engine
	TCCs        int    // blocks of the L2 cache
	GSThreads   uint32
	Target      uint32 // version of the instruction set for ROCm, 80003 for gfx803; 0 if there is no compute node
	Doorbells   uint32 // kind of doorbells, as ROCm numbers them
	DMAFirmware uint32 // version of the microcode of DMA engines

	AddrConfig    uint32 // GB_ADDR_CONFIG
	RAMConfig     uint32 // MC_ARB_RAMCFG
	RasterConfig  uint32 // PA_SC_RASTER_CONFIG
	RasterConfig1 uint32 // PA_SC_RASTER_CONFIG_1, of gfx7 and gfx8

	VRAM        uint64 // bytes
	VRAMBits    uint32 // width of the memory bus
	VRAMType    uint32 // as amdgpu_drm.h numbers them
	ShaderClock uint64 // kHz
	MemoryClock uint64 // kHz

	TileModes      [32]uint32 // GB_TILE_MODE0 and following
	MacroTileModes [16]uint32 // GB_MACROTILE_MODE0 and following, of gfx7 and gfx8

	Guesses []string // figures of chips.txt that no source gives

	pipes string // name of the pipe configuration
}

// CUMask returns a bit for each compute unit of an array.
func (c *Chip) CUMask() uint32 { return 1<<c.CUs - 1 }

// RBMask returns a bit for each render backend of the chip.
func (c *Chip) RBMask() uint32 { return 1<<(c.RBs*c.Engines) - 1 }

// TotalCUs returns the number of compute units of the chip.
func (c *Chip) TotalCUs() int { return c.Engines * c.Arrays * c.CUs }

//go:embed chips.txt
var chipsText string

var chips = sync.OnceValue(func() []*Chip { return read(chipsText) })

// All returns the chips, from the oldest generation on.
func All() []*Chip { return slices.Clone(chips()) }

// Lookup returns the chip that has a name.
func Lookup(name string) (*Chip, error) {
	var names []string
	for _, c := range chips() {
		if c.Name == name {
			return c, nil
		}
		names = append(names, c.Name)
	}
	hint := "chips: " + strings.Join(names, ", ")
	if near := spell.Nearest(strings.ToLower(name), names); near != "" {
		hint = "did you mean " + near + "? " + hint
	}
	return nil, fmt.Errorf("unknown chip %q (%s)", name, hint)
}

// read reads chips.txt, which is part of the program: a mistake in it panics.
func read(text string) (all []*Chip) {
	for i, line := range strings.Split(text, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		cols := strings.Split(line, "\t")
		var err error
		switch {
		case len(cols) != 4:
			err = fmt.Errorf("%d columns", len(cols))
		case cols[0] == "figure" && cols[1] == "name":
			for _, name := range strings.Fields(cols[2]) {
				all = append(all, &Chip{Name: name})
			}
		case cols[0] == "figure":
			err = figures(all, cols[1], strings.Fields(cols[2]))
		default:
			for _, c := range all {
				if err == nil && slices.Contains(strings.Fields(cols[1]), c.Name) {
					err = c.row(cols)
				}
			}
		}
		if err != nil {
			panic(fmt.Sprintf("chip: chips.txt:%d: %v", i+1, err))
		}
	}
	return all
}

// figures sets a figure of all chips.
func figures(all []*Chip, name string, values []string) error {
	if len(values) != len(all) {
		return fmt.Errorf("%d values for %d chips", len(values), len(all))
	}
	for i, c := range all {
		text, guess := strings.CutSuffix(values[i], "?")
		if guess {
			c.Guesses = append(c.Guesses, name)
		}
		if name == "pipe_config" {
			c.pipes = text
			continue
		}
		v, err := strconv.ParseUint(text, 0, 32)
		if err != nil {
			return err
		}
		if err := c.set(name, v); err != nil {
			return err
		}
	}
	return nil
}

// figure returns where a figure is kept: an *int, *uint32 or *uint64; nil if there is none of that name.
func (c *Chip) figure(name string) any {
	return map[string]any{
		"generation": &c.Gen, "device": &c.Device, "revision": &c.Revision, "family": &c.Family, "external_revision": &c.ExternalRev,
		"engines": &c.Engines, "arrays": &c.Arrays, "cus": &c.CUs, "rbs": &c.RBs, "tccs": &c.TCCs, "gs_threads": &c.GSThreads,
		"target": &c.Target, "doorbells": &c.Doorbells, "dma_firmware": &c.DMAFirmware,
		"addr_config": &c.AddrConfig, "ram_config": &c.RAMConfig, "vram_mib": &c.VRAM, "vram_bits": &c.VRAMBits, "vram_type": &c.VRAMType,
		"shader_khz": &c.ShaderClock, "memory_khz": &c.MemoryClock,
	}[name]
}

// set sets a figure.
func (c *Chip) set(name string, v uint64) error {
	switch to := c.figure(name).(type) {
	case *int:
		*to = int(v)
	case *uint32:
		*to = uint32(v)
	case *uint64:
		if *to = v; name == "vram_mib" {
			*to = v << 20
		}
	default:
		return fmt.Errorf("figure %q", name)
	}
	return nil
}

// row reads a row of registers' fields for a chip.
func (c *Chip) row(cols []string) (err error) {
	if cols[0] == "raster" {
		if c.RasterConfig, err = c.fields("PA_SC_RASTER_CONFIG", cols[2]); err == nil && cols[3] != "" {
			c.RasterConfig1, err = c.fields("PA_SC_RASTER_CONFIG_1", cols[3])
		}
		return err
	}
	modes, reg := c.TileModes[:], "GB_TILE_MODE0"
	if cols[0] == "macro" {
		modes, reg = c.MacroTileModes[:], "GB_MACROTILE_MODE0"
	} else if cols[0] != "tile" {
		return fmt.Errorf("row %q", cols[0])
	}
	i, err := strconv.Atoi(cols[2])
	if err != nil || i >= len(modes) {
		return fmt.Errorf("index %q", cols[2])
	}
	modes[i], err = c.mode(reg, cols[3])
	return err
}

// register returns a register by its name.
func (c *Chip) register(name string) (pm4.Register, error) {
	r, ok := pm4.Table(c.Gen).ByName(name)
	if !ok {
		return r, fmt.Errorf("gfx%d has no %s", c.Gen, name)
	}
	return r, nil
}

// fields returns a register's value from FIELD=VALUE words.
func (c *Chip) fields(reg, text string) (v uint32, err error) {
	r, err := c.register(reg)
	if err != nil {
		return 0, err
	}
	for _, w := range strings.Fields(text) {
		name, value, _ := strings.Cut(w, "=")
		f, ok := r.Field(name)
		n, err := strconv.ParseUint(value, 0, 32)
		if !ok || err != nil {
			return 0, fmt.Errorf("%s: %q", reg, w)
		}
		v = f.Put(v, uint32(n))
	}
	return v, nil
}

// mode returns a register's value from names of its fields' values.
func (c *Chip) mode(reg, text string) (v uint32, err error) {
	r, err := c.register(reg)
	if err != nil {
		return 0, err
	}
	for _, w := range strings.Fields(text) {
		switch w {
		case "PIPES":
			w = c.pipes
		case "ROW":
			w = fmt.Sprintf("TILE_SPLIT_%dKB", c.rowKiB())
		}
		found := false
		for _, f := range r.Fields {
			for _, name := range []string{w, "ADDR_SURF_" + w, "ADDR_SURF_" + w + "_MICRO_TILING"} {
				if n, ok := f.Values.Value(name); ok {
					v, found = f.Put(v, n), true
				}
			}
		}
		if !found {
			return 0, fmt.Errorf("%s: no field has the value %q", reg, w)
		}
	}
	return v, nil
}

// rowKiB returns the size of a row of memory, by GB_ADDR_CONFIG.
func (c *Chip) rowKiB() int { return 1 << (c.AddrConfig >> 28 & 3) }
