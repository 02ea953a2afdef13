package isa

import (
	"fmt"
	"slices"
	"strings"
)

// Advice is computed only once it is known that no row fits the text.

// advise completes the error of a text whose mnemonic has rows: it adds what else may appear at the place of the
// error, and a text that would be accepted.
func (s *Scan) advise(e *Error, in *Inst, start int, w string, d *Def) {
	if s.Trial || e.Line != 1 {
		return
	}
	form := s.fail.form
	if form == wanted && s.fail.word != OperandOrLabel && e.Code == ErrOperand {
		if list := s.wanted(in, start, w); len(list) > 1 {
			e.Msg = strings.TrimSuffix(e.Msg, s.fail.word+" is expected") + oneOf(list) + " is expected"
		}
	}
	if e.Hint == "" && s.Target.Advise != nil && s.Target.Dialect == 0 {
		e.Hint = s.Target.Advise(s, d, e)
	}
}

// Takes reports whether the target accepts a text, which must name no symbols, as an instruction in place of the one
// being read.
func (s *Scan) Takes(text string) bool {
	t := Scan{Target: s.Target, Rules: s.Rules, Trial: true}
	t.Reset(text, s.Addr)
	var b Bundle
	return t.ParseWhole(&b) == nil
}

// wanted returns what the rows of the mnemonic expect at the place of the report that is shown.
func (s *Scan) wanted(in *Inst, start int, w string) []string {
	failed := s.fail
	s.wants = &wants{pos: failed.pos, list: []string{failed.word}}
	s.anyRow(in, start, w, s.mnemonic(w), false, &near{})
	list := s.wants.list
	s.wants, s.fail = nil, failed
	return list
}

// wanted is the format of the reports of Scan.Expect.
const wanted = "%t where %w is expected"

// wants are what is expected at a place.
type wants struct {
	pos  int
	list []string
}

func (w *wants) note(pos int, form, word string) {
	if pos == w.pos && form == wanted && word != OperandOrLabel && strings.IndexByte(word, ',') < 0 && !slices.Contains(w.list, word) {
		w.list = append(w.list, word)
	}
}

// mostWanted limits how many alternatives a message lists.
const mostWanted = 8

// oneOf joins a list with commas and "or".
func oneOf(list []string) string {
	if len(list) > mostWanted {
		return fmt.Sprintf("%s or one of %d others", strings.Join(list[:mostWanted-1], ", "), len(list)-mostWanted+1)
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " or " + list[last]
}

// again reports a second modifier, suffix or part of one kind at position at.
func (s *Scan) again(at int, a *Arg, k *Kind, in *Inst) (reported bool) {
	word := in.Word
	_, read, _ := s.optional(k, in, a)
	s.Pos, in.Word = at, word
	if read {
		s.note(at, ErrModifier, "%w stands here a second time", k.Name, 0)
	}
	return read
}

// noModifier reports text after the last operand that is no modifier: one that was read already, one with a value
// that it does not have, or an unknown word.
func (s *Scan) noModifier(d *Def, in *Inst, seen, required uint64) bool {
	at := s.Pos
	for _, p := range [...]struct {
		place Place
		seen  uint64
	}{{Modifier, seen}, {Required, required}} {
		for k, i := range d.free[p.place] {
			if a := &d.Args[i]; p.seen>>k&1 != 0 && s.again(at, a, a.Kind, in) {
				return false
			}
		}
	}
	if s.noValue(d) {
		return false
	}
	if n := len(d.ops); n > 0 && s.secondPart(d.ops[n-1], in) {
		return false
	}
	s.note(at, ErrModifier, "%t is no modifier or further operand of this instruction", "", 0)
	if s.fail.pos == at && s.fail.code == ErrModifier {
		s.fail.mods = d
	}
	return false
}

// secondPart reports a part after an operand that was read already.
func (s *Scan) secondPart(a *Arg, in *Inst) (reported bool) {
	if a.sides == nil {
		return false
	}
	for _, i := range a.back {
		if p := &a.Parts[i]; a.Part(in.Word, int(i)) != 0 && s.again(s.Pos, a, p.Kind, in) {
			return true
		}
	}
	return false
}

// noValue reports a modifier spelled NAME:VALUE or NAME VALUE whose value does not exist.
func (s *Scan) noValue(d *Def) (reported bool) {
	rest := s.Line[s.Pos:]
	name, values := "", []string(nil)
	for _, p := range [...]Place{Modifier, Required} {
		for _, i := range d.free[p] {
			for _, sp := range d.Args[i].Kind.Spell {
				text := strings.TrimLeft(sp.Text, " ")
				n := strings.LastIndexAny(text, ": ") + 1
				if n == 0 || n == len(text) || !strings.HasPrefix(rest, text[:n]) || name != "" && name != text[:n] {
					continue
				}
				name, values = text[:n], append(values, text[n:])
			}
		}
	}
	if len(values) == 0 {
		return false
	}
	at := s.Pos + len(name)
	what := values[0]
	if len(values) > 1 {
		what = oneOf(values)
	}
	s.note(at, ErrModifier, wanted, what, 0)
	return true
}

// twice reports a suffix of letters only that is written twice in a row, as one word.
func (s *Scan) twice(d *Def) (reported bool) {
	rest := s.Line[s.Pos:]
	for _, i := range d.free[Suffix] {
		k := d.Args[i].Kind
		for _, sp := range k.Spell {
			if n := len(sp.Text); strings.HasPrefix(rest, sp.Text) && strings.HasPrefix(rest[n:], sp.Text) {
				s.note(s.Pos+n, ErrModifier, "%w stands here a second time", k.Name, 0)
				return true
			}
		}
	}
	return false
}

// operands returns how many operands the row has. A kind whose name is in quotes is a fixed word and does not count.
func (d *Def) operands() (n int) {
	for _, a := range d.ops {
		if a.Kind.Name[0] != '"' {
			n++
		}
	}
	return n
}

// words returns the mnemonics of the instructions that the scan reads.
func (s *Scan) words() []string {
	all := s.Target.words()
	if s.Target.Group == nil {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(w string) bool {
		return !slices.ContainsFunc(s.Target.Rows(w), func(d *Def) bool { return d.Class == s.Class })
	})
}
