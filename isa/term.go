package isa

import (
	"fmt"
	"strconv"
	"strings"
)

// A Term is a register, a counter or a special operand of an instruction set, for users who look it up.
type Term struct {
	// Name is its spelling in text. A # stands for a number from 0 to Most; "v#" is v0, v1 and so on.
	Name string
	Most int
	Step int // the number is a multiple of it; 0: any
	// Align is the limit of the alignment of register tuples: they begin at a multiple of their size rounded down to
	// an even number, at most Align; 0: anywhere.
	Align    int
	Parts    string // letters of components, some of which may follow a point: xyzw
	Pending  int    // of a counter: the largest number that may follow in parentheses, as in vmcnt(3); 0: none may
	Variants uint32 // bit i: variant i has it; 0: all
	Size     string // how large it is, and whether there is one per lane or per wave
	Doc      string // what it holds, and what reads and writes it
	Source   string // a section of docs/reference
}

// Term returns the term that a word names: an entry of Arch.Terms, a register tuple (v[0:3], r0:r1, r4r5), components
// (r1.xy), or a counter with a number (vmcnt(3)). The case of letters does not matter. The error is for numbers that
// no register of that name has; both results are nil if the word is no term.
func (t *Target) Term(word string) (*Term, error) {
	if t.Terms == nil {
		return nil, nil
	}
	word = strings.ToLower(strings.TrimSpace(word))
	list := t.Terms()
	var wrong error
	for i := range list {
		m := &list[i]
		if m.Variants != 0 && m.Variants>>t.Variant&1 == 0 {
			continue
		}
		got, err := m.named(word)
		if got != nil {
			return got, nil
		}
		if err != nil {
			wrong = fmt.Errorf("%s is invalid for %s: %w", word, t, err)
		}
	}
	return nil, wrong
}

// named returns the term as a word names it, or nil if it does not.
func (m *Term) named(word string) (*Term, error) {
	front, back, numbered := strings.Cut(strings.ToLower(m.Name), "#")
	whole, parts, dotted := strings.Cut(word, ".")
	if m.Parts != "" && dotted && parts != "" && len(parts) <= len(m.Parts) && strings.Trim(parts, m.Parts) == "" {
		word = whole
	} else {
		parts = ""
	}
	if !numbered {
		return m.alone(word)
	}
	first, last, ok := numbersIn(word, front, back)
	if !ok {
		return nil, nil
	}
	name := strings.Replace(m.Name, "#", "N", 1)
	n := last - first + 1
	switch {
	case max(first, last) > m.Most:
		return nil, fmt.Errorf("there is no such register: numbers of %s go from 0 to %d", name, m.Most)
	case n < 1:
		return nil, fmt.Errorf("the first register has the lower number: want %d to %d", last, first)
	case m.Step > 1 && first%m.Step != 0:
		return nil, fmt.Errorf("numbers of %s are multiples of %d", name, m.Step)
	case m.Align > 0 && n > 1 && first%min(n&^1, m.Align) != 0:
		return nil, fmt.Errorf("%d registers of %s together begin at a multiple of %d", n, name, min(n&^1, m.Align))
	}
	got := *m
	switch each, is := strings.CutPrefix(m.Size, "32 bits "); {
	case n > 1 && is:
		got.Size = fmt.Sprintf("%d registers, %d bits %s", n, 32*n, each)
	case n > 1:
		got.Size = fmt.Sprintf("%d registers, each of them %s", n, m.Size)
	case parts != "":
		got.Size = fmt.Sprintf("%d of %s: %s", len(parts), m.Size, strings.Join(strings.Split(parts, ""), ", "))
	}
	return &got, nil
}

// alone is named for a term without a number in its name.
func (m *Term) alone(word string) (*Term, error) {
	name := strings.ToLower(m.Name)
	if word == name {
		return m, nil
	}
	text, ok := strings.CutPrefix(word, name+"(")
	if text, ends := strings.CutSuffix(text, ")"); ok && ends && m.Pending > 0 {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		switch {
		case err != nil || n < 0 || n > m.Pending:
			return nil, fmt.Errorf("%s takes a number from 0 to %d", m.Name, m.Pending)
		}
		got := *m
		got.Doc = fmt.Sprintf("%s(%d) waits until at most %d of them are pending. %s", m.Name, n, n, m.Doc)
		if n == m.Pending {
			got.Doc = fmt.Sprintf("%s(%d) waits for none. %s", m.Name, n, m.Doc)
		}
		return &got, nil
	}
	return nil, nil
}

// numbersIn returns the number that a word has between front and back, or the first and last number of a register
// tuple: v[0:3], r[0..3], r0:r3, r4r5.
func numbersIn(word, front, back string) (first, last int, ok bool) {
	rest, begins := strings.CutPrefix(word, front)
	if !begins {
		return 0, 0, false
	}
	if in, is := strings.CutPrefix(rest, "["); is {
		in, ends := strings.CutSuffix(in, "]"+back)
		a, b, two := strings.Cut(strings.Replace(in, "..", ":", 1), ":")
		if !two {
			b = a
		}
		first, okA := plainNumber(a)
		last, okB := plainNumber(b)
		return first, last, ends && okA && okB && front != ""
	}
	if n, is := plainNumber(strings.TrimSuffix(rest, back)); is && strings.HasSuffix(rest, back) {
		return n, n, true
	}
	for _, between := range [...]string{back + ":" + front, back + front} {
		a, b, two := strings.Cut(rest, between)
		b, ends := strings.CutSuffix(b, back)
		first, okA := plainNumber(a)
		last, okB := plainNumber(b)
		if two && ends && okA && okB && between != "" {
			return first, last, true
		}
	}
	return 0, 0, false
}

// plainNumber reads a number that consists of digits only.
func plainNumber(text string) (int, bool) {
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSpace(text))
	return n, err == nil
}
