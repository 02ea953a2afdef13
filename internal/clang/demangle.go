package clang

import (
	"fmt"
	"slices"
	"strings"
)

// demangle returns a function as in the source: _Z3powDv2_fS_ is pow(float2, float2). If it cannot parse the types, it
// returns only the name. Source: Itanium C++ ABI, mangling, as far as symbols of OpenCL C use it.
func demangle(symbol string) string {
	name := baseName(symbol)
	if name == symbol {
		return symbol
	}
	at := strings.Index(symbol, name) + len(name)
	d := &demangler{rest: symbol[at:]}
	var args []string
	for d.rest != "" {
		t := d.typ()
		if d.bad {
			return name
		}
		if t != "void" || len(args) > 0 {
			args = append(args, t)
		}
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

type demangler struct {
	rest  string
	seen  []string // what S_, S0_ and so on refer to
	depth int
	bad   bool
}

// mangledTypes are the types of one or two letters.
var mangledTypes = []struct{ letters, name string }{
	{"Dh", "half"}, {"v", "void"}, {"b", "bool"}, {"c", "char"}, {"a", "char"}, {"h", "uchar"}, {"s", "short"}, {"t", "ushort"}, {"i", "int"}, {"j", "uint"},
	{"l", "long"}, {"m", "ulong"}, {"x", "long"}, {"y", "ulong"}, {"f", "float"}, {"d", "double"},
}

// mangledSpaces are the address spaces by their number in the instruction set.
var mangledSpaces = [...]struct{ mangled, name string }{{"AS0", "generic "}, {"AS1", "global "}, {"AS3", "local "}, {"AS4", "constant "}, {"AS5", "private "}}

// typ parses a type.
func (d *demangler) typ() string {
	if d.depth++; d.depth > 32 {
		d.bad = true
		return ""
	}
	defer func() { d.depth-- }()
	switch {
	case d.take("P"):
		return d.keep(d.typ() + "*")
	case d.next("U"), d.next("V"), d.next("K"):
		return d.keep(d.qualifiers() + d.typ())
	case d.take("Dv"):
		n := d.number()
		d.bad = d.bad || !d.take("_")
		return d.keep(fmt.Sprint(d.typ(), n))
	case d.take("S"):
		return d.substitution()
	}
	if d.rest != "" && d.rest[0] >= '0' && d.rest[0] <= '9' {
		return d.keep(strings.TrimPrefix(d.word(), "ocl_"))
	}
	for _, t := range mangledTypes {
		if d.take(t.letters) {
			return t.name
		}
	}
	d.bad = true
	return ""
}

// qualifiers parses qualifiers before a type. For S_ and similar, qualifiers and type count as one.
func (d *demangler) qualifiers() (words string) {
	for d.take("U") {
		q := d.word()
		if q == "_Atomic" { // a type of its own
			return words + "atomic "
		}
		i := slices.IndexFunc(mangledSpaces[:], func(s struct{ mangled, name string }) bool { return s.mangled == q })
		if i < 0 {
			d.bad = true
			return ""
		}
		words += mangledSpaces[i].name
	}
	if d.take("V") {
		words += "volatile "
	}
	if d.take("K") {
		words += "const "
	}
	return words
}

func (d *demangler) next(s string) bool { return strings.HasPrefix(d.rest, s) }

func (d *demangler) take(s string) (ok bool) {
	d.rest, ok = strings.CutPrefix(d.rest, s)
	return ok
}

func (d *demangler) keep(t string) string {
	d.seen = append(d.seen, t)
	return t
}

func (d *demangler) number() (n int) {
	for d.rest != "" && d.rest[0] >= '0' && d.rest[0] <= '9' && n < 1<<16 {
		n, d.rest = 10*n+int(d.rest[0]-'0'), d.rest[1:]
	}
	return n
}

// word parses a name with its length before it.
func (d *demangler) word() string {
	n := d.number()
	if n == 0 || n > len(d.rest) {
		d.bad = true
		return ""
	}
	w := d.rest[:n]
	d.rest = d.rest[n:]
	return w
}

// substitution parses what follows S: _ is the first, 0_ the second.
func (d *demangler) substitution() string {
	i := 0
	if !strings.HasPrefix(d.rest, "_") {
		i = d.number() + 1
	}
	if !d.take("_") || i >= len(d.seen) {
		d.bad = true
		return ""
	}
	return d.seen[i]
}
