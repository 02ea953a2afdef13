package jsonfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/internal/spell"
)

// mostObjects limits lists of objects without a limit of their own.
const mostObjects = 4096

// A decoder stores a value, which is part of a document, in a variable.
type decoder func(to reflect.Value, v []byte) error

// A plan is how objects are read into a struct. It is made once per type, when the first is read.
type plan struct {
	fields   []*field
	byKey    map[string]*field
	keys     []string // sorted
	all      bool     // keys that are not known are ignored
	keep     int      // the field for unknown keys, -1: none
	defaults bool
}

// A field is what a plan knows about a key, and the field of the struct that it is read into.
type field struct {
	key    string
	index  int
	bit    uint64
	read   decoder       // nil: the key is ignored
	preset reflect.Value // what it is if the key is missing; invalid: zero
	rules
}

// rules are the tags of a field.
type rules struct {
	tag        reflect.StructTag
	is         string
	prefix     string // of name, and the largest number after it
	last       int64
	one        []string
	lo, hi     int64
	bounded    bool
	most       int // -1: none
	length     int // -1: any
	unit       int64
	of         string // for errors
	need, some bool
	sets       []string // see Foreign
}

var plans sync.Map // *plan by reflect.Type

// planOf returns the plan of a struct, which does not contain itself.
func planOf(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	p := &plan{byKey: map[string]*field{}, keep: -1}
	for i := range t.NumField() {
		p.add(t.Field(i), i)
	}
	if len(p.fields) > 64 {
		panic(fmt.Sprintf("jsonfile: %v has more than 64 keys", t))
	}
	p.keys = slices.Sorted(maps.Keys(p.byKey))
	plans.Store(t, p)
	return p
}

// tagNames are the tags that a field may have.
var tagNames = []string{"json", "need", "default", "range", "one", "only", "else", "unit", "is", "name", "most", "len", "of", "by", "null", "unknown", "ignore", "sets"}

func (p *plan) add(s reflect.StructField, index int) {
	for _, part := range strings.SplitAfter(string(s.Tag), `" `) {
		if name, _, ok := strings.Cut(part, `:"`); ok && !slices.Contains(tagNames, name) {
			panic(fmt.Sprintf("jsonfile: %s has a tag %s, which says nothing", s.Name, name))
		}
	}
	for key := range strings.FieldsSeq(s.Tag.Get("ignore")) {
		if p.all = p.all || key == "*"; key != "*" {
			p.put(&field{key: key})
		}
	}
	if s.Tag.Get("unknown") == "keep" {
		p.keep = index
	}
	key := s.Tag.Get("json")
	if key == "" || key == "-" {
		return
	}
	f := &field{key: key, index: index, rules: rulesOf(s)}
	f.read = f.orNull(decoderOf(s.Type, &f.rules))
	if text, ok := s.Tag.Lookup("default"); ok {
		f.preset = reflect.New(s.Type).Elem()
		if err := decoderOf(s.Type, &rules{lo: -1 << 63, hi: 1<<63 - 1, unit: 1})(f.preset, []byte(text)); err != nil { // bounds are those of files
			panic(fmt.Sprintf("jsonfile: default of %s: %v", s.Name, err))
		}
		p.defaults = true
	}
	p.put(f)
}

func (p *plan) put(f *field) {
	f.bit = 1 << len(p.fields)
	p.fields = append(p.fields, f)
	p.byKey[f.key] = f
}

// forms are the values of the tag is.
var forms = []string{"any", "code", "file", "flag", "word", "word16", "words"}

// limits are the constants that tags may name as bounds.
var limits = map[string]int64{"BufferBytes": limit.BufferBytes, "PictureSide": limit.PictureSide}

