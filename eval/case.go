package eval

import (
	"fmt"
	"sort"

	"github.com/heddle-gpu/heddle/ir"
)

// A Case is the result as a case of the state format (see cases/README.md).
type Case struct {
	Name    string         `json:"name"`
	ISA     string         `json:"isa"`
	Variant string         `json:"variant"`
	Stage   string         `json:"stage"`
	Source  string         `json:"source"`
	Tool    string         `json:"tool"`
	Code    string         `json:"code"`
	Asm     []string       `json:"asm"`
	Launch  map[string]int `json:"launch"`
	Initial CaseState      `json:"initial"`
	Final   CaseState      `json:"final"`
	Compare map[string]any `json:"compare"`
}

// A CaseState is registers by name, one word or a list of one a lane, and memory.
type CaseState struct {
	Regs   map[string]any `json:"regs"`
	Memory []CaseMemory   `json:"memory,omitempty"`
}

// CaseMemory is a run of bytes at an address.
type CaseMemory struct {
	Space string `json:"space"`
	Addr  string `json:"addr"`
	Hex   string `json:"hex"`
	Name  string `json:"name,omitempty"`
}

// Case is the result as a case: the assigned registers and the execution mask before, the changed ones after.
func (r *Result) Case(name string) *Case {
	p := r.Program
	c := &Case{Name: name, ISA: p.Set.Name, Variant: p.Set.Variants[p.Variant].Name, Stage: "raw", Tool: "heddle eval",
		Code: fmt.Sprintf("%x", p.Code), Asm: p.Text, Launch: map[string]int{"lanes": r.Before.Lanes},
		Initial: CaseState{Regs: map[string]any{}}, Final: CaseState{Regs: map[string]any{}},
		Compare: map[string]any{"type": "u32"}}
	for i, text := range p.Text {
		if i > 0 {
			c.Source += "; "
		}
		c.Source += text
	}
	names := registerNames(p.Set, p.Variant)
	m := r.Before.Machine
	put := func(to map[string]any, reg Register, final bool) {
		st := r.Before
		if final {
			st = r.After
		}
		for part := LowMask; reg.Mask != NoMask && part <= HighMask; part++ {
			e := Register{Mask: part}
			if part == LowMask || st.Lanes > 32 {
				to[m.Files[execFile(m)].Name+maskNames[part]] = word(e.get(st, 0))
			}
		}
		for _, cell := range reg.Cells {
			e := Register{Cells: []ir.Cell{cell}, Bits: 32, Lanes: m.Kind(cell).PerLane()}
			to[nameOf(names, m, span{cell, 1})] = words(change(e, st, st).Values)
		}
	}
	for i := range r.Setup.Regs {
		put(c.Initial.Regs, r.Setup.Regs[i].Reg, false)
	}
	put(c.Initial.Regs, Register{Mask: WholeMask}, false)
	for i := range r.Changes {
		put(c.Final.Regs, r.Changes[i].Reg, true)
	}
	for _, g := range r.Setup.Memory {
		c.Initial.Memory = append(c.Initial.Memory, CaseMemory{spaceName(p.Set, g.Space), fmt.Sprintf("%#x", g.Addr), fmt.Sprintf("%x", g.Data), g.Name})
	}
	for _, ch := range r.Memory {
		c.Final.Memory = append(c.Final.Memory, CaseMemory{r.spaceOf(ch.Region), fmt.Sprintf("%#x", ch.Addr), fmt.Sprintf("%x", ch.Now), ch.Region})
	}
	sort.Slice(c.Final.Memory, func(i, j int) bool { return c.Final.Memory[i].Addr < c.Final.Memory[j].Addr })
	return c
}

func execFile(m *ir.Machine) int {
	c, _ := m.Exec()
	return int(c.File)
}

// spaceOf is the space of a region.
func (r *Result) spaceOf(name string) string {
	for _, g := range r.Setup.Memory {
		if g.Name == name {
			return spaceName(r.Program.Set, g.Space)
		}
	}
	return spaceName(r.Program.Set, ir.GlobalSpace)
}

func word(v uint64) string { return fmt.Sprintf("0x%08x", v) }

// words is one word if all lanes hold the same, else a list.
func words(vs []uint64) any {
	list := make([]string, len(vs))
	one := true
	for i, v := range vs {
		list[i] = word(v)
		one = one && v == vs[0]
	}
	if one {
		return list[0]
	}
	return list
}
