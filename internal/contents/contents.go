// Package contents makes the initial or expected bytes of a buffer from a short text on a command line:
//
//	zero:BYTES            zeros
//	undef:BYTES           zeros that a sanitizer takes as bytes that nothing has set
//	file:FILE, buf:FILE   the bytes of a file; - is standard input
//	TYPE:V,V[,...]        numbers
//	TYPE:zero:N           N zeros; undef likewise
//	TYPE:fill:V:N         N times the number V
//	TYPE:iota:N[:FROM[:STEP]]        FROM, FROM+STEP, ...; by default 0, 1, 2 and so on
//	TYPE:rand:SEED:N[:LOW:HIGH]      random numbers that depend only on the seed; see Random
//	TYPE:file:FILE        the bytes of a file, with their type
//
// TYPE is an element type of package elem, such as f32 or u8x4; N counts elements, whose numbers are consecutive.
// Numbers are little-endian. The contents are limited to limit.BufferBytes.
package contents

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/internal/elem"
	"github.com/heddle-gpu/heddle/internal/eval"
	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/num"
)

// Usage is the grammar in one line, for errors and help.
const Usage = "zero:BYTES, undef:BYTES, file:FILE, TYPE:V,V,..., or TYPE: followed by zero:N, undef:N, fill:V:N, iota:N[:FROM[:STEP]], rand:SEED:N[:LOW:HIGH] or file:FILE"

// A Source describes the contents of a buffer.
type Source struct {
	Type elem.Type // the zero Type if the text has none
	File string    // file with the contents; "": see Bytes
	// Unset says that nothing sets the bytes: they are 0, and of a buffer undefined.
	Unset bool
	size  int // of the contents
	fill  func(to []byte)
}

// forms are the words that may follow a type.
var forms = map[string]struct {
	usage       string
	least, most int // number of arguments
	read        func(s *Source, arg []string) error
}{
	"zero":  {"zero:N", 1, 1, func(s *Source, arg []string) error { return s.count(arg[0]) }},
	"undef": {"undef:N", 1, 1, func(s *Source, arg []string) error { s.Unset = true; return s.count(arg[0]) }},
	"fill":  {"fill:V:N", 2, 2, (*Source).repeated},
	"iota":  {"iota:N[:FROM[:STEP]]", 1, 3, (*Source).counted},
	"rand":  {"rand:SEED:N[:LOW:HIGH]", 2, 4, (*Source).random},
}

// Parse parses a text. The error says what is wrong with it; a file is not opened.
func Parse(text string) (*Source, error) {
	head, rest, ok := strings.Cut(text, ":")
	switch {
	case !ok:
		return nil, fmt.Errorf("%q: want %s", text, Usage)
	case head == "file" || head == "buf":
		return file(elem.Type{}, rest)
	case head == "zero" || head == "undef":
		n, err := strconv.ParseUint(rest, 0, 64)
		if err != nil || n == 0 || n > limit.BufferBytes {
			return nil, fmt.Errorf("%q is no number of bytes from 1 to %d", rest, limit.BufferBytes)
		}
		return &Source{size: int(n), Unset: head == "undef"}, nil
	}
	t, err := elem.ParseType(head)
	if err != nil {
		if err := Untyped(text); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%q is none of zero, undef, file, buf and a type; the types are %s", head, elem.TypeNames)
	}
	s := &Source{Type: t}
	word, args, _ := strings.Cut(rest, ":")
	form, known := forms[word]
	switch {
	case word == "file" || word == "buf":
		return file(t, args)
	case !known && args != "":
		return nil, fmt.Errorf("%s: %q is none of %s", text, word, strings.Join(append(slices.Sorted(maps.Keys(forms)), "file"), ", "))
	case !known:
		return s, s.listed(rest)
	}
	var list []string
	if args != "" {
		list = strings.Split(args, ":")
	}
	if len(list) < form.least || len(list) > form.most {
		return nil, fmt.Errorf("want %s:%s", head, form.usage)
	}
	return s, form.read(s, list)
}

// Untyped returns the error for a form without element type, iota:4; nil if the text is not such a form.
func Untyped(text string) error {
	word, _, _ := strings.Cut(text, ":")
	if _, is := forms[word]; !is {
		return nil
	}
	return fmt.Errorf("%s has no type: write f32:%s, or another type", text, text)
}

// Kind reports whether Parse accepts a text with this word before its first colon: file, buf, zero, undef or a type.
func Kind(head string) bool {
	_, err := elem.ParseType(head)
	return err == nil || untyped(head)
}

func untyped(head string) bool {
	return head == "file" || head == "buf" || head == "zero" || head == "undef"
}

// Is reports whether a text describes contents rather than one number of a type, as f32:1.5 does.
func Is(text string) bool {
	head, rest, _ := strings.Cut(text, ":")
	if !Kind(head) {
		return false
	}
	if untyped(head) {
		return true
	}
	word, _, _ := strings.Cut(rest, ":")
	_, form := forms[word]
	return form || word == "file" || word == "buf" || strings.ContainsAny(rest, ",:")
}

