package pm4

import (
	"fmt"
	"strconv"
	"strings"
)

// An Enum has the names of values of a field.
type Enum struct {
	Title string
	names map[uint32]string
}

// Name returns the name of a value, or "".
func (e *Enum) Name(v uint32) string {
	if e == nil {
		return ""
	}
	return e.names[v]
}

// Value returns the value that has a name.
func (e *Enum) Value(name string) (uint32, bool) {
	if e != nil {
		for v, n := range e.names {
			if n == name {
				return v, true
			}
		}
	}
	return 0, false
}

// generations are those that the tables have, as digits.
const generations = "678"

// A reader reads a table of text: lines of columns separated by tabs, the kind of row first.
type reader struct {
	file  string
	line  int
	enums [len(generations)]map[string]*Enum
}

// read calls row for each row that is not an enum, with its columns. It returns the enums of each generation.
func read(file, text string, row func(r *reader, cols []string) error) [len(generations)]map[string]*Enum {
	r := &reader{file: file}
	for i := range r.enums {
		r.enums[i] = map[string]*Enum{}
	}
	for text != "" {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		r.line++
		if line == "" || line[0] == '#' {
			continue
		}
		cols := strings.Split(line, "\t")
		err := error(nil)
		switch {
		case len(cols) < 3:
			err = fmt.Errorf("%d columns", len(cols))
		case cols[0] == "enum":
			err = r.enum(cols)
		default:
			err = row(r, cols)
		}
		if err != nil { // the tables are part of the program
			panic(fmt.Sprintf("pm4: %s:%d: %v", file, r.line, err))
		}
	}
	return r.enums
}

// enum reads a row of names.
func (r *reader) enum(cols []string) error {
	if len(cols) != 4 {
		return fmt.Errorf("%d columns", len(cols))
	}
	e := &Enum{Title: cols[1], names: map[uint32]string{}}
	next := uint64(0)
	for _, w := range strings.Fields(cols[3]) {
		name, v, has := strings.Cut(w, "=")
		if has {
			var err error
			if next, err = strconv.ParseUint(v, 0, 32); err != nil {
				return err
			}
		}
		e.names[uint32(next)] = name
		next++
	}
	return r.each(cols[2], func(g int) { r.enums[g][e.Title] = e })
}

// each calls f with the index of each generation of a column.
func (r *reader) each(gens string, f func(g int)) error {
	if gens == "" {
		return fmt.Errorf("no generation")
	}
	for _, c := range gens {
		g := strings.IndexRune(generations, c)
		if g < 0 {
			return fmt.Errorf("generation %q", c)
		}
		f(g)
	}
	return nil
}

// span reads LO-HI or BIT.
func span(s string) (lo, hi uint8, err error) {
	first, last, has := strings.Cut(s, "-")
	l, err := strconv.ParseUint(first, 10, 8)
	if err != nil {
		return 0, 0, err
	}
	h := l
	if has {
		if h, err = strconv.ParseUint(last, 10, 8); err != nil {
			return 0, 0, err
		}
	}
	if l > h || h > 31 {
		return 0, 0, fmt.Errorf("bits %s", s)
	}
	return uint8(l), uint8(h), nil
}

// index returns the index of a generation in tables, or -1.
func index(gen int) int {
	if gen < 0 || gen > 9 {
		return -1
	}
	return strings.IndexByte(generations, '0'+byte(gen))
}
