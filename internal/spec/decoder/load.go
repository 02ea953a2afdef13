// Package decoder decodes instructions from a document of heddle spec --json alone, as docs/spec.md explains it to
// other tools, and imports nothing of heddle. Tests compare it with package isa.
package decoder

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// A Word is up to 128 bits, the low ones first.
type Word [2]uint64

func (w Word) and(x Word) Word { return Word{w[0] & x[0], w[1] & x[1]} }
func (w Word) not(x Word) Word { return Word{w[0] &^ x[0], w[1] &^ x[1]} }

// UnmarshalJSON reads a number in hexadecimal digits.
func (w *Word) UnmarshalJSON(text []byte) error {
	digits, ok := strings.CutPrefix(strings.Trim(string(text), `"`), "0x")
	if !ok || len(digits) == 0 || len(digits) > 32 {
		return fmt.Errorf("%s is no number of up to 128 bits", text)
	}
	at := max(0, len(digits)-16)
	var err error
	if w[0], err = strconv.ParseUint(digits[at:], 16, 64); err == nil && at > 0 {
		w[1], err = strconv.ParseUint(digits[:at], 16, 64)
	}
	return err
}

// get returns n bits from bit lo on.
func (w Word) get(lo, n int) uint64 {
	x := w[lo>>6&1] >> (lo & 63)
	if lo < 64 && lo+n > 64 {
		x |= w[1] << (64 - lo)
	}
	if n < 64 {
		x &= 1<<n - 1
	}
	return x
}

// A Field is the ranges of bits of a number, the low ones first.
type Field [][2]int

func (f Field) get(w Word) (v uint64) {
	at := 0
	for i := range f {
		n := f[i][1] - f[i][0] + 1
		v |= w.get(f[i][0], n) << at
		at += n
	}
	return v
}

// Bits returns the word with the bits of the field set.
func (f Field) Bits() (w Word) {
	for _, r := range f {
		for b := r[0]; b <= r[1]; b++ {
			w[b>>6] |= 1 << (b & 63)
		}
	}
	return w
}

type span [2]uint64

func within(list []span, v uint64) bool {
	for i := range list {
		if list[i][0] <= v && v <= list[i][1] {
			return true
		}
	}
	return false
}

// The parts of a document that are used; the names are those of internal/spec.
type (
	Document struct {
		Format, Unit int
		ISA          string
		Variants     []struct{ Name string }
		Stages       []struct{ Name string }
		Classes      []struct {
			Name string
			View bool
		}
		Text      struct{ Separator string }
		Encodings []struct {
			Name      string
			Bits      int
			Literal   *literal
			Unclaimed string
			First     bool
		}
		Kinds []struct {
			Reserved []span
			Cases    []texts
			Needs    *struct{ Values []span }
		}
		Forms []struct{ Args []arg }
		Rows  []struct {
			Name                  string
			Variants, Stages      []int
			Class, Encoding, Form int
			Mask, Match, Claimed  Word
			Alias, Private        bool
			Tags                  []string
			Restrictions          []bar
		}
		Gaps []struct {
			Class   int
			If      []held
			Verdict string
		}
		Group *struct{ Rule string }
	}
	literal struct {
		Bits   [2]int
		Always bool
		Fields []string
		Code   uint64
	}
	held struct {
		Bits Field
		In   []span
	}
	bar struct {
		Variants, Stages []int
		If               []held
	}
	arg struct {
		Name, Place string
		Bits        Field
		Kind        int
		Tight       bool
		Parts       []part
	}
	part struct {
		Name, Side string
		Bits       Field
		Kind       int
	}
	texts struct {
		If     []held
		Values []struct {
			From, To    uint64
			Text, Close string
		}
	}
)

func (h *held) of(w Word) bool { return len(h.In) == 0 || within(h.In, h.Bits.get(w)) }

func all(list []held, w Word) bool {
	for i := range list {
		if !list[i].of(w) {
			return false
		}
	}
	return true
}

// A Set decodes instructions of a set.
type Set struct {
	*Document
	tables [][][]*table // by variant, stage, class
	rows   []row
}

// A row is a row of the document, with data for decoding.
type row struct {
	mask, match, claimed Word
	size, long           int // in bytes, without and with literal
	always               bool
	literal              []Field // fields that select a literal
	code                 uint64
	reserved             []check
	zero                 bool // unclaimed bits must be 0
	first                bool
	restrictions         []bar
	args                 []arg
	bits                 []Field // of args and their parts, in order
}

