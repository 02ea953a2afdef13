package lsp

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/codeobj"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/object"
)

// A config is the editor's settings for documents that do not declare their target.
type config struct {
	ISA     string            `json:"isa"`
	Stage   string            `json:"stage"`
	Dialect string            `json:"dialect"`
	Options map[string]string `json:"options"`

	base *isa.Target // of the command line
	err  error       // what is wrong with the settings
}

// read reads settings: the object of initializationOptions, or one that has it as its member heddle. One without
// heddle, as some editors send at the beginning, changes nothing.
func (c *config) read(settings json.RawMessage) {
	var outer map[string]json.RawMessage
	if err := json.Unmarshal(settings, &outer); err != nil && len(settings) > 0 {
		c.err = fmt.Errorf("settings of heddle: want an object: %w", err)
		return
	}
	if inner, ok := outer["heddle"]; ok {
		settings, outer = inner, nil
		if err := json.Unmarshal(settings, &outer); err != nil {
			c.err = fmt.Errorf("settings of heddle: want an object: %w", err)
			return
		}
	}
	said := false
	for _, name := range [...]string{"isa", "stage", "dialect", "options"} {
		_, ok := outer[name]
		said = said || ok
	}
	if !said {
		return
	}
	c.ISA, c.Stage, c.Dialect, c.Options, c.err = "", "", "", nil, nil
	if err := json.Unmarshal(settings, c); err != nil {
		c.err = fmt.Errorf("settings of heddle: want isa, stage and dialect as texts, options as an object of texts: %w", err)
		return
	}
	_, c.err = c.target("")
}

