package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/debug"
	"github.com/heddle-gpu/heddle/internal/chips"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/loc"
	"github.com/heddle-gpu/heddle/profile"
)

type profileCmd struct {
	runCmd
	Hot int `default:"10" range:"0.." placeholder:"N" help:"How many lines of the source to list as the hottest."`
}

func (c *profileCmd) Help() string {
	return `Runs a file as heddle run does, with its options, and prints what each instruction did, in numbers that are exact:
waves that executed it, lanes that were active on average, its share of all instructions, which way branches went, and for accesses
to memory lines, bank conflicts and repeated atomics. docs/profile.md says what the numbers mean.

Examples:
  heddle profile examples/transpose
  heddle profile examples/reduction --hot 3
  heddle profile examples/saxpy/saxpy.gfx803.s --grid 256 --block 64 --arg y=f32:zero:256 --arg x=f32:iota:256 \
    --arg f32:2 --arg u32:256
  heddle profile examples/reduction --json > reduction.json`
}

// Validate runs before Run.
func (c *profileCmd) Validate() error {
	switch {
	case c.Target == "":
		return errors.New("no file; give a manifest, a folder with a manifest.json, a code object, assembly or bare code")
	case c.Inspection.asked():
		return errors.New("--trace, --break and --dump are flags of heddle run")
	case c.checks() != 0 || c.Check:
		return errors.New("checks of the sanitizer are flags of heddle run: what they add to the code would count")
	case c.Engine == allEngines:
		return errors.New("--engine all is of heddle run; all engines count the same")
	}
	if err := c.runCmd.Validate(); err != nil {
		return err
	}
	if c.wants.toStdout() {
		return errors.New("standard output holds the profile; a buffer can go to a file")
	}
	return nil
}

func (c *profileCmd) Run(a *app) error {
	c.counts = profile.New(func(code ir.Code) profile.Memory { return chips.Of(isaOf(code)).Memory })
	run, out := a, bytes.Buffer{}
	if c.JSON {
		run = a.printsTo(&out)
	}
	err := c.run(run)
	if e := run.out.Flush(); e != nil {
		return errors.Join(err, e)
	}
	list := c.profiles()
	if len(list) == 0 {
		return cmp.Or(err, error(wrong{fmt.Errorf("no instruction was counted: %s", cmp.Or(c.counts.Incomplete(), "none ran"))}))
	}
	if c.JSON {
		return errors.Join(err, a.json(list))
	}
	sources := &debug.Sources{Dirs: []string{c.Target, filepath.Dir(c.Target)}}
	for i := range list {
		list[i].print(a, c.Hot, sources)
	}
	return err
}

// isaOf returns the instruction set and variant of a code.
func isaOf(code ir.Code) string {
	if d, ok := ir.Describe(code); ok {
		if t, ok := d.(interface{ FullName() string }); ok {
			return t.FullName()
		}
	}
	return code.Machine().Name
}

// A profiled is what was counted of a program's code, for output.
type profiled struct {
	ISA          string             `json:"isa"`
	Launches     []profile.Launches `json:"launches"`
	Memory       chips.Memory       `json:"memory"`
	Instructions uint64             `json:"wave_instructions"`
	LaneCount    uint64             `json:"lane_instructions"` // of active lanes
	List         []profiledInst     `json:"instructions"`
	Incomplete   string             `json:"incomplete,omitempty"`
}

// A profiledInst is what was counted of an instruction.
type profiledInst struct {
	Addr   uint64          `json:"address"`
	Text   string          `json:"text"`
	Symbol string          `json:"symbol,omitempty"`
	Source string          `json:"source,omitempty"` // file:line:column
	Waves  uint64          `json:"waves"`
	Lanes  uint64          `json:"lanes"`
	Branch *profile.Branch `json:"branch,omitempty"`
	Memory []profiledUse   `json:"memory,omitempty"`

	at       loc.Position
	compiled bool // at is in the source of a compiler
}

// A profiledUse is what an instruction did to a space of memory.
type profiledUse struct {
	How   string `json:"access"`
	Space string `json:"space"`
	Whole bool   `json:"whole_wave,omitempty"`
	Size  int    `json:"bytes_of_a_lane"`
	profile.Access
}

// profiles returns what was counted, of code that ran.
func (c *profileCmd) profiles() (list []profiled) {
	for _, of := range c.counts.Codes() {
		p := profiled{ISA: isaOf(of.Code), Launches: of.Launches, Memory: chips.Of(isaOf(of.Code)), Incomplete: c.counts.Incomplete()}
		for i := range of.Insts {
			p.add(of.Code, &of.Insts[i])
		}
		if len(p.List) > 0 {
			list = append(list, p)
		}
	}
	return list
}

