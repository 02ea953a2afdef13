package linter

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/lint"
)

// A Rule is a rule as it is listed.
type Rule struct {
	ID       string   `json:"id"`
	Severity string   `json:"severity"`
	ISAs     []string `json:"isas"` // sets with the rule: set, or set:variant if only some variants have it
	Doc      string   `json:"doc"`
	Source   string   `json:"source"`
	Example  string   `json:"example,omitempty"` // text that breaks it
}

// Rules returns the rules of an instruction set, or of a variant, by name; "": those of all sets. A rule of several
// sets is listed once if they describe it alike, else once for each description.
func Rules(name string) ([]Rule, error) {
	list := []Rule{}
	for _, s := range sets.Sets() {
		t, err := sets.Lookup(s.Name)
		if name != "" {
			if t, err = sets.Lookup(name); err == nil && t.Name != s.Name {
				continue
			}
		}
		if err != nil {
			return nil, err
		}
		for v := range s.Variants {
			if name != "" && strings.Contains(name, ":") && v != t.Variant {
				continue
			}
			for _, r := range lint.Rules(s.At(v, 0)) {
				list = add(list, &r, s.Name, s.Variants[v].Name)
			}
		}
		for i := range list {
			list[i].fold(s)
		}
	}
	return list, nil
}

// add records that a variant has a rule. A different description by another set is placed after the earlier ones.
func add(list []Rule, r *isa.Rule, set, variant string) []Rule {
	at := len(list)
	for i := range list {
		x := &list[i]
		if x.ID != r.ID {
			continue
		}
		if x.Severity == r.Severity.String() && x.Doc == r.Doc && x.Source == r.Source {
			x.ISAs = append(x.ISAs, set+":"+variant)
			return list
		}
		at = i + 1
	}
	return slices.Insert(list, at, Rule{ID: r.ID, Severity: r.Severity.String(), ISAs: []string{set + ":" + variant}, Doc: r.Doc, Source: r.Source, Example: r.Example})
}

// fold replaces the variants by the set if all of its variants have the rule.
func (r *Rule) fold(s *isa.Set) {
	have := 0
	for _, n := range r.ISAs {
		if strings.HasPrefix(n, s.Name+":") {
			have++
		}
	}
	if have == len(s.Variants) {
		r.ISAs = append(slices.DeleteFunc(r.ISAs, func(n string) bool { return strings.HasPrefix(n, s.Name+":") }), s.Name)
	}
}

// An Explanation is a rule with the findings in its example.
type Explanation struct {
	Rule
	ExampleISA string         `json:"example_isa,omitempty"`
	Findings   []Example      `json:"findings,omitempty"`
	Others     []*Explanation `json:"others,omitempty"` // the rule in other sets that describe it differently
}

// An Example is a finding in an example.
type Example struct {
	Addr uint64 `json:"addr"`
	Msg  string `json:"msg"`
	Hint string `json:"hint,omitempty"`
}

// Explain returns the rule of that name in an instruction set, or in the first set that has it, with the rules of that
// name in sets that describe it differently. Examples are linted.
func Explain(name, id string) (e *Explanation, err error) {
	rules, err := Rules(name)
	if err != nil {
		return nil, err
	}
	for _, r := range rules {
		if r.ID != id {
			continue
		}
		x := &Explanation{Rule: r}
		if err := x.lint(name); err != nil {
			return nil, err
		}
		if e == nil {
			e = x
		} else {
			e.Others = append(e.Others, x)
		}
	}
	if e == nil {
		return nil, fmt.Errorf("there is no rule %q; --list-rules lists what there is", id)
	}
	return e, nil
}

// lint lints the example, if there is one, as code of the named set; "": of the first set that has the rule.
func (e *Explanation) lint(name string) error {
	if e.Example == "" {
		return nil
	}
	if name == "" {
		name = e.ISAs[0]
	}
	t, err := sets.Lookup(name)
	if err != nil {
		return err
	}
	if r := slices.IndexFunc(t.Rules, func(r isa.Rule) bool { return r.ID == e.ID }); r >= 0 && !t.Rules[r].In(t.Variant) {
		v := slices.IndexFunc(t.Variants, func(v isa.Variant) bool { return slices.Contains(e.ISAs, t.Name+":"+v.Name) })
		// The example is for the first variant that has the rule.
		if t, err = sets.Lookup(t.Name + ":" + t.Variants[max(v, 0)].Name); err != nil {
			return err
		}
	}
	e.ExampleISA = t.String()
	rep, err := LintExample(t, e.ID, e.Example)
	if err != nil {
		return err
	}
	for _, f := range rep.Findings {
		e.Findings = append(e.Findings, Example{f.Addr, f.Msg, f.Hint})
	}
	return nil
}

// LintExample returns what a rule finds in text, in a kernel for which the launch sets s0 to s15 and v0, with 48 scalar
// and 64 vector registers and 4096 bytes of group memory. Text that returns is a function. The target has the options
// of the rule.
func LintExample(t *isa.Target, id, text string) (*lint.Report, error) {
	c, err := exampleCode(t, id, text)
	if err != nil {
		return nil, err
	}
	return lint.Run(c, lint.Options{Least: isa.SeverityNote, Rules: func(r string) bool { return r == id }}), nil
}

// exampleCode returns the code that LintExample checks.
func exampleCode(t *isa.Target, id, text string) (c lint.Code, err error) {
	for i := range t.Rules {
		if r := &t.Rules[i]; r.ID == id && r.Options != nil {
			if t, err = t.With(t.Dialect, r.Options); err != nil {
				return c, err
			}
			break
		}
	}
	a, errs := asm.Assemble(t, []byte(text), asm.Options{NoLint: true})
	if len(errs) > 0 {
		return c, errs[0]
	}
	e := lint.Entry{Function: strings.Contains(text, "s_setpc_b64"), Group: 4096}
	if t.Name == gcn.Set().Name {
		e.Begins = []ir.Span{{Cell: gcn.SGPR(0), Count: 16}, {Cell: gcn.VGPR(0), Count: 1}}
		e.Limits = registers(t, 48, 64)
	}
	return lint.Code{Target: a.Target, Base: a.Base, Bytes: a.Code, Entries: []lint.Entry{e}, Map: a.Map()}, nil
}
