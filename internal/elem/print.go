package elem

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// lineWidth limits the characters of a line with more than one element.
const lineWidth = 100

// Text formats the elements as lines: one row or vector per line, or as many numbers as fit, a power of two. Each line
// starts with indent.
func (v *View) Text(data []byte, indent string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s:%s[%d:%d]\n", indent, v.Name, v.Type, v.From, v.To)
	numbers := v.numbers(data)
	width := 0
	for _, s := range numbers {
		width = max(width, utf8.RuneCountInString(s))
	}
	labels := len(v.label(max(v.From, v.To-1)))
	perLine := v.perLine(width, len(indent)+2+labels)
	for at := 0; at < len(numbers); at += perLine {
		fmt.Fprintf(&b, "%s  %*s", indent, labels, v.label(v.From+at/v.Type.Lanes))
		for _, s := range numbers[at:min(at+perLine, len(numbers))] {
			fmt.Fprintf(&b, "  %*s", width, s)
		}
		b.WriteByte('\n')
	}
	if left := v.All - v.To; left > 0 && !v.Bounded {
		fmt.Fprintf(&b, "%s  %d more of %d; %s:%s[%d] prints all\n", indent, left, v.All, v.Name, v.Type, v.All)
	}
	if v.Over > 0 && v.To == v.All {
		fmt.Fprintf(&b, "%s  %d bytes after the last element are not a whole one\n", indent, v.Over)
	}
	return b.String()
}

// label returns the label of the line that starts with an element.
func (v *View) label(i int) string {
	if v.Columns != 0 {
		return fmt.Sprintf("row %d", i/v.Columns)
	}
	return fmt.Sprintf("[%d]", i)
}

// perLine returns the number of numbers per line.
func (v *View) perLine(width, before int) int {
	switch {
	case v.Columns != 0:
		return v.Columns * v.Type.Lanes
	case v.Type.Lanes > 1:
		return v.Type.Lanes
	}
	n := 1
	for before+2*n*(width+2) <= lineWidth && n < 32 {
		n *= 2
	}
	return n
}

// numbers formats all numbers of the view.
func (v *View) numbers(data []byte) []string {
	t, step := v.Type.number(), v.Type.Bits/8
	list := make([]string, 0, v.Len()*v.Type.Lanes)
	for at := v.From * v.Type.Size(); at < v.To*v.Type.Size(); at += step {
		list = append(list, t.text(t.load(data[at:])))
	}
	return list
}

// JSON returns the elements as an array of numbers, with vectors and rows as nested arrays. Values that JSON has no
// number for are strings.
func (v *View) JSON(data []byte) []byte {
	var b bytes.Buffer
	t, step := v.Type.number(), v.Type.Bits/8
	b.WriteByte('[')
	for i := v.From; i < v.To; i++ {
		at := i - v.From
		if at > 0 {
			b.WriteByte(',')
		}
		if v.Columns != 0 && at%v.Columns == 0 {
			b.WriteByte('[')
		}
		if v.Type.Lanes > 1 {
			b.WriteByte('[')
		}
		for k := range v.Type.Lanes {
			if k > 0 {
				b.WriteByte(',')
			}
			b.WriteString(t.json(t.load(data[i*v.Type.Size()+k*step:])))
		}
		if v.Type.Lanes > 1 {
			b.WriteByte(']')
		}
		if v.Columns != 0 && at%v.Columns == v.Columns-1 {
			b.WriteByte(']')
		}
	}
	b.WriteByte(']')
	return b.Bytes()
}
