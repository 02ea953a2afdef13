package profiles

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/chips"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/internal/timing"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/loc"
	"github.com/heddle-gpu/heddle/profile"
)

// A Profile is what was counted of a program's code.
type Profile struct {
	ISA          string       `json:"isa"`
	Launches     []Launches   `json:"launches"`
	Memory       chips.Memory `json:"memory"`
	Instructions uint64       `json:"wave_instructions"`
	Lanes        uint64       `json:"lane_instructions"` // of active lanes
	Mix          []Unit       `json:"units"`             // those that most waves used come first
	List         []Inst       `json:"instructions"`
	Incomplete   string       `json:"incomplete,omitempty"`
	Sources      []Source     `json:"sources,omitempty"`
	NotShown     string       `json:"sources_not_shown,omitempty"` // files that exist
	// Timing is a model of the launches on a chip; nil: none was asked for.
	Timing *timing.Report `json:"timing,omitempty"`
}

// An Inst is what was counted of an instruction.
type Inst struct {
	Addr uint64 `json:"address"`
	Text string `json:"text"`
	// Units are those of the chip that execute it.
	Units  []string `json:"units,omitempty"`
	Symbol string   `json:"symbol,omitempty"`
	Source string   `json:"source,omitempty"` // file:line:column
	// Compiled is whether that is in the source of a compiler, and not in assembly.
	Compiled bool `json:"compiled,omitempty"`
	// Frames are the functions of the source that the instruction is in: inlined calls from the innermost, then the one
	// that has the code. Without debug information there are none.
	Frames []Frame         `json:"functions,omitempty"`
	Waves  uint64          `json:"waves"`
	Lanes  uint64          `json:"lanes"`
	Branch *profile.Branch `json:"branch,omitempty"`
	Memory []Use           `json:"memory,omitempty"`
	// Resources are what it asked of images and stages.
	Resources []profile.Resource `json:"resources,omitempty"`

	At   loc.Position `json:"-"` // Source
	time *timing.Inst // of Profile.Timing
}

// A Frame is a function of the source.
type Frame struct {
	Name   string `json:"name"`
	Line   int    `json:"declared,omitempty"` // the line of its declaration
	Called string `json:"called,omitempty"`   // of an inlined call, its file:line
}

// A Use is what an instruction did to a space of memory.
type Use struct {
	How   string `json:"access"`
	Space string `json:"space"`
	Whole bool   `json:"whole_wave,omitempty"`
	Size  int    `json:"bytes_of_a_lane"`
	profile.Access
}

// kernels returns the names of the kernels that were launched.
func (p *Profile) kernels() string {
	var names []string
	for _, l := range p.Launches {
		if !slices.Contains(names, l.Kernel) {
			names = append(names, l.Kernel)
		}
	}
	return strings.Join(names, ", ")
}

// Of returns what a profiler counted, of code that ran.
func Of(counts *profile.Profiler) (list []Profile) {
	for _, of := range counts.Codes() {
		if len(of.Insts) > 0 {
			list = append(list, profileOf(&of, counts.Incomplete()))
		}
	}
	return list
}

// profileOf returns what was counted of a code.
func profileOf(of *profile.Code, incomplete string) Profile {
	isa := ISA(of.Code)
	p := Profile{ISA: isa, Launches: launchesOf(of, isa), Memory: chips.Of(isa), Mix: []Unit{}, Incomplete: incomplete}
	for i := range of.Insts {
		p.add(of.Code, &of.Insts[i])
	}
	p.sortMix()
	return p
}

// ISA returns the instruction set and variant of a code.
func ISA(code ir.Code) string {
	if d, ok := ir.Describe(code); ok {
		if t, ok := d.(interface{ FullName() string }); ok {
			return t.FullName()
		}
	}
	return code.Machine().Name
}

// add adds an instruction.
func (p *Profile) add(code ir.Code, in *profile.Inst) {
	place := ir.PlaceOf(code, in.PC)
	x := Inst{Addr: place.Addr, Text: strings.Join(strings.Fields(code.Text(in.PC)), " "), Units: unitsOf(code, in.PC), Symbol: place.Name(), Frames: framesOf(code, place.Addr),
		Waves: in.Waves, Lanes: in.Lanes, Branch: in.Branch, At: place.Text}
	if place.Source.Known() {
		x.At, x.Compiled = place.Source, true
	}
	x.Source = x.At.String()
	for _, u := range in.Memory {
		x.Memory = append(x.Memory, Use{u.How.String(), u.Space.String(), u.Wave, u.Bytes, u.Access})
	}
	x.Resources = in.Resources
	p.List = append(p.List, x)
	p.count(&x)
}

// framesOf returns the functions of the source at an address of the listing.
func framesOf(code ir.Code, addr uint64) (list []Frame) {
	d, ok := ir.Describe(code)
	if !ok || d.From() == nil {
		return nil
	}
	frames := d.From().Vars.Frames(addr)
	// clang 22 inlines the body of a kernel into its entry: a call from the line of the declaration, which is none.
	if n := len(frames); n > 1 && frames[n-2].Name == frames[n-1].Name && frames[n-2].CallLine == frames[n-1].Line {
		frames = slices.Delete(frames, n-2, n-1)
	}
	for _, f := range frames {
		x := Frame{Name: f.Name, Line: f.Line}
		if f.Inlined {
			x.Called = loc.Position{File: f.CallFile, Line: f.CallLine}.String()
		}
		list = append(list, x)
	}
	return list
}

// Notes describes what an instruction did besides, on chips with this memory.
func (in *Inst) Notes(m *chips.Memory) string {
	var list []string
	if b := in.Branch; b != nil {
		text := fmt.Sprintf("taken %s", Share(b.Taken, b.Waves))
		if b.Both > 0 {
			text += fmt.Sprintf(", diverged %s", Share(b.Both, b.Waves))
		}
		list = append(list, text)
	}
	for i := range in.Memory {
		list = append(list, in.Memory[i].text(m))
	}
	for _, r := range in.Resources {
		list = append(list, fmt.Sprintf("%s for %s lanes", r.Kind, Average(r.Lanes, r.Requests)))
	}
	if text := in.waited(); text != "" {
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}

// text describes what was done to a space of memory, for each request.
func (u *Use) text(m *chips.Memory) string {
	each := func(n uint64) string { return Average(n, u.Requests) }
	s := fmt.Sprintf("%s %s of %s bytes", u.Space, u.How, each(u.Bytes))
	if u.Lines > 0 {
		s += " in " + each(u.Lines) + " " + lineOf(m)
		if u.Lines != u.Requests {
			s += "s"
		}
		if of := u.moved(m); u.Bytes < of && !u.Whole {
			s += fmt.Sprintf(", %s of them", Share(u.Bytes, of))
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

// lineOf returns what a request has several of.
func lineOf(m *chips.Memory) string {
	if m.Rule != profile.ByLine {
		return "transaction"
	}
	return "line"
}

// moved returns the bytes of lines or transactions.
func (u *Use) moved(m *chips.Memory) uint64 {
	if m.Rule != profile.ByLine {
		return u.Moved
	}
	return u.Lines * uint64(m.Line)
}

// Share formats a share in percent.
func Share(n, of uint64) string { return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(max(of, 1))) }

// Average formats a mean, without decimals if it is whole.
func Average(sum, n uint64) string {
	if n == 0 || sum%n == 0 {
		return spell.Grouped(sum / max(n, 1))
	}
	return fmt.Sprintf("%.1f", float64(sum)/float64(n))
}
