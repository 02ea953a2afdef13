package isa

import (
	"cmp"
	"fmt"

	"github.com/heddle-gpu/heddle/internal/spell"
)

// completed is Parse with the operands that the text leaves out.
func (s *Scan) completed(in *Inst) bool {
	t := s.Target
	if t.Implied == nil || t.Dialect != 0 || s.filled {
		return false
	}
	text := t.Implied(t, s.Line)
	if text == "" {
		return false
	}
	line, failed := s.Line, s.fail
	s.Line, s.Pos, s.filled = text, 0, true
	s.spoil()
	err := s.parse(in)
	s.Line, s.filled = line, false
	if err != nil {
		s.fail = failed
		return false
	}
	s.Pos = len(line)
	return true
}

// unknown completes the error of a word that is no mnemonic: where it is one, or what may be meant.
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

// Unknown is the error of a word that is no mnemonic of the target.
func (t *Target) Unknown(w string) *Error {
	e := &Error{Code: ErrMnemonic, Line: 1, Col: 1, Source: w, Msg: fmt.Sprintf("no instruction %q in %s", w, t.Name)}
	t.unknown(e, w, "", t.words())
	return e
}
