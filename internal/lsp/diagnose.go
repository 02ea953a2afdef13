package lsp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/linter"
	"github.com/heddle-gpu/heddle/internal/reference"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
)

// source is the source of the diagnostics.
const source = "heddle"

// Codes of diagnostics other than those of assembler and lint.
const (
	codeTarget  = "isa"     // the instruction set is unknown
	codeProgram = "program" // the program as a whole
	codeSaid    = "said"    // by .print and .warning
)

// diagnose computes the diagnostics of a snapshot after a delay, and sends them unless the document has changed. For
// a long document the assembler's errors are sent first, as lint takes long.
func (s *session) diagnose(d *snapshot, delay time.Duration) {
	s.work.Go(func() {
		if len(d.lines) > longDocument {
			if !s.tell(d, delay, d.errors) {
				return
			}
			delay = 3 * s.opt.Delay
		}
		s.tell(d, delay, d.diagnostics)
	})
}

// longDocument is the number of lines from which on lint is separate.
const longDocument = 5000

// tell computes diagnostics of a snapshot after a delay and sends them; false: the document has changed, or sending
// failed.
func (s *session) tell(d *snapshot, delay time.Duration, list func() []diagnostic) bool {
	select {
	case <-time.After(delay):
	case <-d.ctx.Done():
		return false
	}
	_, err := s.second(d.ctx, func(context.Context) (any, error) {
		p := publishParams{d.uri, d.version, list()}
		s.mu.Lock()
		defer s.mu.Unlock() // so that nothing is sent for a closed document
		if d.ctx.Err() != nil {
			return nil, d.ctx.Err()
		}
		return nil, s.w.notify("textDocument/publishDiagnostics", p)
	})
	if err != nil && d.ctx.Err() == nil {
		s.log.Printf("diagnostics of %s: %v", d.uri, err)
	}
	return err == nil
}

// diagnostics returns all of the document, by line.
func (d *snapshot) diagnostics() []diagnostic {
	list := d.errors()
	for _, f := range d.found() {
		list = append(list, f.diagnostic)
	}
	sortDiagnostics(list)
	return list
}

func sortDiagnostics(list []diagnostic) {
	slices.SortStableFunc(list, func(a, b diagnostic) int { return a.Range.Start.Line - b.Range.Start.Line })
}

// errors returns those of the assembler, by line.
func (d *snapshot) errors() []diagnostic {
	list := []diagnostic{}
	b := d.built()
	for _, e := range b.errs {
		list = append(list, d.ofError(e, severityError))
	}
	for _, e := range b.textOnly {
		list = append(list, d.ofError(e, severityInformation))
	}
	for _, m := range b.said {
		from, to := d.pieceOn(max(0, m.Line-1))
		g := diagnostic{Range: d.rangeOf(from, to), Severity: severityInformation, Code: codeSaid, Source: source, Message: orElse(m.Text, ".warning")}
		if m.Warning {
			g.Severity = severityWarning
		}
		list = append(list, g)
	}
	switch t := d.target(); {
	case t.Target == nil:
		list = append(list, d.ofTarget(t))
	case b.err != nil && !errors.Is(b.err, errStale):
		list = append(list, diagnostic{Range: d.lineRange(t.line), Severity: severityError, Code: codeProgram, Source: source,
			Message: strings.TrimPrefix(b.err.Error(), "text: ")})
	}
	sortDiagnostics(list)
	return list
}

// lineRange returns the text of a line, without the blanks around it.
func (d *snapshot) lineRange(n int) textRange {
	n = max(0, min(n, len(d.lines)-1))
	line := d.line(n)
	from := len(line) - len(strings.TrimLeft(line, " \t"))
	return d.rangeOf(d.lines[n]+from, d.lines[n]+max(from, len(strings.TrimRight(line, " \t"))))
}

// ofTarget reports that the instruction set is unknown, and how to declare it.
func (d *snapshot) ofTarget(t *targeting) diagnostic {
	g := diagnostic{Range: d.lineRange(t.line), Severity: severityError, Code: codeTarget, Source: source}
	if t.err != nil {
		g.Message = t.err.Error()
		return g
	}
	g.Message = "the instruction set of this text is not known"
	would := "a line .isa gcn:gfx8 names it, or the name of the file (kernel.gfx803.s), or isa in the settings of heddle"
	if names := d.guesses(); len(names) > 0 {
		would += "; it reads as " + strings.Join(names, " or ")
	}
	hint(&g, would)
	return g
}

// hint adds a hint to the message itself: not all editors show related information.
func hint(g *diagnostic, text string) {
	if text != "" {
		g.Message += "\n" + text
	}
}

// ofError returns an error of the assembler as a diagnostic.
func (d *snapshot) ofError(e *isa.Error, severity int) diagnostic {
	from, to := d.errorExtent(e)
	g := diagnostic{Range: d.rangeOf(from, to), Severity: severity, Code: e.Code, Source: source, Message: e.Msg}
	d.describe(&g, e.Ref)
	hint(&g, e.Hint)
	for _, line := range strings.Split(e.Note, "\n") {
		d.note(&g, strings.TrimSpace(line))
	}
	return g
}

