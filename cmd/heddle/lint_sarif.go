package main

import (
	"bytes"
	"cmp"
	"os"
	"unicode/utf8"

	"github.com/heddle-gpu/heddle/lint"
	"github.com/heddle-gpu/heddle/loc"
)

// sarif returns all rules of the set, and the findings.
func (c *lintCmd) sarif(a *app, r *linted) sarifLog {
	var rules []sarifRule
	for _, x := range lint.Rules(r.target) {
		rules = append(rules, sarifRule{ID: x.ID, Short: sarifText{x.Doc}, Full: &sarifText{x.Doc + " See " + x.Source + "."}, HelpURI: lintPage,
			Config: sarifDefault{x.Severity.String()}})
	}
	return sarifOf(rules, c.sarifResults(a, r))
}

// sarifResults returns the findings of a file.
func (c *lintCmd) sarifResults(a *app, r *linted) (list []sarifResult) {
	at := sarifPlaces{a: a, file: c.File, linted: r, lines: map[string][][]byte{}}
	for i := range r.Findings {
		list = append(list, at.result(&r.Findings[i]))
	}
	for i := range r.Suppressed {
		x := at.result(&r.Suppressed[i].Finding)
		x.Suppressions = []sarifSuppression{{"inSource", r.Suppressed[i].By.Reason}}
		list = append(list, x)
	}
	return list
}

// sarifPlaces finds the locations of findings of a file.
type sarifPlaces struct {
	a    *app
	file string
	*linted
	lines map[string][][]byte // of files that have been read; nil for a file that cannot be
}

// result returns a finding. Its location is the line of the text, else of the source, else bytes of the file; other
// locations, and the other instruction, are related locations.
func (s *sarifPlaces) result(f *lint.Finding) sarifResult {
	text := f.Msg
	if f.Hint != "" {
		text += ": " + f.Hint
	}
	list := s.locations(&f.Instruction, "the instruction: ")
	list[0].Message = nil          // the result has it
	if f.Rule == lint.RuleUnused { // it has no instruction
		list[0].Physical.Address = nil
	}
	if f.Other != nil {
		list = append(list, s.locations(f.Other, "the other instruction: ")...)
	}
	return sarifResult{RuleID: f.Rule, Level: f.Severity.String(), Message: sarifText{text}, Locations: list[:1], Related: list[1:]}
}

// locations returns the locations of an instruction, the most useful one first.
func (s *sarifPlaces) locations(in *lint.Instruction, what string) (list []sarifLocation) {
	p, text := &in.Place, what+in.Text
	for _, at := range [...]loc.Position{p.Text, p.Source} {
		if at.Known() {
			region := &sarifRegion{StartLine: at.Line, StartColumn: s.column(&at)}
			list = append(list, sarifLocation{sarifPhysical{artifactOf(cmp.Or(at.Path, at.File)), region, &sarifAddress{p.Addr}}, &sarifText{text}})
		}
	}
	if !p.Text.Known() {
		list = append(list, sarifLocation{s.bytes(p.Addr), &sarifText{text}})
	}
	return list
}

// column returns the column of a position in characters, the unit declared by sarifOf, while positions count bytes; 0
// if the line cannot be read, as for a pipe or a missing source.
func (s *sarifPlaces) column(p *loc.Position) int {
	path := cmp.Or(p.Path, p.File)
	lines, known := s.lines[path]
	if !known {
		if info, err := os.Stat(path); path != "-" && err == nil && info.Mode().IsRegular() {
			if text, err := s.a.readNow(path); err == nil {
				lines = bytes.Split(text, []byte("\n"))
			}
		}
		s.lines[path] = lines
	}
	if p.Col == 0 || p.Line > len(lines) || p.Col-1 > len(lines[p.Line-1]) {
		return 0
	}
	return utf8.RuneCount(lines[p.Line-1][:p.Col-1]) + 1
}

// bytes returns the place in the file of what is loaded at an address.
func (s *sarifPlaces) bytes(addr uint64) sarifPhysical {
	p := sarifPhysical{Artifact: artifactOf(s.file), Address: &sarifAddress{addr}}
	for _, f := range s.files {
		if off := addr - f.addr; addr >= f.addr && off < f.size {
			at := f.off + off
			p.Region = &sarifRegion{ByteOffset: &at, ByteLength: int(min(f.size-off, uint64(max(s.target.Unit, 1))))}
			return p
		}
	}
	return p
}
