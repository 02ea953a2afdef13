package eval

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"sort"
	"strings"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A Case is the result as a case in the state format (see cases/README.md).
type Case struct {
	Name    string            `json:"name"`
	ISA     string            `json:"isa"`
	Variant string            `json:"variant"`
	Stage   string            `json:"stage"`
	Source  string            `json:"source"`
	Tool    string            `json:"tool"`
	Syntax  string            `json:"syntax,omitempty"`  // of Asm, if Code does not have all instructions
	Options map[string]string `json:"options,omitempty"` // options that differ from the defaults for cases of the set
	Code    string            `json:"code"`
	Asm     []string          `json:"asm"`
	Launch  map[string]int    `json:"launch"`
	Initial CaseState         `json:"initial"`
	Final   CaseState         `json:"final"`
	Compare map[string]any    `json:"compare"`
}

// A CaseState is registers by name, each one word or a list of one per lane, and memory.
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

// Case converts the result to a case: the assigned registers and the execution mask before, the changed registers
// after, for the lanes that ran. The program gets an instruction that ends the wave, unless it has ended. The error
// reports that cases cannot express the initial state, or that no instruction is known that ends a wave.
func (r *Result) Case(name string) (*Case, error) {
	p := r.Program
	lanes := max(1, bits.Len64(r.Active))
	c := &Case{Name: name, ISA: p.Name, Variant: p.Variants[p.Variant].Name, Stage: stageName(p.Target), Tool: "heddle eval",
		Source: strings.Join(p.Text(), "; "), Asm: slices.Clone(p.Text()), Launch: map[string]int{"lanes": lanes},
		Initial: CaseState{Regs: map[string]any{}}, Final: CaseState{Regs: map[string]any{}},
		Compare: map[string]any{"type": "u32"}}
	code := slices.Clone(p.Code)
	if p.Bundles != nil { // a case of text ends where the text does
		c.Code, c.Syntax = "-", p.Dialects[p.Dialect]
	} else if !r.After.Ended() {
		end, text, err := ending(p.Target, len(code))
		if err != nil {
			return nil, err
		}
		code, c.Asm = append(code, end...), append(c.Asm, text...)
	}
	c.Options = options(p.Target, &casefile.StateCase{ISA: c.ISA, Variant: c.Variant, Stage: c.Stage, Launch: casefile.CaseLaunch{Lanes: lanes}})
	if c.Code == "" {
		c.Code = fmt.Sprintf("%x", code)
	}
	w := caseWriter{p.Target, registerNames(p.Target), r.Before.Machine, lanes}
	for i := range r.Setup.Regs {
		w.put(c.Initial.Regs, &r.Setup.Regs[i].Reg, r.Before)
	}
	w.put(c.Initial.Regs, &Register{Mask: WholeMask}, r.Before)
	if r.Setup.Mode != nil {
		w.put(c.Initial.Regs, &Register{Cells: []ir.Cell{p.Machine().Mode}}, r.Before)
	}
	for i := range r.Changes {
		w.put(c.Final.Regs, &r.Changes[i].Reg, r.After)
	}
	for _, g := range r.Setup.Memory {
		c.Initial.Memory = append(c.Initial.Memory, CaseMemory{spaceName(p.Target, g.Space), fmt.Sprintf("%#x", g.Addr), fmt.Sprintf("%x", g.Data), g.Name})
	}
	for _, ch := range r.Memory {
		c.Final.Memory = append(c.Final.Memory, CaseMemory{r.spaceOf(ch.Region), fmt.Sprintf("%#x", ch.Addr), fmt.Sprintf("%x", ch.Now), ch.Region})
	}
	sort.Slice(c.Final.Memory, func(i, j int) bool { return c.Final.Memory[i].Addr < c.Final.Memory[j].Addr })
	return c, nil
}

// A caseWriter names registers as cases do, one word each.
type caseWriter struct {
	t     *isa.Target
	names map[span]string
	m     *ir.Machine
	lanes int
}

