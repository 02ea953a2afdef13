package profiles

import (
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/profile"
)

//go:embed assets
var assets embed.FS

// WriteHTML writes a page that needs nothing else: counts of each instruction beside the source, charts, and a flame
// graph, and comparisons if there are any. Scripts draw what depends on the count that is chosen, at first by.
func WriteHTML(w io.Writer, list []Profile, with []Comparison, by *Metric) error {
	page := htmlPage{By: by, Compared: with}
	page.Style, page.Script = Look(asset("profile.js"))
	for i := range Metrics {
		m := &Metrics[i]
		if slices.ContainsFunc(list, func(p Profile) bool { return m.Total(&p) > 0 }) || m == by ||
			slices.ContainsFunc(with, func(c Comparison) bool { return c.Of(m).Before > 0 }) {
			page.metrics = append(page.metrics, m)
			page.Counts = append(page.Counts, htmlCount{m.Name, words(m.Name), m.Doc, m == by})
		}
	}
	var kernels []string
	for i := range list {
		page.Codes = append(page.Codes, page.code(&list[i], i))
		kernels = append(kernels, list[i].kernels())
	}
	page.Title = "Profile of " + strings.Join(kernels, ", ")
	return htmlTemplate().Execute(w, &page)
}

// Look returns the style of pages, and a script: that of what pages share, followed by own.
func Look(own string) (template.CSS, template.JS) {
	return template.CSS(asset("profile.css")), template.JS("(function () {\n'use strict';\n" + asset("page.js") + own + "})();\n")
}

// asset returns an embedded file.
func asset(name string) string {
	data, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic("profiles: " + err.Error())
	}
	return string(data)
}

func htmlTemplate() *template.Template {
	funcs := template.FuncMap{"grouped": spell.Grouped, "share": Share, "mean": Average, "words": words, "inc": func(n int) int { return n + 1 }}
	return template.Must(template.New("profile.html").Funcs(funcs).ParseFS(assets, "assets/profile.html"))
}

// An htmlPage is what the template shows.
type htmlPage struct {
	Title  string
	Style  template.CSS
	Script template.JS
	Counts []htmlCount
	Codes  []htmlCode

	By       *Metric
	Compared []Comparison

	metrics []*Metric
}

// An htmlCount is a count to choose.
type htmlCount struct {
	Name, Text, Doc string
	Chosen          bool
}

// An htmlCode is the part about a code.
type htmlCode struct {
	*Profile
	ID      int
	Kernels string
	Tiles   []htmlTile
	Mix     []htmlBar
	Active  []htmlBar // lanes
	Access  []htmlAccess
	Rows    []htmlRow
	Left    uint64 // instructions without a row
	Files   []htmlFile
	Time    *htmlTime // nil: it was not modelled
	Data    htmlData
}

// An htmlTile is a number of the summary.
type htmlTile struct{ Number, Name, Note string }

// An htmlBar is a bar of a chart.
type htmlBar struct {
	Name, Text string
	Percent    float64
}

// An htmlRow is an instruction in the listing.
type htmlRow struct {
	*Inst
	Index int    // of the instruction
	Line  string // the ID of its line in the source; "": it is not shown
	Notes string
}

// An htmlFile is a file of the source.
type htmlFile struct {
	ID    string
	Name  string
	Lines []string
}

// htmlData is what scripts read: the names of levels of the flame graph, and for each instruction its levels and
// counts.
type htmlData struct {
	Names  []string   `json:"names"`
	Lines  []string   `json:"lines"` // the IDs of their lines in the source; "": it is not shown
	Paths  [][]int    `json:"paths"`
	Values [][]uint64 `json:"values"`
	Waves  []uint64   `json:"waves"`
	Lanes  []float64  `json:"lanes"` // on average
}

// code returns the part about a code.
func (h *htmlPage) code(p *Profile, id int) htmlCode {
	c := htmlCode{Profile: p, ID: id, Kernels: p.kernels(), Tiles: p.tiles(), Active: p.active(), Access: p.accesses(), Time: timeOf(p)}
	for _, u := range p.Mix {
		c.Mix = append(c.Mix, htmlBar{u.Name, Share(u.Waves, p.Instructions), percent(u.Waves, p.Instructions)})
	}
	file, name := map[string]string{}, map[string]int{}
	for i := range p.Sources {
		f := htmlFile{fmt.Sprintf("c%df%d", id, i), p.Sources[i].File, strings.Split(p.Sources[i].Text, "\n")}
		file[f.Name] = f.ID
		c.Files = append(c.Files, f)
	}
	for i := range p.List {
		in := &p.List[i]
		line := ""
		if f := file[in.At.File]; f != "" {
			line = fmt.Sprintf("%sl%d", f, in.At.Line)
		}
		c.Data.Lines = append(c.Data.Lines, line)
		var path []int
		for _, n := range p.path(in) {
			k, ok := name[n]
			if !ok {
				k = len(c.Data.Names)
				name[n], c.Data.Names = k, append(c.Data.Names, n)
			}
			path = append(path, k)
		}
		values := []uint64{}
		c.Data.Waves, c.Data.Lanes = append(c.Data.Waves, in.Waves), append(c.Data.Lanes, float64(in.Lanes)/float64(max(in.Waves, 1)))
		for _, m := range h.metrics {
			values = append(values, m.Of(in))
		}
		c.Data.Paths, c.Data.Values = append(c.Data.Paths, path), append(c.Data.Values, values)
	}
	for _, i := range h.rows(p, c.Access) {
		c.Rows = append(c.Rows, htmlRow{&p.List[i], i, c.Data.Lines[i], p.List[i].Notes(&p.Memory)})
	}
	c.Left = uint64(len(p.List) - len(c.Rows))
	return c
}

