package digest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
)

// states puts the listings of the programs of state cases, and their results.
func states(path string, put func(of, item string)) error {
	f, err := casefile.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for s, err := range casefile.States(f, path) {
		if err != nil {
			return err
		}
		for _, c := range variants(s) {
			name := c.ISA + ":" + c.Variant
			if !slices.Contains(subjects, name) || c.Code == nil {
				continue
			}
			t, err := newTarget(name)
			if err != nil {
				return err
			}
			if err := t.lists(c.Name, c.Code, 0, put); err != nil {
				return err
			}
			if c.Final != nil {
				put(name+" state", c.Name+"\n"+t.state(c))
			}
		}
	}
	return nil
}

// variants returns the cases that one case stands for.
func variants(s *casefile.StateCase) []*casefile.StateCase {
	s = s.Exact()
	if f := platforms.Lookup(s.ISA); f != nil && f.Cases.Expand != nil {
		return f.Cases.Expand(s)
	}
	return []*casefile.StateCase{s}
}

// prepare makes a case of a program.
func (t *target) prepare(c *casefile.StateCase) (*launch.Case, error) {
	platform := platforms.Lookup(t.isa)
	var options map[string]string
	if platform.Cases.Options != nil {
		options = platform.Cases.Options(c)
	}
	code, err := t.program(c.Code, options)
	if err != nil {
		return nil, err
	}
	return platform.Case(code, t.Target.Variant, c)
}

// state runs a case and returns the fault, or all registers that are not 0 and the memory.
func (t *target) state(c *casefile.StateCase) string {
	k, err := t.prepare(c)
	if err != nil {
		return "ERROR " + err.Error()
	}
	if err := k.Run(context.Background(), ref.New(), exec.Limits{}); err != nil {
		return "FAULT " + err.Error()
	}
	var b strings.Builder
	for i := range k.Waves {
		fmt.Fprintf(&b, "wave %d, %d instructions\n", i, k.Waves[i].Env.Count.Instructions)
		registers(&b, k.Waves[i].State)
	}
	if c.Initial == nil {
		return b.String()
	}
	for _, m := range c.Initial.Memory {
		data, err := k.Bytes(m.Space, m.Addr, uint64(len(m.Data)))
		if err != nil {
			return "ERROR " + err.Error()
		}
		fmt.Fprintf(&b, "%s %#x %x\n", m.Space, m.Addr, data)
	}
	return b.String()
}

// registers writes the cells that are not 0, by the name of their file, so that the order of files and the layout of a
// state do not matter.
func registers(b *strings.Builder, st *exec.State) {
	fmt.Fprintf(b, "live %x\n", st.Live)
	m := st.Machine
	order := make([]int, len(m.Files))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int { return strings.Compare(m.Files[x].Name, m.Files[y].Name) })
	for _, i := range order {
		for n := range m.Files[i].Count {
			if words := cell(st, ir.Cell{File: uint8(i), Index: uint16(n)}); words != "" {
				fmt.Fprintf(b, "%s[%d]%s\n", m.Files[i].Name, n, words)
			}
		}
	}
}

// cell returns the value of a cell, "" for 0.
func cell(st *exec.State, c ir.Cell) string {
	switch st.Machine.Kind(c) {
	case ir.Lane32:
		row := st.Row(c)
		if !slices.ContainsFunc(row, func(v uint32) bool { return v != 0 }) {
			return ""
		}
		return string(hexWords(row))
	case ir.Lane1, ir.ExecMask:
		if v := st.Mask(c); v != 0 {
			return fmt.Sprintf(" %x", v)
		}
	default:
		if v := st.Get(c, 0); v != 0 {
			return fmt.Sprintf(" %x", v)
		}
	}
	return ""
}

func hexWords(row []uint32) []byte {
	const digits = "0123456789abcdef"
	b := make([]byte, 0, 9*len(row))
	for _, v := range row {
		b = append(b, ' ')
		for s := 28; s >= 0; s -= 4 {
			b = append(b, digits[v>>s&15])
		}
	}
	return b
}

// frame puts the result of each invocation of a captured frame. The pictures of frames are made of these.
func frame(path string, put func(of, item string)) error {
	f, err := casefile.ReadFrameFile(path)
	if err != nil {
		return err
	}
	for _, v := range variants(&casefile.StateCase{ISA: f.ISA, Variant: f.Variant}) {
		name := v.ISA + ":" + v.Variant
		if !slices.Contains(subjects, name) {
			continue
		}
		t, err := newTarget(name)
		if err != nil {
			return err
		}
		for i := range f.Programs {
			if err := t.runs(f, i, put); err != nil {
				return err
			}
		}
	}
	return nil
}

// runs puts the invocations of one program.
func (t *target) runs(f *casefile.Frame, program int, put func(of, item string)) error {
	p := &f.Programs[program]
	lanes := map[string]int{"vertex": 1, "fragment": 4}[p.Stage]
	k, err := t.prepare(&casefile.StateCase{Name: f.Name, ISA: t.isa, Variant: t.variant, Stage: p.Stage, Code: p.Code, Asm: p.Asm,
		Launch: casefile.CaseLaunch{Lanes: lanes}, Initial: &casefile.State{Uniform: p.Uniform}})
	if err != nil {
		return err
	}
	if err := t.lists(fmt.Sprintf("%s %d", f.Name, program), p.Code, 0, put); err != nil {
		return err
	}
	start := k.Waves[0].State.Snapshot()
	for n := range f.Runs {
		if f.Runs[n].Program != program {
			continue
		}
		k.Waves[0].State.Restore(start)
		state, err := t.invoke(k, &f.Runs[n])
		if err != nil {
			return err
		}
		put(t.name()+" runs", fmt.Sprintf("%s %s %d run %d\n%s", f.Name, p.Stage, program, n, state))
	}
	return nil
}

// invoke repeats one invocation.
func (t *target) invoke(k *launch.Case, run *casefile.FrameRun) (string, error) {
	w := &k.Waves[0]
	for lane, regs := range run.In {
		for name, v := range regs {
			for i, comp := range []string{".x", ".y", ".z", ".w"} {
				r, err := platforms.Lookup(t.isa).Register(t.Target.Variant, name+comp)
				if err != nil {
					return "", err
				}
				r.Set(w.State, lane, uint64(v[i]))
			}
		}
	}
	w.State.Goto(0)
	tape := &check.Tape{Texels: run.Tex}
	w.Env.TextureOf = func(uint32) (exec.Sampler, error) { return tape, nil }
	if err := k.Run(context.Background(), ref.New(), exec.Limits{}); err != nil {
		return "FAULT " + err.Error(), nil
	}
	var b strings.Builder
	registers(&b, w.State)
	return fmt.Sprintf("%d texture instructions\n%s", tape.At, b.String()), nil
}