func file(t elem.Type, name string) (*Source, error) {
	if name == "" {
		return nil, fmt.Errorf("the name of the file is missing")
	}
	return &Source{Type: t, File: name}, nil
}

// Size returns the number of bytes of the contents of a Source without File.
func (s *Source) Size() int { return s.size }

// Fill writes the contents of a Source without File to Size bytes of zeros. It does not touch bytes that stay zero, so
// that large buffers of zeros take no memory before the guest writes them.
func (s *Source) Fill(to []byte) {
	if s.fill != nil {
		s.fill(to)
	}
}

// count parses the number of elements.
func (s *Source) count(text string) error {
	n, err := strconv.ParseUint(text, 0, 64)
	if most := uint64(limit.BufferBytes / s.Type.Size()); err != nil || n == 0 || n > most {
		return fmt.Errorf("%q is no number of elements of %s from 1 to %d", text, s.Type, most)
	}
	s.size = int(n) * s.Type.Size()
	return nil
}

// number parses one number of the type and returns its bits. Floats may be nan, inf, or bits such as 0x3f800000;
// integers may have either sign if they fit.
func (s *Source) number(text string) (uint64, error) {
	t := s.Type
	if t.Kind == elem.Float {
		v, err := eval.ParseValue(text, t.Bits, true)
		if err != nil || strings.Contains(text, ":") {
			return 0, fmt.Errorf("%q is no number of type %s", text, t)
		}
		return v.Uint64(), nil
	}
	v, ok := new(big.Int).SetString(strings.TrimSpace(text), 0)
	if !ok {
		return 0, fmt.Errorf("%q is no integer, which %s wants", text, t)
	}
	high := new(big.Int).Lsh(big.NewInt(1), uint(t.Bits))
	low := new(big.Int).Neg(new(big.Int).Rsh(high, 1))
	if v.Cmp(high) >= 0 || v.Cmp(low) < 0 {
		return 0, fmt.Errorf("%s does not fit %d bits", text, t.Bits)
	}
	return v.Mod(v, high).Uint64(), nil
}

// each sets the function that makes the numbers from their index in the buffer.
func (s *Source) each(bits func(i int) uint64) {
	size := s.Type.Bits / 8
	s.fill = func(to []byte) {
		for i := range len(to) / size {
			put(to[i*size:], size, bits(i))
		}
	}
}

func put(to []byte, size int, bits uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], bits)
	copy(to[:size], b[:])
}

// listed parses numbers separated by commas.
func (s *Source) listed(text string) error {
	var list []uint64
	for v := range strings.SplitSeq(text, ",") {
		bits, err := s.number(v)
		if err != nil {
			return err
		}
		list = append(list, bits)
	}
	if len(list)%s.Type.Lanes != 0 {
		return fmt.Errorf("%d numbers; an element of %s has %d", len(list), s.Type, s.Type.Lanes)
	}
	s.size = len(list) * s.Type.Bits / 8
	s.each(func(i int) uint64 { return list[i] })
	return nil
}

func (s *Source) repeated(arg []string) error {
	v, err := s.number(arg[0])
	if err != nil {
		return err
	}
	s.each(func(int) uint64 { return v })
	return s.count(arg[1])
}

// counted makes an arithmetic sequence. Floats are computed in float64, as FROM + the rounded product of index and
// STEP, and then rounded to nearest even to their type; integers wrap.
func (s *Source) counted(arg []string) error {
	from, step := "0", "1"
	if len(arg) > 1 {
		from = arg[1]
	}
	if len(arg) > 2 {
		step = arg[2]
	}
	if s.Type.Kind == elem.Float {
		f, err := float(from)
		g, err2 := float(step)
		if err != nil || err2 != nil {
			return fmt.Errorf("%q or %q is no number", from, step)
		}
		at := func(i int) float64 { return f + float64(float64(i)*g) }
		s.each(func(i int) uint64 { return s.round(at(i)) })
		if err := s.count(arg[0]); err != nil {
			return err
		}
		for _, v := range [...]float64{at(0), at(8*s.size/s.Type.Bits - 1)} {
			if math.IsInf(s.value(s.round(v)), 0) {
				return fmt.Errorf("iota: %v does not fit %s", v, s.Type)
			}
		}
		return nil
	}
	f, err := s.number(from)
	if err != nil {
		return err
	}
	g, err := s.number(step)
	if err != nil {
		return err
	}
	s.each(func(i int) uint64 { return f + uint64(i)*g })
	return s.count(arg[0])
}

func float(text string) (float64, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err == nil && (math.IsNaN(f) || math.IsInf(f, 0)) {
		err = strconv.ErrRange
	}
	return f, err
}

// round returns the bits of a number in the type, which is a float, rounded to nearest even.
func (s *Source) round(v float64) uint64 {
	bits := math.Float64bits(v)
	if s.Type.Bits == 64 {
		return bits
	}
	return num.FCvt(64, s.Type.Bits, num.RNE|num.ModeSet, bits)
}
