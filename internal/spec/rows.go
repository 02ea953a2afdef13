package spec

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// rows fills in encodings, kinds, forms, rows and meanings.
func (b *builder) rows() error {
	defs := b.defs()
	runs, err := b.allRuns(defs)
	if err != nil {
		return err
	}
	for i, d := range defs {
		r, err := b.row(d)
		if err != nil {
			return err
		}
		if r.Runs, err = b.merge(d, runs[i]); err != nil {
			return err
		}
		b.doc.Rows = append(b.doc.Rows, r)
	}
	return nil
}

// defs returns the rows of the variants.
func (b *builder) defs() (list []*isa.Def) {
	for i := range b.set.Defs {
		d := &b.set.Defs[i]
		if slices.ContainsFunc(b.variants, d.InVariant) {
			list = append(list, d)
		}
	}
	return list
}

// targets returns the targets of the document that have a row, the first variant and stage first.
func (b *builder) targets(d *isa.Def) (list []*isa.Target) {
	for _, v := range b.variants {
		for st := range max(1, len(b.set.Stages)) {
			if d.InVariant(v) && d.InStage(st) {
				list = append(list, b.set.At(v, st))
			}
		}
	}
	return list
}

func (b *builder) row(d *isa.Def) (r Row, err error) {
	r = Row{Name: d.Name, Spell: d.Spell, Also: d.Also, Variants: b.in(d.Variants), Stages: setOf(d.Stages), Class: int(d.Class), Encoding: b.encoding(d.Enc), Opcode: d.Op,
		Fixed: fixedOf(d.Fix), Mask: hexOf(d.Mask()), Match: hexOf(d.Value()), Claimed: hexOf(d.Claimed()), Alias: d.Alias, Private: d.Private, Short: d.Short, Rank: d.Rank,
		Tags: d.Tags, Rules: b.set.RulesOf(d), Doc: d.Doc, Note: d.Note, Entry: d.Entry, Source: b.cite(d.Source)}
	if idle := d.IdleBits(); !idle.IsZero() {
		r.Idle = hexOf(idle)
	}
	for _, im := range d.Implicit {
		r.Implicit = append(r.Implicit, Implicit{im.Name, roles[im.Role]})
	}
	if d.Check != nil && d.Forbids == nil {
		return r, fmt.Errorf("spec: %s %s (%s) refuses words, and no data says which", b.set.Name, d.Name, d.Enc.Name)
	}
	if d.Forbids != nil {
		for _, bar := range d.Forbids(d) {
			var variants []int
			if bar.Variants != 0 {
				variants = b.in(bar.Variants)
			}
			r.Restrictions = append(r.Restrictions, Forbidden{variants, setOf(bar.Stages), heldOf(bar.If), bar.Why})
		}
	}
	form, err := b.form(d)
	if err != nil {
		return r, err
	}
	r.Form, err = once(b.forms, &b.doc.Forms, form)
	return r, err
}

// setOf returns the indexes of the set bits.
func setOf(mask uint32) (list []int) {
	for i := range 32 {
		if mask>>i&1 != 0 {
			list = append(list, i)
		}
	}
	return list
}

var (
	policies = [...]string{isa.Unknown: "unknown", isa.Ignored: "ignored", isa.Zero: "zero"}
	roles    = [...]string{isa.NoRole: "", isa.Use: "read", isa.Define: "written", isa.UseDef: "read, written"}
	places   = [...]string{isa.Operand: "operand", isa.Suffix: "suffix", isa.Prefix: "prefix", isa.Modifier: "modifier", isa.Required: "required", isa.Hidden: "hidden"}
	sides    = [...]string{isa.Silent: "silent", isa.Before: "before", isa.Around: "around", isa.After: "after"}
)

const roleVaries = "varies"

// encoding returns the index of an encoding.
func (b *builder) encoding(e *isa.Encoding) int {
	if i, ok := b.encodings[e]; ok {
		return i
	}
	out := Encoding{Name: e.Name, Bits: e.Bits, Fixed: fixedOf(e.Fixed), Opcode: fieldOf(e.Opcode), Fields: []LayoutField{}, Unclaimed: policies[e.Unclaimed], First: e.First, Source: b.cite(e.Source)}
	for i := range e.Fields {
		out.Fields = append(out.Fields, LayoutField{e.Fields[i].Name, fieldOf(e.Fields[i].At)})
	}
	if l := e.Literal; l != nil {
		out.Literal = &Literal{runOf(l.At), l.Always, append([]string{}, l.Fields...), l.Code}
	}
	b.encodings[e] = len(b.doc.Encodings)
	b.doc.Encodings = append(b.doc.Encodings, out)
	return b.encodings[e]
}

