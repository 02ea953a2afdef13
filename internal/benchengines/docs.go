package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The places of the figures in text.
const (
	figuresBegin = "<!-- figures of benchengines -->\n"
	figuresEnd   = "<!-- end of figures -->"
)

// pages are the files that show figures.
var pages = map[string]func(r *report) string{
	"README.md": (*report).meansTable,
	filepath.Join("docs", "engines.md"): func(r *report) string {
		return r.meansTable() + "\n" + r.kernelsTable()
	},
}

// costPages are those that show what checks cost.
var costPages = map[string]func(r *report) string{filepath.Join("docs", "sanitize.md"): (*report).costTable}

// show writes the figures into the pages.
func (r *report) show(root string) error {
	shown := pages
	if len(r.Checks) > 0 {
		shown = costPages
	}
	for page, table := range shown {
		file := filepath.Join(root, page)
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if text, err = between(text, table(r)); err != nil {
			return fmt.Errorf("%s: %w", page, err)
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// between replaces what is between the marks.
func between(page []byte, table string) ([]byte, error) {
	before, rest, ok := strings.Cut(string(page), figuresBegin)
	_, after, closed := strings.Cut(rest, figuresEnd)
	if !ok || !closed {
		return nil, fmt.Errorf("no %q", strings.TrimSpace(figuresBegin))
	}
	return []byte(before + figuresBegin + table + figuresEnd + after), nil
}

// fast returns the engines that are shown: those that make machine code.
func (r *report) fast() (list []string) {
	for _, e := range r.Engines {
		if strings.HasPrefix(e, "jit") {
			list = append(list, e)
		}
	}
	return list
}

// meansTable returns the means of each group.
func (r *report) meansTable() string {
	var b strings.Builder
	r.heading(&b, []string{"group", "workloads"}, []string{"× reference", "× PoCL", "slowest, × PoCL", "× AVX2 by hand"})
	for _, g := range r.groups() {
		n := 0
		for i := range r.Figures {
			if r.Figures[i].Group == g {
				n++
			}
		}
		fmt.Fprintf(&b, "| %s | %d |", g, n)
		for _, e := range r.fast() {
			m := r.Groups[g][e]
			fmt.Fprintf(&b, " %s | %s | %s | %s |", times(m.Reference), times(m.Native), times(m.Least), times(m.Hand))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// kernelsTable returns the ratios of each workload.
func (r *report) kernelsTable() string {
	var b strings.Builder
	r.heading(&b, []string{"workload", "group", "wave-instructions"}, []string{"ms", "× reference", "× PoCL", "× AVX2 by hand"})
	for i := range r.Figures {
		f := &r.Figures[i]
		fmt.Fprintf(&b, "| %s %s | %s | %d |", f.Set, f.Name, f.Group, f.Instructions)
		for _, e := range r.fast() {
			m := f.Engines[e]
			fmt.Fprintf(&b, " %s | %s | %s | %s |", digits(m.Seconds*1e3, 3), times(m.Reference), times(m.Native), times(m.Hand))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// costTable returns what each list of checks costs in each group.
func (r *report) costTable() string {
	var b strings.Builder
	columns := []string{"checks"}
	for _, g := range r.groups() {
		columns = append(columns, g+": × plain run")
	}
	if columns = append(columns, "times as fast as Oclgrind"); len(r.Engines) != len(r.Checks)+1 {
		panic(fmt.Sprintf("%d engines, %d checks", len(r.Engines), len(r.Checks)))
	}
	fmt.Fprintf(&b, "| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	for i, c := range r.Checks {
		fmt.Fprintf(&b, "| `%s` |", c)
		var ratio []ratios
		for _, g := range r.groups() {
			fmt.Fprintf(&b, " %s |", times(1/r.Groups[g][r.Engines[i+1]].Reference))
		}
		for k := range r.Figures {
			ratio = append(ratio, r.Figures[k].Engines[r.Engines[i+1]].ratios)
		}
		fmt.Fprintf(&b, " %s |\n", times(meanOfAll(ratio).Native))
	}
	return b.String()
}

// heading writes the heading of a table: its own columns, then some for each engine, of which the first names it.
func (r *report) heading(b *strings.Builder, own, each []string) {
	columns := slices.Clone(own)
	for _, e := range r.fast() {
		for i, c := range each {
			if i == 0 {
				c = e + ": " + c
			}
			columns = append(columns, c)
		}
	}
	fmt.Fprintf(b, "| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
}

// times prints a ratio; 0 is none.
func times(x float64) string {
	if x == 0 {
		return ""
	}
	return digits(x, 2)
}

// digits prints a number with so many digits, or all before the point.
func digits(x float64, n int) string {
	if x >= math.Pow10(n)-0.5 {
		return fmt.Sprintf("%.0f", x)
	}
	return strings.TrimSuffix(fmt.Sprintf("%#.*g", n, x), ".")
}
