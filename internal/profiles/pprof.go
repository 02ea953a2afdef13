package profiles

import (
	"cmp"
	"fmt"
	"io"
	"math"

	"github.com/google/pprof/profile"

	"github.com/heddle-gpu/heddle/loc"
)

// WritePprof writes a profile in the format of pprof: a sample for each instruction, with all counts. The text of the
// instruction and its units are labels of the sample.
func WritePprof(w io.Writer, list []Profile) error {
	b := &pprof{funcs: map[function]*profile.Function{}, metrics: metricsOf(pointers(list)...)}
	for _, m := range b.metrics {
		b.SampleType = append(b.SampleType, &profile.ValueType{Type: m.Name, Unit: m.Unit})
	}
	b.DefaultSampleType = Metrics[0].Name
	for i := range list {
		b.add(&list[i])
	}
	if err := b.CheckValid(); err != nil {
		return err
	}
	return b.Write(w)
}

// A pprof makes a profile in that format.
type pprof struct {
	profile.Profile
	funcs   map[function]*profile.Function
	metrics []*Metric
}

type function struct{ name, file string }

// add adds the code of a profile as a mapping of its own.
func (b *pprof) add(p *Profile) {
	m := &profile.Mapping{ID: uint64(len(b.Mapping) + 1), File: fmt.Sprintf("%s (%s)", p.kernels(), p.ISA),
		HasFunctions: true, HasFilenames: true, HasLineNumbers: true, HasInlineFrames: true}
	for i := range p.List {
		m.Limit = max(m.Limit, p.List[i].Addr+1)
	}
	b.Mapping = append(b.Mapping, m)
	b.Comments = append(b.Comments, fmt.Sprintf("%s: memory: %s", m.File, p.Memory.Source))
	if p.Incomplete != "" {
		b.Comments = append(b.Comments, fmt.Sprintf("%s: incomplete: %s", m.File, p.Incomplete))
	}
	kernels := map[string]*profile.Location{}
	for i := range p.List {
		in := &p.List[i]
		s := &profile.Sample{Label: map[string][]string{"instruction": {in.Text}}}
		if len(in.Units) > 0 {
			s.Label["unit"] = in.Units
		}
		for _, x := range b.metrics {
			s.Value = append(s.Value, int64(min(x.Of(in), math.MaxInt64)))
		}
		at, levels := b.location(m, in.Addr), p.levels(in)
		from := max(0, len(levels)-max(1, len(in.Frames))) // what is outside is no inlined function
		for k := len(levels) - 1; k >= from; k-- {
			b.line(at, &levels[k])
		}
		s.Location = append(s.Location, at)
		for k := from - 1; k >= 0; k-- {
			name := levels[k].name
			if kernels[name] == nil {
				kernels[name] = b.location(m, 0)
				b.line(kernels[name], &levels[k])
			}
			s.Location = append(s.Location, kernels[name])
		}
		b.Sample = append(b.Sample, s)
	}
}

// location adds a location.
func (b *pprof) location(m *profile.Mapping, addr uint64) *profile.Location {
	at := &profile.Location{ID: uint64(len(b.Location) + 1), Mapping: m, Address: addr}
	b.Location = append(b.Location, at)
	return at
}

// line adds a function to a location, outside of those that it has.
func (b *pprof) line(to *profile.Location, l *level) {
	key := function{l.name, fileOf(l.at)}
	f := b.funcs[key]
	if f == nil {
		f = &profile.Function{ID: uint64(len(b.Function) + 1), Name: key.name, SystemName: key.name, Filename: key.file, StartLine: int64(l.declared)}
		b.funcs[key], b.Function = f, append(b.Function, f)
	}
	to.Line = append(to.Line, profile.Line{Function: f, Line: int64(l.at.Line), Column: int64(l.at.Col)})
}

// fileOf returns the name of a file that others can open.
func fileOf(at loc.Position) string { return cmp.Or(at.Path, at.File) }