// target returns the target of the settings, or the command line; name, if given, takes precedence. It is nil if
// nothing names one.
func (c *config) target(name string) (*isa.Target, error) {
	t := c.base
	if c.ISA != "" {
		name = orElse(name, c.ISA)
	}
	if name != "" {
		named, err := sets.Lookup(name)
		if err != nil {
			return nil, err
		}
		if t == nil || t.Name != named.Name || strings.Contains(name, ":") || !strings.EqualFold(name, t.Name) {
			t = named
		}
	}
	if t == nil {
		return nil, nil
	}
	if c.Stage != "" {
		st, ok := t.Arch.Stage(c.Stage)
		if !ok {
			return nil, fmt.Errorf("stage %q: no stage of %s", c.Stage, t.Name)
		}
		t = t.Move(t.Variant, st)
	}
	if c.Dialect == "" && len(c.Options) == 0 {
		return t, nil
	}
	d := t.Dialect
	if c.Dialect != "" {
		var ok bool
		if d, ok = t.Arch.Dialect(c.Dialect); !ok {
			return nil, fmt.Errorf("dialect %q: no dialect of %s", c.Dialect, t.Name)
		}
	}
	return t.With(d, c.Options)
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// A targeting is the target of a document.
type targeting struct {
	*isa.Target        // nil: unknown
	program     bool   // in sections, for codeobj
	processor   string // of a program
	line        int    // the line that declares it, from 0
	err         error  // what is wrong with the declaration
}

// format returns that of a program, nil for other text.
func (t *targeting) format() *asm.Format {
	if !t.program {
		return nil
	}
	return codeobj.Format(t.processor)
}

// findTarget tries the document, then the settings, then its name, then the editor's language ID.
func (d *snapshot) findTarget() *targeting {
	src := d.source()
	if named, is := codeobj.Sniff(src); is {
		return d.programTarget(named, src)
	}
	if set, variant := asm.SourceISA(src); set != "" {
		name := set
		if variant != "" {
			name += ":" + variant
		}
		t, err := d.config.target(name)
		return &targeting{Target: t, err: err, line: d.lineWith(".isa")}
	}
	if d.config.ISA != "" || d.config.base != nil || d.config.err != nil {
		if d.config.err != nil {
			return &targeting{err: d.config.err}
		}
		t, err := d.config.target("")
		return &targeting{Target: t, err: err}
	}
	for _, name := range append(nameParts(d.uri), strings.TrimPrefix(d.language, "heddle-")) {
		if t, err := sets.Lookup(name); err == nil {
			t, err = d.config.target(t.FullName())
			return &targeting{Target: t, err: err}
		}
	}
	return &targeting{}
}

// nameParts returns the parts of a file's name between dots, the last first: saxpy.gfx803.s is for gfx803.
func nameParts(uri string) []string {
	uri, _, _ = strings.Cut(uri, "?")
	parts := strings.Split(path.Base(uri), ".")
	if len(parts) < 2 {
		return nil
	}
	parts = parts[1:]
	slices.Reverse(parts)
	return parts
}

// programTarget returns that of a program, whose processor the text or the settings name.
func (d *snapshot) programTarget(named string, src []byte) *targeting {
	r := &targeting{program: true, processor: named, line: d.lineWith(".amdgcn_target")}
	t, err := d.config.target(named)
	switch set, variant := asm.SourceISA(src); {
	case named != "":
	case set != "":
		t, err = d.config.target(strings.TrimSuffix(set+":"+variant, ":"))
	case t == nil && err == nil:
		for _, part := range nameParts(d.uri) {
			if t, err = sets.Lookup(part); err == nil {
				break
			}
		}
	}
	if err == nil && (t == nil || t.Name != "gcn") {
		err = fmt.Errorf("the processor of this program is not named: a line .amdgcn_target \"amdgcn-amd-amdhsa--gfx803\" does")
	}
	if r.err = err; err != nil {
		return r
	}
	if r.Target = t; r.processor == "" {
		r.processor = object.Processor(t.Variants[t.Variant].Name)
	}
	return r
}

// lineWith returns the first line that begins with a word, 0 if none does.
func (d *snapshot) lineWith(word string) int {
	for n := range d.lines {
		if f := strings.Fields(d.line(n)); len(f) > 0 && f[0] == word {
			return n
		}
	}
	return 0
}

// guesses returns the targets that accept the instructions of a document without declaration, one of each set, the
// likeliest first, as .isa names them.
func (d *snapshot) guesses() (names []string) {
	var list []guess
	src := d.source()
	src = src[:min(len(src), guessBytes)]
	for _, e := range sets.Entries() {
		best := guess{}
		for v := range e.Set().Variants {
			for st := range max(1, len(e.Set().Stages)) {
				if g := guessOf(e.Set().At(v, st), src); g.taken > best.taken {
					best = g
				}
			}
		}
		if best.taken > 0 {
			list = append(list, best)
		}
	}
	slices.SortStableFunc(list, func(a, b guess) int { return b.taken - a.taken })
	for _, g := range list {
		names = append(names, g.name)
	}
	return names
}

// A guess is a target, and how many instructions it accepts.
type guess struct {
	name  string
	taken int
}

// guessOf returns the guess that a text is of a target; none if it accepts less than half of it.
func guessOf(t *isa.Target, src []byte) guess {
	g := guess{name: t.FullName()}
	if t.Stage > 0 {
		g.name += " " + t.Stages[t.Stage]
	}
	tried := 0
	o := asm.NewOutline(t, nil, src)
	for i := range o.Pieces {
		p := &o.Pieces[i]
		if p.Kind != asm.PieceInstruction || tried == guessLines {
			continue
		}
		tried++
		var b isa.Bundle
		if parseAnywhere(t, string(o.Text[p.From:p.To]), &b) == nil {
			g.taken++
		}
	}
	if 2*g.taken <= tried {
		g.taken = 0
	}
	return g
}

// How much of a document is read for a guess.
const (
	guessBytes = 16 << 10
	guessLines = 60
)

// parseAnywhere reads a statement in which every name that is no operand is a label.
func parseAnywhere(t *isa.Target, text string, b *isa.Bundle) error {
	s := isa.Scan{Target: t, Trial: true, Symbol: func(string) (uint64, isa.SymbolKind) { return 0, isa.Label }}
	s.Reset(text, 0)
	return s.ParseWhole(b)
}