func rulesOf(s reflect.StructField) rules {
	r := rules{tag: s.Tag, lo: -1 << 63, hi: 1<<63 - 1, most: -1, length: -1, unit: 1, of: s.Tag.Get("of"), need: s.Tag.Get("need") != "", some: s.Tag.Get("need") == "some", sets: strings.Fields(s.Tag.Get("sets"))}
	number := func(text string) int64 {
		n, named := limits[text]
		if named {
			return n
		}
		n, err := strconv.ParseInt(text, 0, 64)
		if err != nil {
			panic(fmt.Sprintf("jsonfile: tags of %s: %v", s.Name, err))
		}
		return n
	}
	if one := s.Tag.Get("one"); one != "" {
		r.one = strings.Split(one, "|")
	}
	if lo, hi, ok := strings.Cut(s.Tag.Get("range"), ".."); ok {
		r.lo, r.hi, r.bounded = number(lo), number(hi), true
	}
	if most := s.Tag.Get("most"); most != "" {
		r.most = int(number(most))
	}
	if n := s.Tag.Get("len"); n != "" {
		r.length = int(number(n))
	}
	if n := s.Tag.Get("unit"); n != "" {
		r.unit = number(n)
	}
	if prefix, last, ok := strings.Cut(s.Tag.Get("name"), " "); ok {
		r.prefix, r.last = prefix, number(last)
	}
	if r.is = s.Tag.Get("is"); r.is != "" && !slices.Contains(forms, r.is) {
		panic(fmt.Sprintf("jsonfile: %s is %q, which says nothing", s.Name, r.is))
	}
	return r
}

// suffix returns what the value is, after a word; "" if that is not known.
func (r *rules) suffix(word string) string {
	if r.of == "" {
		return ""
	}
	return word + r.of
}

// read reads an object.
func (p *plan) read(to reflect.Value, v []byte) error {
	if p.defaults {
		for _, f := range p.fields {
			if f.preset.IsValid() {
				to.Field(f.index).Set(f.preset)
			}
		}
	}
	w, err := object(v)
	if err != nil {
		return err
	}
	seen := uint64(0)
	for w.more() {
		raw := w.key()
		f := p.byKey[string(raw)]
		if f == nil && bytes.IndexByte(raw, '\\') >= 0 {
			f = p.byKey[text(raw)]
		}
		if f == nil {
			if err := p.other(to, text(raw), w.value()); err != nil {
				return err
			}
			continue
		}
		if seen&f.bit != 0 {
			return twice(f.key)
		}
		seen |= f.bit
		v := w.value()
		if f.read == nil {
			continue
		}
		if err := f.read(to.Field(f.index), v); err != nil {
			return Under(f.key, err)
		}
	}
	for _, f := range p.fields {
		if f.need && (seen&f.bit == 0 || f.some && to.Field(f.index).Len() == 0) {
			return Bad("no %s%s", f.key, f.suffix(", want "))
		}
	}
	return nil
}

// other handles a key without a field.
func (p *plan) other(to reflect.Value, key string, v []byte) error {
	if p.all {
		return nil
	}
	meant := spell.Nearest
	if p.keep >= 0 {
		meant = spell.Slip
	}
	switch near := meant(key, p.keys); {
	case near != "":
		return wrongKey(key, "unknown key; did you mean %q?", near)
	case p.keep < 0:
		return wrongKey(key, "unknown key")
	}
	kept := to.Field(p.keep)
	if kept.IsNil() {
		kept.Set(reflect.MakeMap(kept.Type()))
	}
	m := kept.Interface().(map[string]json.RawMessage)
	if _, ok := m[key]; ok {
		return twice(key)
	}
	m[key] = bytes.Clone(v)
	return nil
}

// Decode reads an object, which is part of a valid document, into a struct. The error is an *Error without a position.
func Decode(v []byte, to any) error {
	d := reflect.ValueOf(to).Elem()
	return planOf(d.Type()).read(d, v)
}

// Read reads a document into a struct, and then calls check, unless it is nil, for what tags cannot say. The error has
// a position.
func Read(doc []byte, to any, check func() error) *Error {
	doc = bytes.TrimRight(doc, " \t\r\n")
	if err := valid(doc); err != nil {
		return err
	}
	err := Decode(trimSpace(doc), to)
	if err == nil && check != nil {
		err = check()
	}
	if err == nil {
		return nil
	}
	e, ok := err.(*Error)
	if !ok {
		e = &Error{Msg: err.Error()}
	}
	e.locate(doc)
	return e
}

// Keys returns the keys of a struct, sorted.
func Keys(of any) []string { return slices.Clone(planOf(reflect.TypeOf(of)).keys) }

// Foreign returns an error, by fail, if a field has a value whose tag sets names other sets than this one.
func Foreign(of any, set string, fail func(sets []string) error) error {
	v := reflect.ValueOf(of).Elem()
	for _, f := range planOf(v.Type()).fields {
		if f.read != nil && len(f.sets) > 0 && !slices.Contains(f.sets, set) && !v.Field(f.index).IsZero() {
			return Under(f.key, fail(f.sets))
		}
	}
	return nil
}