// put adds the words of a register to a state. It omits cells without a name that cases know; no instruction names them
// either.
func (w *caseWriter) put(to map[string]any, reg *Register, st *exec.State) {
	if reg.Mask != NoMask {
		w.putMask(to, st)
	}
	for _, cell := range reg.Cells {
		name := nameOf(w.names, w.m, span{cell, 1})
		if !w.known(name) {
			continue
		}
		e := Register{Cells: []ir.Cell{cell}, Bits: 32, Lanes: w.m.Kind(cell).PerLane()}
		vs := change(e, st, st).Values
		to[name] = words(vs[:min(len(vs), w.lanes)])
	}
}

// known reports whether cases of the set have a register with that name.
func (w *caseWriter) known(name string) bool {
	f := platforms.Lookup(w.t.Name)
	if f == nil {
		return true
	}
	_, err := f.Register(w.t.Variant, name)
	return err == nil
}

// putMask adds the execution mask if the set has a name for it: the halves of a wide one, or a register with one bit
// per lane.
func (w *caseWriter) putMask(to map[string]any, st *exec.State) {
	c, _ := w.m.Exec()
	name := w.m.Files[c.File].Name
	if w.m.Widths[0] > 32 {
		for part := LowMask; part <= HighMask; part++ {
			e := Register{Mask: part}
			if part == LowMask || st.Lanes > 32 {
				to[name+maskNames[part]] = word(e.Get(st, 0))
			}
		}
		return
	}
	if _, err := w.t.Set.Cell(w.t.Variant, name); err != nil {
		return // the launch selects the active lanes
	}
	bits := make([]uint64, w.lanes)
	for lane := range bits {
		bits[lane] = st.Exec >> lane & 1
	}
	to[name] = words(bits)
}

// stageName returns the stage that cases of the target have: raw, unless decoding depends on the stage.
func stageName(t *isa.Target) string {
	if t.Stage < len(t.Arch.StageNames) {
		return t.Arch.StageNames[t.Stage]
	}
	return "raw"
}

// options returns the options of the target that differ from those under which package check runs a case.
func options(t *isa.Target, c *casefile.StateCase) map[string]string {
	usual := map[string]string{}
	if f := platforms.Lookup(t.Name); f != nil && f.Cases.Options != nil {
		usual = f.Cases.Options(c)
	}
	differ := map[string]string{}
	for i := range t.Arch.Options {
		o := &t.Arch.Options[i]
		if value := o.Values[t.Option(i)]; value != cmp.Or(usual[o.Name], o.Default, o.Values[0]) {
			differ[o.Name] = value
		}
	}
	return differ
}

// ending returns the code, and the texts, of the instructions that end a wave after code of size bytes.
func ending(t *isa.Target, size int) (code []byte, text []string, err error) {
	f := platforms.Lookup(t.Name)
	if f == nil || f.Cases.End == nil {
		return nil, nil, fmt.Errorf("%s: no instruction that ends a wave is known", t.Name)
	}
	if f.Cases.Fill != nil && size%len(f.Cases.End) != 0 {
		code = append(code, f.Cases.Fill...)
	}
	code = append(code, f.Cases.End...)
	var b isa.Bundle
	for at := 0; at < len(code); at += b.Size() {
		if err := t.DecodeBundle(code[at:], uint64(size+at), &b); err != nil {
			return nil, nil, err
		}
		text = append(text, string(t.Print(nil, &b)))
	}
	return code, text, nil
}

// spaceOf returns the address space of a region.
func (r *Result) spaceOf(name string) string {
	for _, g := range r.Setup.Memory {
		if g.Name == name {
			return spaceName(r.Program.Target, g.Space)
		}
	}
	return spaceName(r.Program.Target, ir.GlobalSpace)
}

func word(v uint64) string { return fmt.Sprintf("0x%08x", v) }

// words returns one word if all lanes hold the same, else a list.
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
