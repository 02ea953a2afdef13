package web

import (
	"context"
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
)

// A Target is the instruction set of a text or code.
type Target struct {
	ISA     string `json:"isa"`               // as in gcn:gfx8
	Stage   string `json:"stage,omitempty"`   // if decoding depends on it
	Dialect string `json:"dialect,omitempty"` // of the text, if there are several
}

// find returns the target.
func (r *Target) find() (*isa.Target, error) {
	if r.ISA == "" {
		return nil, fmt.Errorf("the instruction set is missing, such as gcn:gfx8")
	}
	t, err := sets.Lookup(r.ISA)
	if err != nil {
		return nil, err
	}
	st, ok := t.Arch.Stage(r.Stage)
	switch {
	case !ok && len(t.Stages) == 0:
		return nil, fmt.Errorf("stage %q: %s decodes alike in every stage", r.Stage, t.Name)
	case !ok:
		return nil, fmt.Errorf("stage %q: %s has %s", r.Stage, t.Name, strings.Join(t.Stages, ", "))
	}
	t = t.Move(t.Variant, st)
	if r.Dialect == "" {
		return t, nil
	}
	d, ok := t.Arch.Dialect(r.Dialect)
	switch {
	case !ok && len(t.Dialects) == 0:
		return nil, fmt.Errorf("dialect %q: %s has one style of text", r.Dialect, t.Name)
	case !ok:
		return nil, fmt.Errorf("dialect %q: %s has %s", r.Dialect, t.Name, strings.Join(t.Dialects, ", "))
	}
	return t.With(d, nil)
}

// A Set is an instruction set and its properties in requests.
type Set struct {
	Name     string    `json:"name"`
	Doc      string    `json:"doc"`
	Variants []Variant `json:"variants"`           // the first is the default
	Stages   []string  `json:"stages,omitempty"`   // if decoding depends on them; the first is the default
	Dialects []string  `json:"dialects,omitempty"` // assembler dialects, if there are several; the first is the default
	Draws    bool      `json:"draws"`              // fragment programs can be drawn
	Example  Example   `json:"example"`
}

// A Variant is a variant of a set.
type Variant struct {
	ISA string `json:"isa"` // as requests name it
	Doc string `json:"doc"`
}

// An Example is an instruction to begin with.
type Example struct {
	Text  string `json:"text"`
	State string `json:"state"`
}

// examples returns instructions of each set that show something of it: fused rounding, a half, a minimum of a NaN,
// forwarding within a group, a dot product.
func examples() map[string]Example {
	return map[string]Example{
		"gcn":     {"v_fma_f32 v0, v1, v2, 1.0", "v1=1.5 v2=2.25,-3,inf,1e-40"},
		"valhall": {"FMA.f32 r0, r1, r2, r3", "r1=1.5 r2=2.25,-3,inf,1e-40 r3=1.0"},
		"tesla":   {"mul rn f32 $r0 $r1 $r2", "$r1=1.5 $r2=2.25,-3,inf,1e-40"},
		"rogue":   {"{ s0 = r1, s1 = r2, is4 = ft0 p0: fadd ft0, s0, s1; w0 = r0 }", "r1=1.5 r2=2.25,-3,inf,1e-40"},
		"attila":  {"dp4 o0, i0, i1", "i0=1.0,2,3,4 i1=1.0,1,1,0.5"},
	}
}

// none is a request without parameters.
type none struct{}

// isas lists the instruction sets.
func isas(context.Context, *none) (any, error) { return Sets(), nil }

// Sets returns all instruction sets.
func Sets() (list []Set) {
	for _, e := range sets.Entries() {
		a := e.Set().Arch
		s := Set{Name: e.Name, Doc: e.Doc, Stages: a.Stages, Draws: platforms.Graphics(e.Name) != nil, Example: examples()[e.Name]}
		if len(a.Dialects) > 1 {
			s.Dialects = a.Dialects
		}
		for _, v := range a.Variants {
			s.Variants = append(s.Variants, Variant{e.Name + ":" + v.Name, v.Doc})
		}
		list = append(list, s)
	}
	return list
}
