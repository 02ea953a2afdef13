package elem

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Spec selects elements of a buffer: out, out:f32, out:f32[8], out:f32[4:8], out:u8x4[16x16], out[8].
type Spec struct {
	Name string
	Type Type // the zero Type: that of the buffer
	// From and To are the bounds of the elements, if Bounded is set; To is openEnd if there is no upper bound.
	From, To int
	Bounded  bool
	Columns  int // elements per row, if rows are given; else 0
}

// openEnd stands for a missing upper bound.
const openEnd = -1

// ParseSpec reads NAME[:TYPE], optionally followed by [N], [FROM:TO] or [ROWSxCOLUMNS].
func ParseSpec(text string) (s Spec, err error) {
	s.To = openEnd
	rest := text
	if body, ok := strings.CutSuffix(text, "]"); ok {
		at := strings.LastIndexByte(body, '[')
		if at < 0 {
			return s, errors.New("] without [")
		}
		if err := s.bounds(body[at+1:]); err != nil {
			return s, err
		}
		rest = body[:at]
	}
	name, typ, typed := strings.Cut(rest, ":")
	if strings.LastIndexByte(rest, '[') > strings.LastIndexByte(rest, ']') {
		return s, errors.New("[ without ]")
	}
	if s.Name = name; name == "" {
		return s, errors.New("want NAME[:TYPE], with [N], [FROM:TO] or [ROWSxCOLUMNS] after it")
	}
	if typed {
		s.Type, err = ParseType(typ)
	}
	return s, err
}

// bounds parses the text between brackets.
func (s *Spec) bounds(text string) error {
	s.Bounded = true
	ok := true
	bound := func(text string) int {
		v, err := strconv.ParseUint(text, 10, 40)
		ok = ok && err == nil
		return int(v)
	}
	from, to, isRange := strings.Cut(text, ":")
	rows, columns, isGrid := strings.Cut(text, "x")
	switch {
	case isRange:
		if s.From = bound(from); to != "" {
			s.To = bound(to)
		}
	case isGrid:
		s.Columns = bound(columns)
		s.To = bound(rows) * min(s.Columns, 1<<20)
		if ok && (s.Columns == 0 || s.Columns > 1<<20) {
			return fmt.Errorf("[%s]: rows of 1 to %d elements", text, 1<<20)
		}
	default:
		s.To = bound(text)
	}
	if !ok {
		return fmt.Errorf("[%s]: want [N], [FROM:TO] or [ROWSxCOLUMNS]", text)
	}
	if s.To != openEnd && s.From > s.To {
		return fmt.Errorf("[%s] ends before it starts", text)
	}
	return nil
}

// mostPrinted limits the numbers taken from a buffer by default.
const mostPrinted = 256

// Of returns the selected elements of a buffer of so many bytes; known is its element type, possibly unknown. most
// limits the elements if there are no bounds.
func (s *Spec) Of(known Type, bytes int, most bool) (v View, err error) {
	v.Spec = *s
	if !v.Type.Known() {
		v.Type = known
	}
	if !v.Type.Known() {
		return v, fmt.Errorf("the type of %s is not known; give it, as in %s:f32. There are %s", s.Name, s.Name, TypeNames)
	}
	v.All = bytes / v.Type.Size()
	v.Over = bytes % v.Type.Size()
	if v.To == openEnd {
		v.To = v.All
	}
	if v.To > v.All || v.From > v.All {
		return v, fmt.Errorf("%s ends at %d: it has %d bytes, elements of %s; %d is past its end", s.Name, v.All, bytes, v.Type, max(v.To, v.From))
	}
	if limit := mostPrinted / v.Type.Lanes; most && !s.Bounded && v.To-v.From > limit {
		v.To = v.From + limit
	}
	return v, nil
}

// A View is elements of a buffer of known size.
type View struct {
	Spec
	All  int // number of elements in the buffer
	Over int // bytes after the last element
}

// Len returns the number of selected elements.
func (v *View) Len() int { return v.To - v.From }

// Curve returns a function that gives a component of the elements by their index in the view, from the bytes of the
// buffer.
func (v *View) Curve(data []byte, lane int) func(i int) float64 {
	size, at := v.Type.Size(), v.From*v.Type.Size()+lane*v.Type.Bits/8
	t := v.Type.number()
	return func(i int) float64 { return t.Value(data[at+i*size:]) }
}
