package isa

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/spell"
)

// completed is Parse of the text completed with the operands that it omits.
func (s *Scan) completed(in *Inst) bool {
	t := s.Target
	if t.Implied == nil || t.Dialect != 0 && t.PrintDialect == nil || s.filled {
		return false
	}
	text := t.Implied(t, s.Line)
	if text == "" {
		return false
	}
	line, failed := s.Line, s.fail
	s.Line, s.Pos, s.filled = text, 0, true
	err := s.Parse(in)
	s.Line, s.filled = line, false
	if err != nil {
		s.fail = failed
		return false
	}
	s.Pos = len(line)
	return true
}

// unknown completes the error of a word that is no mnemonic: which stages or variants have it, or what may be meant.
func (t *Target) unknown(e *Error, w, rest string, words []string) {
	if t.Foreign != nil {
		if msg, hint := t.Foreign(t, w, rest); msg != "" {
			e.Code, e.Msg, e.Hint = ErrVariant, msg, hint
			return
		} else if hint != "" {
			e.Hint = hint
			return
		}
	}
	if near := cmp.Or(spell.Slip(w, words), longer(w, words)); near != "" {
		e.Hint = fmt.Sprintf("did you mean %q?", near)
	}
}

// Unknown returns the error of a word that is no mnemonic of the target.
func (t *Target) Unknown(w string) *Error {
	e := &Error{Code: ErrMnemonic, Line: 1, Col: 1, Source: w, Msg: fmt.Sprintf("no instruction %q in %s", w, t.Name)}
	t.unknown(e, w, "", t.words())
	return e
}

// A Lead maps words that other tools use for instructions to equivalents in a set.
type Lead struct {
	Words string // as they are looked up, separated by ", "
	By    string // their origin, such as Bifrost; "": several tools
	Texts string // complete instructions that do the same, one per line; "": the set has none
	Note  string // a further remark, or ""
}

// Has reports whether the lead has the word.
func (l *Lead) Has(word string) bool {
	return slices.Contains(strings.Split(l.Words, ", "), word)
}

// Lead returns the hint for the first of some words that one of the leads has, or "" if none has.
func (t *Target) Lead(leads []Lead, words ...string) string {
	for _, w := range words {
		if i := slices.IndexFunc(leads, func(l Lead) bool { return l.Has(w) }); i >= 0 {
			return leads[i].hint(t)
		}
	}
	return ""
}

func (l *Lead) hint(t *Target) string {
	hint := "a name of " + cmp.Or(l.By, "other tools")
	switch texts := strings.Split(l.Texts, "\n"); {
	case l.Texts == "":
		hint += "; there is no such instruction here"
	case !t.takesAll(texts):
		only := t.whoTakes(texts)
		if only == "" {
			return ""
		}
		hint += fmt.Sprintf("; it would be %q, which is only in %s", texts[0], only)
	case len(texts) == 1:
		hint += fmt.Sprintf("; here it is %q", texts[0])
	default:
		hint += fmt.Sprintf("; here it takes %d instructions: %q", len(texts), texts[0])
		for _, text := range texts[1:] {
			hint += fmt.Sprintf(", %q", text)
		}
	}
	if l.Note != "" {
		hint += "; " + l.Note
	}
	return hint
}

// takesAll reports whether each text is an instruction.
func (t *Target) takesAll(texts []string) bool {
	return !slices.ContainsFunc(texts, func(text string) bool { return t.Parse(text, 0, new(Bundle)) != nil })
}

// whoTakes returns what accepts the instructions in place of the target: stages of its variant, else variants; "":
// none.
func (t *Target) whoTakes(texts []string) string {
	var list []string
	for st, name := range t.Stages {
		if t.Move(t.Variant, st).takesAll(texts) {
			list = append(list, name)
		}
	}
	if len(list) > 0 {
		return "stage " + strings.Join(list, ", ")
	}
	for v := range t.Variants {
		if t.Move(v, t.Stage).takesAll(texts) {
			list = append(list, t.Variants[v].Name)
		}
	}
	return strings.Join(list, ", ")
}
