package cp

import (
	_ "embed"
	"fmt"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu/pm4"
)

// Sizes in dwords of the ranges of registers that a State holds: CONFIG with SH, which follows it; CONTEXT; UCONFIG.
const (
	configDwords  = (0xc000 - pm4.ConfigBase) / 4
	contextDwords = 0x1000 / 4
	uconfigDwords = 0x8000 / 4
	stateDwords   = configDwords + contextDwords + uconfigDwords
)

// slot returns the index of the register at a byte address, or -1.
func slot(addr uint32) int {
	switch {
	case addr&3 != 0:
	case addr-pm4.ConfigBase < configDwords*4:
		return int(addr-pm4.ConfigBase) / 4
	case addr-pm4.ContextBase < contextDwords*4:
		return int(addr-pm4.ContextBase)/4 + configDwords
	case addr-pm4.UconfigBase < uconfigDwords*4:
		return int(addr-pm4.UconfigBase)/4 + configDwords + contextDwords
	}
	return -1
}

// A State is what packets have set: registers, and what they keep for later draws and dispatches.
type State struct {
	Gen          int    // 6, 7 or 8
	IndirectBase uint64 // to which the offsets of indirect draws are added
	ComputeBase  uint64 // and those of indirect dispatches
	IndexBase    uint64 // address of the indices
	IndexMax     uint32 // number of indices in memory
	IndexType    uint32 // as VGT_DMA_INDEX_TYPE
	Instances    uint32

	// StreamOffsets are where the next vertices of stream output go in each buffer, in bytes. Draws advance them.
	StreamOffsets [4]uint32

	predicate bool   // whether packets with the predicate bit are executed
	passed    bool   // what the last packets of a predicate on occlusion queries said
	loads     uint32 // spaces that LOAD packets load
	known     *known
	regs      [stateDwords]uint32
	written   [stateDwords]bool // by packets
}

// table returns what is known of the registers of the generation.
func (s *State) table() *known {
	if s.known == nil {
		s.known = knownOf(s.Gen)
	}
	return s.known
}

// Reg returns the register at a byte address, 0 if there is none.
func (s *State) Reg(addr uint32) uint32 {
	if i := slot(addr); i >= 0 {
		return s.regs[i]
	}
	return 0
}

// Written reports whether the register at a byte address was ever set.
func (s *State) Written(addr uint32) bool {
	i := slot(addr)
	return i >= 0 && s.written[i]
}

// Set sets the register at a byte address.
func (s *State) Set(addr, v uint32) {
	if i := slot(addr); i >= 0 {
		s.regs[i], s.written[i] = v, true
	}
}

// What a register may be used for.
type use uint8

const (
	noRegister use = iota
	refused        // its effects are not built
	kept           // its value is state
	limited        // likewise, with a field that must be 0
	ignored        // it has no effect
)

// A known says what is known of the registers of a generation: state.txt.
type known struct {
	uses  [stateDwords]use
	clear [stateDwords]uint32
	reset [stateDwords]bool // set by CLEAR_STATE
	off   map[int]pm4.Field // fields of limited registers
}

//go:embed state.txt
var stateText string

// knowns has what is known of each generation, from its first use on.
var knowns [3]struct {
	once sync.Once
	k    *known
}

func knownOf(gen int) *known {
	g := &knowns[gen-6]
	g.once.Do(func() { g.k = readKnown(gen, stateText) })
	return g.k
}

// readKnown reads state.txt, which is part of the program: a mistake in it panics.
func readKnown(gen int, text string) *known {
	k := &known{off: map[int]pm4.Field{}}
	for r := range pm4.Table(gen).All() {
		if i := slot(r.Addr); i >= 0 {
			k.uses[i] = refused
			if r.Addr >= pm4.ShBase && r.Addr < pm4.UconfigBase {
				k.uses[i] = kept
			}
		}
	}
	for n, line := range strings.Split(text, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		cols := strings.Split(line, "\t")
		err := fmt.Errorf("%d columns", len(cols))
		if len(cols) == 4 {
			err = nil
			if strings.Contains(cols[2], strconv.Itoa(gen)) {
				err = k.row(gen, cols)
			}
		}
		if err != nil {
			panic(fmt.Sprintf("cp: state.txt:%d: %v", n+1, err))
		}
	}
	return k
}