// describe adds where the rule is stated.
func (d *snapshot) describe(g *diagnostic, cited string) {
	if list := reference.Built().Lookup(cited); len(list) > 0 && d.client.describes {
		g.CodeDescription = &codeDescription{list[0].URL()}
	}
}

// note adds a place in a macro: "line 3, in the macro two of line 1, used in line 5".
func (d *snapshot) note(g *diagnostic, text string) {
	var n int
	if _, err := fmt.Sscanf(text, "line %d, in", &n); err != nil || n < 1 || n > len(d.lines) {
		if text != "" {
			hint(g, text)
		}
		return
	}
	if !d.client.related {
		g.Message += "\n" + text
		return
	}
	_, what, _ := strings.Cut(text, ", ")
	g.RelatedInformation = append(g.RelatedInformation, relatedInfo{location{d.uri, d.lineRange(n - 1)}, what})
}

// errorExtent returns what an error concerns: the text at its place, up to the next operand; for text from a macro,
// the use.
func (d *snapshot) errorExtent(e *isa.Error) (from, to int) {
	n := max(0, min(e.Line-1, len(d.lines)-1))
	line := d.line(n)
	if e.Note != "" {
		return d.pieceOn(n)
	}
	col := max(0, min(e.Col-1, len(line)))
	for col > 0 && col < len(line) && !utf8.RuneStart(line[col]) {
		col--
	}
	from = d.lines[n] + col
	text := string(d.outline().Text[from : d.lines[n]+len(line)])
	size := isa.WordLen(text)
	if size == 0 && strings.TrimSpace(text) == "" { // something is missing after the text there
		at := d.lines[n] + len(strings.TrimRight(line[:col], " \t"))
		return at, at
	}
	if size == 0 {
		size = len(text) - len(strings.TrimLeft(text, "$@#%-|([{&~!.")) // a sign, and the word after it
		size += isa.WordLen(text[size:])
	}
	if size == 0 { // no word: a character
		_, size = utf8.DecodeRuneInString(text)
	}
	return from, from + bracketEnd([]byte(text), size)
}

// pieceOn returns the statement that begins on a line, or else the whole line.
func (d *snapshot) pieceOn(n int) (from, to int) {
	o := d.outline()
	for i := pieceAt(o, d.lines[n]); i < len(o.Pieces) && d.lineOf(o.Pieces[i].From) <= n; i++ {
		if p := &o.Pieces[i]; d.lineOf(p.From) == n && p.Kind != asm.PieceLabel {
			return p.From, p.To
		}
	}
	return d.lines[n], d.lines[n] + len(d.line(n))
}

// A finding is a finding of lint, and an instruction that fixes it.
type finding struct {
	diagnostic
	hint string
}

// lint returns the findings of lint in a document that assembles.
func (d *snapshot) lint() (list []finding) {
	b := d.built()
	if len(b.errs) > 0 || b.err != nil || b.bare == nil && b.code == nil || len(b.textOnly) > 0 || d.ctx.Err() != nil {
		return nil
	}
	opt := lint.Options{Least: isa.SeverityNote, Most: errorsShown}
	run := func(o lint.Options) *lint.Report { return linter.Assembly(b.bare, o) }
	t := d.target()
	if b.bare == nil {
		o, err := b.code.Object()
		if err != nil {
			return nil // written by codeobj, whose tests read what it writes
		}
		run = func(opt lint.Options) *lint.Report { return linter.Object(t.Target, o, opt) }
	}
	filter := linter.Filter{Comments: linter.Suppressions(t.Target, t.format(), d.source())}
	rep := filter.Run(t.Target, opt, run)
	for i := range rep.Findings {
		if f := &rep.Findings[i]; f.Place.Text.Known() {
			list = append(list, finding{d.ofFinding(f), f.Hint})
		}
	}
	return list
}

// ofFinding returns a finding of lint as a diagnostic of its line.
func (d *snapshot) ofFinding(f *lint.Finding) diagnostic {
	from, to := d.pieceOn(f.Place.Text.Line - 1)
	if f.Rule == lint.RuleUnused { // it concerns the comment
		from = d.lines[f.Place.Text.Line-1] + f.Place.Text.Col - 1
		to = from + len(f.Text)
	}
	g := diagnostic{Range: d.rangeOf(from, to), Severity: severityWarning, Code: f.Rule, Source: source, Message: f.Msg}
	if f.Severity == isa.SeverityNote {
		g.Severity = severityInformation
	}
	d.describe(&g, f.Source)
	if f.Other != nil && d.client.related {
		if at := f.Other.Place.Text; at.Known() {
			g.RelatedInformation = append(g.RelatedInformation, relatedInfo{location{d.uri, d.lineRange(at.Line - 1)}, "the other instruction: " + f.Other.Text})
		}
	}
	hint(&g, f.Hint)
	return g
}
