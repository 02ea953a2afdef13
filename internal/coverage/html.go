package coverage

import (
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/debug"
	"github.com/heddle-gpu/heddle/internal/profiles"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/loc"
)

//go:embed assets
var assets embed.FS

// mostRows and mostCodes limit a page: the instructions that it lists, and the programs in its table.
const (
	mostRows  = 16000
	mostCodes = 500
)

// WriteHTML writes a page that needs nothing else: what ran of each program beside its source, those with most left to
// run first, and which instruction forms of each set ran, with which modifiers.
func (c *Coverage) WriteHTML(w io.Writer) error {
	sum := c.Sum()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sort()
	own, err := assets.ReadFile("assets/coverage.js")
	if err != nil {
		return err
	}
	css, err := assets.ReadFile("assets/coverage.css")
	if err != nil {
		return err
	}
	page := htmlPage{Tiles: sum.tiles(), Incomplete: sum.Incomplete, Sets: c.sets()}
	page.Style, page.Script = profiles.Look(string(own))
	page.Style += template.CSS(css)
	page.codes(c.Codes)
	funcs := template.FuncMap{"grouped": func(n int) string { return spell.Grouped(uint64(n)) }, "waves": spell.Grouped, "inc": func(n int) int { return n + 1 }, "share": share, "join": strings.Join}
	return template.Must(template.New("coverage.html").Funcs(funcs).ParseFS(assets, "assets/coverage.html")).Execute(w, &page)
}

// share formats a share; of nothing there is none.
func share(n, of int) string {
	if of == 0 {
		return "–"
	}
	return profiles.Share(uint64(n), uint64(of))
}

// An htmlPage is what the template shows.
type htmlPage struct {
	Style      template.CSS
	Script     template.JS
	Tiles      []htmlTile
	Incomplete []string
	Sets       []*set
	Codes      []*htmlCode // in the table
	Others     htmlCode    // programs that are not in it, summed
	Count      int         // of them
}

// An htmlTile is a number of the summary.
type htmlTile struct{ Number, Name, Note string }

// tiles returns the numbers of the summary.
func (s *Sum) tiles() (list []htmlTile) {
	of := func(n, of int, name, note string) {
		list = append(list, htmlTile{share(n, of), name, fmt.Sprintf("%s of %s%s", spell.Grouped(uint64(n)), spell.Grouped(uint64(of)), note)})
	}
	of(s.Ran, s.Insts, "instructions ran", " in "+spell.Count(s.Codes, "program"))
	of(s.WaysRan, s.Ways, "directions of branches", " of branches that ran")
	of(s.LinesRan, s.Lines, "lines ran", "")
	of(s.Masked, s.Ran, "with some lanes only", " of those that ran")
	if s.Ones > 0 {
		list = append(list, htmlTile{spell.Grouped(uint64(s.Ones)), "tests of one instruction", "they count as forms"})
	}
	if s.Unknown > 0 {
		list = append(list, htmlTile{spell.Grouped(uint64(s.Unknown)), "programs not listed whole", "only what ran of them is known"})
	}
	return list
}

// An htmlCode is the part about a program, which has no rows if it is not listed.
type htmlCode struct {
	*Code
	Number       int
	Ran, Of      int
	Ways, WaysOf int
	Rows         []htmlRow
	Files        []htmlFile
	NotShown     string
}

// An htmlRow is an instruction in the listing.
type htmlRow struct {
	*Inst
	On    string // the ID of its line in the source; "": it is not shown
	State state
	Lanes string
}

// A state says how much of an instruction or line ran.
type state struct{ Kind, Text string }

// An htmlFile is a file of the source.
type htmlFile struct {
	ID, Name, Base string
	Lines          []htmlLine
}

// An htmlLine is a line of the source.
type htmlLine struct {
	Text  string
	State state
}