// row reads a row for a generation.
func (k *known) row(gen int, cols []string) error {
	switch cols[0] {
	case "range":
		return ranges(cols[3], func(i int) { k.reset[i] = true })
	case "hole":
		return ranges(cols[3], func(i int) { k.uses[i] = ignored })
	}
	value := uint64(0)
	if cols[0] == "clear" {
		var err error
		if value, err = strconv.ParseUint(cols[3], 0, 32); err != nil {
			return err
		}
	}
	names, err := match(gen, cols[1])
	for _, i := range names {
		switch cols[0] {
		case "clear":
			k.clear[i] = uint32(value)
		case "state":
			k.uses[i] = kept
		case "ignore":
			k.uses[i] = ignored
		case "off":
			k.uses[i] = limited
			if k.off[i], err = fieldOf(gen, cols[1], cols[3]); err != nil {
				return err
			}
		default:
			return fmt.Errorf("row %q", cols[0])
		}
	}
	if err == nil && len(names) == 0 {
		return fmt.Errorf("gfx%d has no register %s", gen, cols[1])
	}
	return err
}

// fieldOf returns a field of a register.
func fieldOf(gen int, register, name string) (pm4.Field, error) {
	r, _ := pm4.Table(gen).ByName(register)
	f, ok := r.Field(name)
	if !ok {
		return f, fmt.Errorf("%s has no field %s", register, name)
	}
	return f, nil
}

// match returns the indices of the registers that have a name, which may be a pattern.
func match(gen int, name string) (all []int, err error) {
	if !strings.ContainsAny(name, "*?") {
		if r, ok := pm4.Table(gen).ByName(name); ok && slot(r.Addr) >= 0 {
			all = append(all, slot(r.Addr))
		}
		return all, nil
	}
	for r := range pm4.Table(gen).All() {
		is, err := path.Match(name, r.Name)
		if err != nil {
			return nil, err
		}
		if i := slot(r.Addr); is && i >= 0 {
			all = append(all, i)
		}
	}
	return all, nil
}

// ranges reads ADDRESS+COUNT words and calls f with the index of each register.
func ranges(text string, f func(i int)) error {
	for _, w := range strings.Fields(text) {
		first, count, _ := strings.Cut(w, "+")
		at, err := strconv.ParseUint(first, 0, 32)
		if err != nil {
			return err
		}
		n, err := strconv.ParseUint(count, 0, 16)
		if err != nil {
			return err
		}
		for i := range uint32(n) {
			s := slot(uint32(at) + 4*i)
			if s < 0 {
				return fmt.Errorf("no register at %#x", uint32(at)+4*i)
			}
			f(s)
		}
	}
	return nil
}

// clearState gives context registers the values that they have after CLEAR_STATE.
func (s *State) clearState() {
	k := s.table()
	for i, is := range k.reset {
		if is {
			s.regs[i] = k.clear[i]
		}
	}
}

// allEngines is the value of GRBM_GFX_INDEX with which register writes go to all engines, arrays and instances.
const allEngines = 7 << 29

// write writes a register for a packet, if it is one whose effects are built.
func (s *State) write(addr, v uint32) error {
	t := pm4.Table(s.Gen)
	i := slot(addr)
	u := noRegister
	if i >= 0 {
		u = s.table().uses[i]
	}
	switch {
	case u == noRegister:
		return fmt.Errorf("gfx%d has no register at %#x that packets may write", s.Gen, addr)
	case u == refused:
		return &NotBuilt{"writing " + t.Name(addr)}
	case u == limited && s.known.off[i].Get(v) != 0:
		return &NotBuilt{fmt.Sprintf("writing %s with %s=%d", t.Name(addr), s.known.off[i].Name, s.known.off[i].Get(v))}
	case addr == gfxIndex(s.Gen) && v != allEngines:
		r, _ := t.At(addr)
		return &NotBuilt{"writing registers of some engines only: GRBM_GFX_INDEX " + r.Format(v)}
	}
	s.regs[i], s.written[i] = v, true
	return nil
}

// read reads a register for a packet.
func (s *State) read(addr uint32) (uint32, error) {
	i := slot(addr)
	if i < 0 || s.table().uses[i] == noRegister {
		return 0, fmt.Errorf("gfx%d has no register at %#x that packets may read", s.Gen, addr)
	}
	if s.table().uses[i] == refused {
		return 0, &NotBuilt{"reading " + pm4.Table(s.Gen).Name(addr)}
	}
	return s.regs[i], nil
}

// gfxIndex is the address of GRBM_GFX_INDEX.
func gfxIndex(gen int) uint32 {
	if gen == 6 {
		return 0x802c
	}
	return 0x30800
}