// add adds an instruction.
func (p *profiled) add(code ir.Code, in *profile.Inst) {
	place := ir.PlaceOf(code, in.PC)
	x := profiledInst{Addr: place.Addr, Text: strings.Join(strings.Fields(code.Text(in.PC)), " "), Symbol: place.Name(), Waves: in.Waves, Lanes: in.Lanes, Branch: in.Branch, at: place.Text}
	if place.Source.Known() {
		x.at, x.compiled = place.Source, true
	}
	x.Source = x.at.String()
	for _, u := range in.Memory {
		x.Memory = append(x.Memory, profiledUse{u.How.String(), u.Space.String(), u.Wave, u.Bytes, u.Access})
	}
	p.List = append(p.List, x)
	p.Instructions += in.Waves
	p.LaneCount += in.Lanes
}

// print prints the hottest lines, and all instructions.
func (p *profiled) print(a *app, hot int, sources *debug.Sources) {
	var names []string
	for _, l := range p.Launches {
		times := "1 launch"
		if l.Count != 1 {
			times = grouped(l.Count) + " launches"
		}
		names = append(names, fmt.Sprintf("%s (%s)", l.Kernel, times))
	}
	a.say("\nprofile of %s on %s: %s wave-instructions, %s lanes active on average\n", strings.Join(names, ", "), p.ISA, grouped(p.Instructions), average(p.LaneCount, p.Instructions))
	a.say("memory: %s\n", p.Memory.Source)
	if p.Incomplete != "" {
		a.say("incomplete: %s\n", p.Incomplete)
	}
	p.hottest(a, hot, sources)
	rows := [][]string{{"SHARE", "WAVES", "LANES", "ADDRESS", "INSTRUCTION", ""}}
	for i := range p.List {
		in := &p.List[i]
		rows = append(rows, []string{share(in.Waves, p.Instructions), grouped(in.Waves), average(in.Lanes, in.Waves), fmt.Sprintf("%#x", in.Addr), in.Text, in.notes(p.Memory.Line)})
	}
	p.table(a, rows)
}

// table prints a table after an empty line.
func (p *profiled) table(a *app, rows [][]string) {
	for _, r := range rows {
		for k := range r {
			r[k] = shown(r[k])
		}
	}
	fmt.Fprintf(a.out, "\n%s", tableOf(rows))
}

// hottest prints the lines of the source with most instructions.
func (p *profiled) hottest(a *app, n int, sources *debug.Sources) {
	type line struct {
		at    loc.Position
		waves uint64
	}
	var list []*line
	by := map[string]*line{}
	for i := range p.List {
		in := &p.List[i]
		at := in.at
		if at.Col = 0; !in.compiled {
			continue
		}
		l := by[at.String()]
		if l == nil {
			l = &line{at: at}
			by[at.String()], list = l, append(list, l)
		}
		l.waves += in.Waves
	}
	slices.SortStableFunc(list, func(x, y *line) int { return cmp.Compare(y.waves, x.waves) })
	rows := [][]string{}
	for _, l := range list[:min(n, len(list))] {
		text := ""
		if lines := sources.Lines(l.at); l.at.Line <= len(lines) {
			text = strings.TrimSpace(lines[l.at.Line-1])
		}
		rows = append(rows, []string{share(l.waves, p.Instructions), l.at.String(), text})
	}
	if len(rows) > 0 {
		p.table(a, append([][]string{{"SHARE", "LINE", ""}}, rows...))
	}
}

// notes describes what an instruction did besides.
func (in *profiledInst) notes(line int) string {
	var list []string
	if b := in.Branch; b != nil {
		text := fmt.Sprintf("taken %s", share(b.Taken, in.Waves))
		if b.Both > 0 {
			text += fmt.Sprintf(", diverged %s", share(b.Both, in.Waves))
		}
		list = append(list, text)
	}
	for i := range in.Memory {
		list = append(list, in.Memory[i].text(line))
	}
	return strings.Join(list, "; ")
}

// text describes what was done to a space of memory, for each request.
func (u *profiledUse) text(line int) string {
	each := func(n uint64) string { return average(n, u.Requests) }
	s := fmt.Sprintf("%s %s of %s bytes", u.Space, u.How, each(u.Bytes))
	if u.Lines > 0 {
		s += " in " + each(u.Lines) + " line"
		if u.Lines != u.Requests {
			s += "s"
		}
		if of := u.Lines * uint64(line); u.Bytes < of && !u.Whole {
			s += fmt.Sprintf(", %s of them", share(u.Bytes, of))
		}
	}
	if u.Passes > u.Free {
		s += fmt.Sprintf(", bank conflicts: %s passes in place of %s", each(u.Passes), each(u.Free))
	}
	if u.Repeats > u.Requests {
		s += fmt.Sprintf(", %s lanes at one address", each(u.Repeats))
	}
	return s
}

// share formats a share in percent.
func share(n, of uint64) string { return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(max(of, 1))) }

// average formats a mean, without decimals if it is whole.
func average(sum, n uint64) string {
	if n == 0 || sum%n == 0 {
		return grouped(sum / max(n, 1))
	}
	return fmt.Sprintf("%.1f", float64(sum)/float64(n))
}