type check struct {
	Field
	values []span
}

// A table finds rows by the bits that most of them fix.
type table struct {
	at   []int // these bits
	list [][]int
}

// Load makes a decoder from a document.
func Load(text []byte) (*Set, error) {
	s := &Set{Document: new(Document)}
	if err := json.Unmarshal(text, s.Document); err != nil {
		return nil, err
	}
	if s.Format != 1 {
		return nil, fmt.Errorf("format %d, this reads 1", s.Format)
	}
	for i := range s.Rows {
		s.rows = append(s.rows, s.row(i))
	}
	for v := range s.Variants {
		var stages [][]*table
		for st := range max(1, len(s.Stages)) {
			var classes []*table
			for c := range max(1, len(s.Classes)) {
				classes = append(classes, s.table(v, st, c))
			}
			stages = append(stages, classes)
		}
		s.tables = append(s.tables, stages)
	}
	return s, nil
}

func (s *Set) row(i int) row {
	d := &s.Rows[i]
	e := &s.Encodings[d.Encoding]
	r := row{mask: d.Mask, match: d.Match, claimed: d.Claimed, size: e.Bits / 8, long: e.Bits / 8, zero: e.Unclaimed == "zero", first: e.First, restrictions: d.Restrictions, args: s.Forms[d.Form].Args}
	if e.Literal != nil {
		r.long, r.always, r.code = (e.Literal.Bits[1]+1)/8, e.Literal.Always, e.Literal.Code
	}
	field := func(at Field, kind int) {
		r.bits = append(r.bits, at)
		if list := s.Kinds[kind].Reserved; len(list) > 0 {
			r.reserved = append(r.reserved, check{at, list})
		}
	}
	for _, a := range r.args {
		field(a.Bits, a.Kind)
		if e.Literal != nil && slices.Contains(e.Literal.Fields, a.Name) {
			r.literal = append(r.literal, a.Bits)
		}
		for _, p := range a.Parts {
			field(p.Bits, p.Kind)
		}
	}
	return r
}

// mostTold limits the bits of a table.
const mostTold = 11

// table returns the table for the rows of a class in a variant and a stage. Layouts with priority come first, then rows
// that fix more bits.
func (s *Set) table(variant, stage, class int) *table {
	var list []int
	var fixed [128]int
	for i := range s.Rows {
		d := &s.Rows[i]
		if d.Alias || d.Private || d.Class != class || !slices.Contains(d.Variants, variant) || len(d.Stages) > 0 && !slices.Contains(d.Stages, stage) {
			continue
		}
		list = append(list, i)
		for b := range fixed {
			fixed[b] += int(d.Mask[b>>6] >> (b & 63) & 1)
		}
	}
	count := func(i int) int { return bits.OnesCount64(s.rows[i].mask[0]) + bits.OnesCount64(s.rows[i].mask[1]) }
	slices.SortStableFunc(list, func(i, j int) int {
		if a, b := s.rows[i].first, s.rows[j].first; a != b {
			return map[bool]int{true: -1, false: 1}[a]
		}
		return cmp.Compare(count(j), count(i))
	})
	t := &table{list: make([][]int, 1<<mostTold)}
	for b := range fixed {
		t.at = append(t.at, b)
	}
	slices.SortStableFunc(t.at, func(a, b int) int { return cmp.Compare(fixed[b], fixed[a]) })
	t.at = t.at[:mostTold]
	slices.Sort(t.at)
	for x := range t.list {
		for _, i := range list {
			if t.may(x, &s.rows[i]) {
				t.list[x] = append(t.list[x], i)
			}
		}
	}
	return t
}

// may reports whether words of a row can have x in the bits of the table.
func (t *table) may(x int, r *row) bool {
	for i, b := range t.at {
		if r.mask[b>>6]>>(b&63)&1 != 0 && r.match[b>>6]>>(b&63)&1 != uint64(x>>i&1) {
			return false
		}
	}
	return true
}

// key returns the bits of the table in a word.
func (t *table) key(w Word) (x int) {
	for i, b := range t.at {
		x |= int(w[b>>6]>>(b&63)&1) << i
	}
	return x
}