// form returns the operands and modifiers of a row.
func (b *builder) form(d *isa.Def) (f Form, err error) {
	in := b.targets(d)
	f.Args = []Arg{}
	for i := range d.Args {
		a := &d.Args[i]
		hidden := a.Place == isa.Hidden || d.Alias || d.Private
		out := Arg{Name: a.Name, Place: places[a.Place], Bits: fieldOf(a.At), Role: roles[a.Role], Width: a.Width, Default: a.Default, Tight: a.Tight, Optional: a.Optional, Needed: a.Needed, Parts: []Part{}}
		if a.RoleIf != nil {
			out.Role = roleVaries
		}
		if out.Kind, err = b.kind(newLook(in, d, a, nil), hidden); err != nil {
			return f, err
		}
		for j := range a.Parts {
			p := &a.Parts[j]
			part := Part{Name: p.Name, Side: sides[p.Side], Bits: fieldOf(p.At), Default: p.Default, Shared: p.Shared}
			if part.Kind, err = b.kind(newLook(in, d, a, p), hidden); err != nil {
				return f, err
			}
			out.Parts = append(out.Parts, part)
		}
		f.Args = append(f.Args, out)
	}
	return f, nil
}

// A placed is how a row runs in a variant and stage.
type placed struct {
	t *isa.Target
	*manual.RowPage
}

// allRuns computes how rows run, in parallel.
func (b *builder) allRuns(defs []*isa.Def) ([][]placed, error) {
	list, errs := make([][]placed, len(defs)), make([]error, len(defs))
	var wait sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := range next {
				list[i], errs[i] = b.runsOf(defs[i])
			}
		})
	}
	for i, d := range defs {
		if b.what.Runs == nil || b.what.Runs(d) {
			next <- i
		}
	}
	close(next)
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("spec: %w", err)
		}
	}
	return list, nil
}

// runsOf returns how a row runs, by variant and stage; a row that never decodes runs as the row that decodes instead.
func (b *builder) runsOf(d *isa.Def) (list []placed, err error) {
	if d.Alias {
		return nil, nil
	}
	for _, t := range b.targets(d) {
		pg, err := manual.PageOfRow(t, d)
		if err != nil {
			return nil, err
		}
		list = append(list, placed{t, pg})
	}
	return list, nil
}

// merge merges the entries of variants and stages in which a row runs the same way.
func (b *builder) merge(d *isa.Def, list []placed) (out []Runs, err error) {
	known := map[string]int{}
	var runs []Runs
	var at [][]placed
	for _, p := range list {
		r, err := b.run(d, p)
		if err != nil {
			return nil, err
		}
		i, err := once(known, &runs, r)
		if err != nil {
			return nil, err
		}
		if i == len(at) {
			at = append(at, nil)
		}
		at[i] = append(at[i], p)
	}
	for i := range runs {
		out = append(out, b.divide(runs[i], at[i])...)
	}
	return out, nil
}

// divide distributes an entry to the variants and stages to which it applies: those with the same stages share an
// entry.
func (b *builder) divide(r Runs, at []placed) (out []Runs) {
	byVariant := make([][]int, len(b.variants))
	for _, p := range at {
		i := slices.Index(b.variants, p.t.Variant)
		byVariant[i] = append(byVariant[i], p.t.Stage)
	}
	for i, stages := range byVariant {
		if stages == nil {
			continue
		}
		if len(b.set.Stages) == 0 {
			stages = nil
		}
		k := slices.IndexFunc(out, func(x Runs) bool { return slices.Equal(x.Stages, stages) })
		if k < 0 {
			k = len(out)
			x := r
			x.Variants, x.Stages = nil, stages
			out = append(out, x)
		}
		out[k].Variants = append(out[k].Variants, i)
	}
	return out
}

// run returns how a row runs in one variant and stage, without naming these.
func (b *builder) run(d *isa.Def, p placed) (Runs, error) {
	r := Runs{Variants: []int{}, Fidelity: p.Fidelity.String(), Because: p.Because, Options: d.Options}
	if bound := b.set.BoundOf(d); bound != nil && p.Fidelity == ir.Approximate {
		r.Bound = &Bound{bound.ULP, bound.Text, b.cite(bound.Source)}
	}
	x := &Example{Text: p.Text, Code: p.Hex}
	r.Example = x
	if p.Part < len(p.Parts) {
		for _, o := range p.Parts[p.Part].Operands {
			if o.Letter != "" {
				x.Letters = append(x.Letters, o.Name+"="+o.Letter)
			}
		}
	}
	if p.Lack != "" {
		return r, nil
	}
	m := Meaning{IR: strings.TrimRight(p.IR, "\n"), Formula: append([]string{}, p.Formula...), Floats: p.Floats}
	i, err := once(b.meanings, &b.doc.Meanings, m)
	x.Meaning = &i
	return r, err
}