// Bounds of a listing that browsers show at once: rows, and those of them that are there since they have most of any
// other count.
const (
	maxRows  = 10_000
	alsoRows = 100
)

// rows returns the instructions of the listing, by address: all, or those with most of the counts and with these
// accesses.
func (h *htmlPage) rows(p *Profile, with []htmlAccess) (list []int) {
	all := make([]int, len(p.List))
	for i := range all {
		all[i] = i
	}
	if len(all) <= maxRows {
		return all
	}
	for _, a := range with {
		list = append(list, a.Row)
	}
	for _, m := range append(slices.Clone(h.metrics), h.By) {
		n := alsoRows
		if m == h.By {
			n = maxRows
		}
		slices.SortStableFunc(all, func(x, y int) int { return cmp.Compare(m.Of(&p.List[y]), m.Of(&p.List[x])) })
		list = append(list, all[:n]...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// words returns the name of a count as text.
func words(name string) string { return strings.ReplaceAll(name, "_", " ") }

func percent(n, of uint64) float64 { return 100 * float64(n) / float64(max(of, 1)) }

// tiles returns the numbers of the summary.
func (p *Profile) tiles() (list []htmlTile) {
	add := func(number, name, note string) { list = append(list, htmlTile{number, name, note}) }
	add(spell.Grouped(p.Instructions), "wave instructions", spell.Count(len(p.List), "instruction")+" of the code ran")
	add(Average(p.Lanes, p.Instructions), "lanes active", "on average")
	if len(p.Launches) > 0 && p.Launches[0].Occupancy.Unit != "" {
		o := &p.Launches[0].Occupancy
		add(fmt.Sprintf("%d of %d", o.Waves, o.Most), o.Unit, "occupancy of "+p.Launches[0].Kernel)
	}
	for _, m := range Metrics {
		n := m.Total(p)
		if n == 0 {
			continue
		}
		switch m.Name {
		case "global_bytes", "group_bytes", "private_bytes":
			add(spell.Grouped(n), words(m.Name), "of all lanes")
		case "memory_lines":
			note := fmt.Sprintf("of %d bytes", p.Memory.Line)
			if p.Memory.Rule != profile.ByLine {
				note = "of 32, 64 and 128 bytes"
			}
			add(spell.Grouped(n), "memory "+lineOf(&p.Memory)+"s", note)
		case "texture_lanes", "exports":
			add(spell.Grouped(n), words(m.Name), "of all draws and launches")
		case "conflict_passes":
			add(spell.Grouped(n), "passes for bank conflicts", "through LDS, besides the others")
		case "branches_diverged":
			add(spell.Grouped(n), "branches diverged", "executed by waves")
		}
	}
	return list
}

// active returns how many wave-instructions had so many lanes active, by the mean of each instruction, in eighths of
// the widest.
func (p *Profile) active() (list []htmlBar) {
	widest := uint64(1)
	for i := range p.List {
		for mean := p.List[i].lanes(); widest < 1<<16 && mean > widest; {
			widest *= 2
		}
	}
	parts := min(widest, 8)
	each := widest / parts
	waves := make([]uint64, parts+1)
	for i := range p.List {
		if in := &p.List[i]; in.Waves > 0 {
			waves[min(ceil(in.lanes(), each), parts)] += in.Waves
		}
	}
	for i, n := range waves {
		to := uint64(i) * each
		name := fmt.Sprint(to)
		if i > 0 && each > 1 {
			name = fmt.Sprintf("%d–%d", to-each+1, to)
		}
		list = append(list, htmlBar{name, Share(n, p.Instructions), percent(n, p.Instructions)})
	}
	return list
}

// lanes returns how many lanes were active on average, rounded up.
func (in *Inst) lanes() uint64 { return ceil(in.Lanes, max(in.Waves, 1)) }

// ceil returns n/of, rounded up.
func ceil(n, of uint64) uint64 {
	if n%of != 0 {
		return n/of + 1
	}
	return n / of
}

// An htmlAccess is how well an instruction uses lines of memory, or LDS.
type htmlAccess struct {
	Row       int // in the listing
	Text, How string
	Used      float64 // percent
	Note      string
	cost      uint64
}

// accesses returns the accesses that need most lines or passes.
func (p *Profile) accesses() (list []htmlAccess) {
	for i := range p.List {
		in := &p.List[i]
		for k := range in.Memory {
			u := &in.Memory[k]
			x := htmlAccess{Row: i, Text: in.Text, How: u.Space + " " + u.How}
			switch of := u.moved(&p.Memory); {
			case u.Passes > 0:
				x.Used, x.cost = percent(u.Free, u.Passes), u.Passes
				x.Note = fmt.Sprintf("%s of %s passes needed without conflicts", spell.Grouped(u.Free), spell.Grouped(u.Passes))
			case u.Lines > 0 && !u.Whole:
				x.Used, x.cost = min(percent(u.Bytes, of), 100), u.Lines
				x.Note = fmt.Sprintf("%s of %s bytes in %s", spell.Grouped(u.Bytes), spell.Grouped(of), spell.Count(u.Lines, lineOf(&p.Memory)))
			default:
				continue
			}
			list = append(list, x)
		}
	}
	slices.SortStableFunc(list, func(x, y htmlAccess) int { return cmp.Compare(y.cost, x.cost) })
	return list[:min(len(list), 10)]
}

// Data returns the counts of a page before and after, for scripts.
func (d *Difference) Data(counts []htmlCount) string {
	var list []string
	for _, n := range counts {
		c := changeOf(d.Changes, n.Name)
		list = append(list, fmt.Sprintf("%d,%d", c.Before, c.After))
	}
	return strings.Join(list, ";")
}

// Base returns the name of a file without its folders.
func (f htmlFile) Base() string { return filepath.Base(f.Name) }
