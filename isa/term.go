package isa

import (
	"fmt"
	"strconv"
	"strings"
)

// A Term is a register, a counter or a special operand of an instruction set, for people who ask what it is.
type Term struct {
	// Name is how text writes it. A # stands for a number from 0 to Most; "v#" is v0, v1 and so on.
	Name     string
	Most     int
	Variants uint32 // bit i: variant i has it; 0: all
	Size     string // how large it is, and whether each lane or the wave has one
	Doc      string // what it holds, and what reads and writes it
	Source   string // a section of docs/reference
}

// Term is the entry of Arch.Terms that a word names. The case of letters does not matter. The error is of a number that no register of
// that name has; both are nil if the word is no term.
func (t *Target) Term(word string) (*Term, error) {
	if t.Terms == nil {
		return nil, nil
	}
	word = oneRegister(strings.ToLower(strings.TrimSpace(word)))
	list := t.Terms()
	var beyond error
	for i := range list {
		m := &list[i]
		if m.Variants != 0 && m.Variants>>t.Variant&1 == 0 {
			continue
		}
		n, ok := m.number(word)
		switch {
		case ok && n <= m.Most:
			return m, nil
		case ok:
			beyond = fmt.Errorf("%s: no such register of %s: numbers of %s go from 0 to %d", word, t, strings.Replace(m.Name, "#", "N", 1), m.Most)
		}
	}
	return nil, beyond
}

// oneRegister is the first register of a range: s0 of s[0:3]. Other words are left as they are.
func oneRegister(word string) string {
	name, numbers, ok := strings.Cut(strings.TrimSuffix(word, "]"), "[")
	first, last, ranged := strings.Cut(numbers, ":")
	if !ok || !ranged || !strings.HasSuffix(word, "]") || name == "" {
		return word
	}
	if _, err := strconv.Atoi(last); err != nil {
		return word
	}
	return name + first
}

// number is the one that the word has in the place of #, and whether the word is of the term at all.
func (m *Term) number(word string) (n int, ok bool) {
	front, back, numbered := strings.Cut(strings.ToLower(m.Name), "#")
	if !numbered {
		return 0, word == front
	}
	digits, begins := strings.CutPrefix(word, front)
	digits, ends := strings.CutSuffix(digits, back)
	if !begins || !ends || digits == "" || digits[0] < '0' || digits[0] > '9' {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil
}
