package isa

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/bits"
)

// A ModeField is a field of the mode register that changes what instructions do; see ir.Machine.Mode.
type ModeField struct {
	Name   string // round, denorm
	Of     string // the type that it applies to, if several fields share a name: f32
	At     bits.Range
	Values []string // by value
	Doc    string
	Source string
}

// Text returns the field of a mode, as ParseMode reads it.
func (f *ModeField) Text(mode uint32) string {
	v := uint64(mode >> f.At.Lo & f.ones())
	value := strconv.FormatUint(v, 10)
	if v < uint64(len(f.Values)) {
		value = f.Values[v]
	}
	if f.Of == "" {
		return f.Name + "=" + value
	}
	return f.Name + "=" + f.Of + ":" + value
}

func (f *ModeField) ones() uint32 { return 1<<f.At.Len() - 1 }

func (f *ModeField) set(mode, v uint32) uint32 { return mode&^(f.ones()<<f.At.Lo) | v<<f.At.Lo }

// Others returns the modes that differ from the given one in this field alone.
func (f *ModeField) Others(mode uint32) (modes []uint32) {
	for v := range f.ones() + 1 {
		if m := f.set(mode, v); m != mode {
			modes = append(modes, m)
		}
	}
	return modes
}

// ModeText returns a mode as ParseMode reads it: all fields, separated by commas.
func (s *Set) ModeText(mode uint32) string {
	var list []string
	for i := range s.Modes {
		text := s.Modes[i].Text(mode)
		if i > 0 && s.Modes[i].Name == s.Modes[i-1].Name {
			_, text, _ = strings.Cut(text, "=")
		}
		list = append(list, text)
	}
	return strings.Join(list, ",")
}

// ParseMode reads a mode: a hexadecimal number, or fields with values, separated by commas, that change from:
// round=rtz,denorm=f32:keep. A field that exists for several types is set for all if the type is missing. A following
// one may omit the name: denorm=f32:keep,f64:flush.
func (s *Set) ParseMode(text string, from uint32) (uint32, error) {
	if v, err := strconv.ParseUint(strings.TrimPrefix(text, "0x"), 16, 32); err == nil {
		return uint32(v), nil
	}
	if len(s.Modes) == 0 {
		return 0, fmt.Errorf("mode %s: %s has no mode register with fields by name; want hexadecimal digits", text, s.Name)
	}
	name := ""
	for _, item := range strings.Split(text, ",") {
		value := strings.TrimSpace(item)
		if n, v, ok := strings.Cut(value, "="); ok {
			name, value = strings.ToLower(n), v
		}
		of, what, typed := strings.Cut(strings.ToLower(value), ":")
		if !typed {
			of, what = "", of
		}
		mode, err := s.setMode(from, name, of, what)
		if err != nil {
			return 0, fmt.Errorf("mode %s: %w", text, err)
		}
		from = mode
	}
	return from, nil
}

// setMode sets the fields of a name, or only the one of a type.
func (s *Set) setMode(mode uint32, name, of, value string) (uint32, error) {
	var names, types []string
	for i := range s.Modes {
		f := &s.Modes[i]
		if !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
		if f.Name != name {
			continue
		}
		if types = append(types, f.Of); of != "" && of != f.Of {
			continue
		}
		v := slices.Index(f.Values, value)
		if v < 0 {
			return 0, fmt.Errorf("%s has no value %q: one of %s", name, value, strings.Join(f.Values, ", "))
		}
		mode = f.set(mode, uint32(v))
		if of != "" || f.Of == "" {
			return mode, nil
		}
	}
	switch {
	case name == "":
		return 0, fmt.Errorf("NAME=VALUE is wanted, NAME one of %s", strings.Join(names, ", "))
	case len(types) == 0:
		return 0, fmt.Errorf("no field %q: one of %s", name, strings.Join(names, ", "))
	case of != "":
		return 0, fmt.Errorf("%s is not for %q: for %s", name, of, strings.Join(types, ", "))
	}
	return mode, nil
}
