package linter

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
	"github.com/heddle-gpu/heddle/sanitize"
)

// An Exception is a line of a suppression file: findings that are known and accepted, and why.
//
//	# RULE or ID, what must match, and after a colon the reason; * stands for anything
//	race-group kernel=reduce* file=reduce.cl:40: all waves store the same value
//	missing-wait text="s_load_dword *": the next instruction does not use it
//	undefined-branch-1a2b3c4d: reported to the compiler
//
// An ID stands for all findings that are alike, which a run numbers .2 and so on. A pattern matches if it matches one
// of the finding's instructions; kernel is that of the launch, symbol the function of the instruction, file its source
// or assembly text, as base name or as the end of the path.
type Exception struct {
	Line                         int // in its file, from 1
	Text                         string
	Rule                         string // pattern of a rule, or an ID
	Kernel, Symbol, File, Inside string // patterns; "": anything
	FileLine                     int    // 0: any
	Reason                       string
	Used                         int // findings that it has suppressed
}

// ReadExceptions reads a suppression file; path is its name in errors, which have line and column.
func ReadExceptions(path string, data []byte) (list []*Exception, err error) {
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(strings.TrimSuffix(line, "\r"))
		if line == "" || line[0] == '#' {
			continue
		}
		x, err := parseException(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, i+1, err)
		}
		x.Line = i + 1
		list = append(list, x)
	}
	return list, nil
}

// parseException reads a line.
func parseException(line string) (*Exception, error) {
	words, reason, err := exceptionWords(line)
	switch {
	case err != nil:
		return nil, err
	case len(words) == 0:
		return nil, fmt.Errorf("no rule: want RULE [KEY=PATTERN ...]: REASON")
	case reason == "":
		return nil, fmt.Errorf("%q has no reason: want RULE [KEY=PATTERN ...]: REASON", line)
	}
	x := &Exception{Text: line, Rule: words[0], Reason: reason}
	if id, _, more := strings.Cut(x.Rule, "."); more && knownID(id) { // findings that are alike in a run are numbered
		x.Rule = id
	}
	if !strings.Contains(x.Rule, "*") && !knownID(x.Rule) && !isRule(x.Rule) {
		if err := Unknown(x.Rule); err != nil {
			return nil, err
		}
	}
	for _, w := range words[1:] {
		key, pattern, ok := strings.Cut(w, "=")
		switch {
		case !ok:
			return nil, fmt.Errorf("%q: want KEY=PATTERN, with kernel, symbol, file or text as key", w)
		case key == "kernel":
			x.Kernel = pattern
		case key == "symbol":
			x.Symbol = pattern
		case key == "text":
			x.Inside = pattern
		case key == "file":
			x.File, x.FileLine = cutLine(pattern)
		default:
			return nil, fmt.Errorf("no key %q; there are kernel, symbol, file and text%s", key, meantKey(key))
		}
	}
	return x, nil
}

// meantKey is a hint for a key that does not exist.
func meantKey(key string) string {
	if near := isa.Nearest(key, []string{"kernel", "symbol", "file", "text"}); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// knownID reports whether a word is the ID of a finding: a rule, a minus and eight hexadecimal digits.
func knownID(word string) bool {
	at := strings.LastIndexByte(word, '-')
	if at < 0 || len(word)-at != 9 {
		return false
	}
	_, err := strconv.ParseUint(word[at+1:], 16, 32)
	return err == nil && isRule(word[:at])
}

// cutLine splits FILE:LINE.
func cutLine(text string) (file string, line int) {
	if at := strings.LastIndexByte(text, ':'); at >= 0 {
		if n, err := strconv.Atoi(text[at+1:]); err == nil && n > 0 {
			return text[:at], n
		}
	}
	return text, 0
}

// exceptionWords splits a line into the words before a colon that ends one, and the reason behind it. Quotes keep
// spaces and colons in a word.
func exceptionWords(line string) (words []string, reason string, err error) {
	word, quoted, begun := "", false, false
	end := func() {
		if begun {
			words = append(words, word)
		}
		word, begun = "", false
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '"':
			quoted, begun = !quoted, true
		case quoted:
			word += string(c)
		case c == ' ' || c == '\t':
			end()
		case c == ':' && (i+1 == len(line) || line[i+1] == ' '):
			end()
			return words, strings.TrimSpace(line[i+1:]), nil
		default:
			word, begun = word+string(c), true
		}
	}
	if quoted {
		return nil, "", fmt.Errorf("a quote is not closed")
	}
	end()
	return words, "", nil
}

// like reports whether a text matches a pattern, in which * stands for any characters. An empty pattern matches all.
func like(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == "" || pattern == text
	}
	first, last := parts[0], parts[len(parts)-1]
	if !strings.HasPrefix(text, first) {
		return false
	}
	text = text[len(first):]
	for _, p := range parts[1 : len(parts)-1] {
		at := strings.Index(text, p)
		if at < 0 {
			return false
		}
		text = text[at+len(p):]
	}
	return strings.HasSuffix(text, last)
}

// Suppresses reports whether the exception suppresses a finding, and counts it then.
func (x *Exception) Suppresses(f *sanitize.Finding) bool {
	if !like(x.Rule, f.Rule) && x.Rule != f.ID() || !like(x.Kernel, f.Kernel) {
		return false
	}
	sides := append([]sanitize.Side{f.At}, f.Others...)
	if !slices.ContainsFunc(sides, func(s sanitize.Side) bool { return x.covers(&s.Instruction) }) {
		return false
	}
	x.Used++
	return true
}

// covers reports whether an instruction matches.
func (x *Exception) covers(in *sanitize.Instruction) bool {
	if !like(x.Symbol, in.Place.Symbol) || !like(x.Inside, in.Text) {
		return false
	}
	if x.File == "" {
		return true
	}
	for _, p := range [...]struct {
		path string
		line int
	}{{in.Place.Text.File, in.Place.Text.Line}, {in.Place.Source.Path, in.Place.Source.Line}, {in.Place.Source.File, in.Place.Source.Line}} {
		path := filepath.ToSlash(p.path)
		if p.line > 0 && (x.FileLine == 0 || x.FileLine == p.line) && (like(x.File, path) || like("*/"+x.File, path)) {
			return true
		}
	}
	return false
}

// Ignored returns the comment of an assembly text that suppresses a finding, at its line; nil: none does.
func Ignored(list []*Suppression, f *sanitize.Finding) *Suppression {
	for _, s := range list {
		if s.File != "" && s.File != f.At.Place.Text.File {
			continue
		}
		if slices.Contains(s.Rules, f.Rule) && slices.Contains(append(s.lines, s.Line), f.At.Place.Text.Line) {
			return s
		}
	}
	return nil
}

// AsLint returns a finding of a sanitizer in the form of one of lint, for baselines and reports.
func AsLint(f *sanitize.Finding) lint.Finding {
	instruction := func(s *sanitize.Side) lint.Instruction {
		return lint.Instruction{Addr: s.Place.Addr, Text: s.Text, Branch: f.Rule == "undefined-branch", Place: s.Place}
	}
	x := lint.Finding{Finding: isa.Finding{Rule: f.Rule, Severity: f.Severity(), Msg: f.Msg}, Instruction: instruction(&f.At)}
	if len(f.Others) > 0 {
		other := instruction(&f.Others[0])
		x.Other = &other
	}
	return x
}