// codes chooses the programs to show: those with most left to run come first, then those with most instructions.
func (h *htmlPage) codes(list []*Code) {
	var all []*htmlCode
	for _, x := range list {
		c := &htmlCode{Code: x, Of: len(x.Insts)}
		for _, in := range x.Insts {
			if in.Waves > 0 {
				c.Ran++
			}
			ran, of := in.ways()
			c.Ways, c.WaysOf = c.Ways+ran, c.WaysOf+of
		}
		all = append(all, c)
	}
	left := func(c *htmlCode) int { return c.Of - c.Ran + c.WaysOf - c.Ways }
	slices.SortStableFunc(all, func(x, y *htmlCode) int { return cmp.Or(cmp.Compare(left(y), left(x)), cmp.Compare(y.Of, x.Of)) })
	rows := 0
	texts := map[string]*profiles.Embedder{} // by folder
	for i, c := range all {
		if i >= mostCodes {
			h.Count++
			h.Others.Ran, h.Others.Of = h.Others.Ran+c.Ran, h.Others.Of+c.Of
			h.Others.Ways, h.Others.WaysOf = h.Others.Ways+c.Ways, h.Others.WaysOf+c.WaysOf
			continue
		}
		c.Number = i
		if h.Codes = append(h.Codes, c); rows+c.Of <= mostRows {
			rows += c.Of
			c.show(texts)
		}
	}
}

// ways returns how many directions of a branch that ran were taken, of how many.
func (in *Inst) ways() (ran, of int) {
	if !in.Branch || in.Waves == 0 {
		return 0, 0
	}
	for _, n := range [...]uint64{in.Taken, in.Passed} {
		if n > 0 {
			ran++
		}
	}
	return ran, 2
}

// state says how an instruction ran.
func (in *Inst) state() state {
	ran, of := in.ways()
	switch {
	case in.Waves == 0:
		return state{"none", "not run"}
	case ran == of:
		return state{"all", "ran"}
	case in.Taken > 0:
		return state{"part", "always taken"}
	case in.Passed > 0:
		return state{"part", "never taken"}
	}
	return state{"part", "direction not known"}
}

// lanes says in how many cases an instruction ran with all, some or no lanes.
func (in *Inst) lanes() string {
	var list []string
	for _, x := range [...]struct {
		n    uint64
		name string
	}{{in.Full, "all"}, {in.Some, "some"}, {in.None, "none"}} {
		if x.n > 0 {
			list = append(list, x.name)
		}
	}
	return strings.Join(list, ", ")
}

// show adds the listing of a program, and its source.
func (c *htmlCode) show(texts map[string]*profiles.Embedder) {
	var at []loc.Position
	for _, in := range c.Insts {
		if p, ok := c.paths[in.File]; ok {
			p.Line = in.Line
			at = append(at, p) // its Path may be another one than in.File, and both are searched
		} else if in.File != "" {
			at = append(at, loc.Position{File: in.File, Line: in.Line})
		}
	}
	from := &debug.Sources{}
	if c.dir != "" {
		from.Dirs = []string{c.dir}
	}
	if texts[c.dir] == nil {
		texts[c.dir] = profiles.NewEmbedder(from)
	}
	var sources []profiles.Source
	sources, c.NotShown = texts[c.dir].Texts(at)
	lines := map[string]*htmlFile{}
	for i, s := range sources {
		c.Files = append(c.Files, htmlFile{ID: fmt.Sprintf("c%df%d", c.Number, i), Name: s.File, Base: filepath.Base(s.File)})
		for _, text := range strings.Split(s.Text, "\n") {
			c.Files[i].Lines = append(c.Files[i].Lines, htmlLine{Text: text})
		}
	}
	for i := range c.Files {
		lines[c.Files[i].Name] = &c.Files[i]
	}
	for _, in := range c.Insts {
		row := htmlRow{Inst: in, State: in.state(), Lanes: in.lanes()}
		if f := lines[in.File]; f != nil && in.Line > 0 && in.Line <= len(f.Lines) {
			row.On = fmt.Sprintf("%sl%d", f.ID, in.Line)
			f.Lines[in.Line-1].State.and(row.State)
		}
		c.Rows = append(c.Rows, row)
	}
}

// and adds the state of an instruction to that of a line: what ran in part, or of what a part ran, has run in part.
func (s *state) and(of state) {
	switch {
	case s.Kind == "":
		*s = of
	case s.Kind != of.Kind:
		*s = state{"part", "in part"}
	}
}
