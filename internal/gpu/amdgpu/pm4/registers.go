package pm4

import (
	_ "embed"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Byte addresses at which the ranges of registers start that packets number in dwords.
const (
	ConfigBase  = 0x8000
	ShBase      = 0xb000
	ContextBase = 0x28000
	UconfigBase = 0x30000
)

// A Register is a register of one generation.
type Register struct {
	Name   string
	Addr   uint32  // byte address
	Fields []Field // shared: not to be changed
}

// A Field is a range of a register's bits, both ends included.
type Field struct {
	Name   string
	Lo, Hi uint8
	Values *Enum // nil where values have no names
}

// Get returns the field's value in a register's.
func (f Field) Get(v uint32) uint32 { return v >> f.Lo & f.mask() }

// Put returns the register's value with the field set to x, of which excess bits are dropped.
func (f Field) Put(v, x uint32) uint32 {
	return v&^(f.mask()<<f.Lo) | x&f.mask()<<f.Lo
}

func (f Field) mask() uint32 { return uint32(1<<(f.Hi-f.Lo+1) - 1) }

// Registers are the registers of one generation.
type Registers struct {
	rows   []Register // by address
	byName map[string]int
}

//go:embed registers.txt
var registersText string

var registers = sync.OnceValue(readRegisters)

// Table returns the registers of a generation, 6, 7 or 8, and nil for others.
func Table(gen int) *Registers {
	if g := index(gen); g >= 0 {
		return registers().of[g]
	}
	return nil
}

// A registerTable is registers.txt.
type registerTable struct {
	of    [len(generations)]*Registers
	enums [len(generations)]map[string]*Enum
}

func readRegisters() *registerTable {
	t := &registerTable{}
	for g := range t.of {
		t.of[g] = &Registers{byName: map[string]int{}}
	}
	types := map[string]string{}
	t.enums = read("registers.txt", registersText, func(r *reader, cols []string) error {
		switch {
		case cols[0] == "type" && len(cols) == 4:
			types[cols[1]] = cols[3]
			return nil
		case cols[0] == "reg" && len(cols) == 4:
			cols = append(cols, "")
		case cols[0] != "reg" || len(cols) != 5:
			return fmt.Errorf("row %q", cols[0])
		}
		fields := cols[4]
		if name, shared := strings.CutPrefix(fields, "@"); shared {
			text, ok := types[name]
			if !ok {
				return fmt.Errorf("no type %s", name)
			}
			fields = text
		}
		return r.register(&t.of, cols[1], cols[2], cols[3], fields)
	})
	for _, table := range t.of {
		slices.SortFunc(table.rows, func(a, b Register) int { return int(a.Addr) - int(b.Addr) })
		for i, r := range table.rows {
			table.byName[r.Name] = i
		}
	}
	return t
}

// register adds a row: one register, or several that are a stride apart.
func (r *reader) register(t *[len(generations)]*Registers, name, gens, addr, fields string) error {
	first, stride, _ := strings.Cut(addr, "+")
	at, err := strconv.ParseUint(first, 0, 32)
	if err != nil {
		return err
	}
	head, rest, many := strings.Cut(name, "{")
	names := []string{name}
	step := uint64(0)
	if many {
		numbers, tail, _ := strings.Cut(rest, "}")
		lo, hi, err := span(numbers)
		if err != nil {
			return err
		}
		if step, err = strconv.ParseUint(stride, 0, 32); err != nil {
			return err
		}
		names = names[:0]
		for i := lo; i <= hi; i++ {
			names = append(names, head+strconv.Itoa(int(i))+tail)
		}
	}
	var bad error
	err = r.each(gens, func(g int) {
		fs, err := r.fields(g, fields)
		if err != nil {
			bad = err
			return
		}
		for i, n := range names {
			t[g].rows = append(t[g].rows, Register{n, uint32(at + step*uint64(i)), fs})
		}
	})
	if bad != nil {
		return bad
	}
	return err
}

// fields reads NAME:LO-HI=ENUM words.
func (r *reader) fields(g int, text string) (fs []Field, err error) {
	for _, w := range strings.Fields(text) {
		name, bits, _ := strings.Cut(w, ":")
		bits, enum, has := strings.Cut(bits, "=")
		f := Field{Name: name}
		if f.Lo, f.Hi, err = span(bits); err != nil {
			return nil, err
		}
		if has {
			if f.Values = r.enums[g][enum]; f.Values == nil {
				return nil, fmt.Errorf("no enum %s", enum)
			}
		}
		fs = append(fs, f)
	}
	return fs, nil
}

// At returns the register at a byte address.
func (t *Registers) At(addr uint32) (Register, bool) {
	i, ok := slices.BinarySearchFunc(t.rows, addr, func(r Register, a uint32) int { return int(r.Addr) - int(a) })
	if !ok {
		return Register{}, false
	}
	return t.rows[i], true
}

// ByName returns the register that has a name.
func (t *Registers) ByName(name string) (Register, bool) {
	i, ok := t.byName[name]
	if !ok {
		return Register{}, false
	}
	return t.rows[i], true
}

// Name returns the name of the register at a byte address, or the address if it has none.
func (t *Registers) Name(addr uint32) string {
	if r, ok := t.At(addr); ok {
		return r.Name
	}
	return fmt.Sprintf("%#x", addr)
}

// All ranges over the registers by address.
func (t *Registers) All() iter.Seq[Register] { return slices.Values(t.rows) }

// Field returns the field that has a name.
func (r Register) Field(name string) (Field, bool) {
	for _, f := range r.Fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// Format returns the value by fields, FIELD=1 FIELD2=0x20, without those that are 0; bits of no field are BITS=0x100.
// Without fields it is the number.
func (r Register) Format(v uint32) string {
	return formatFields(r.Fields, v, " ")
}

func formatFields(fs []Field, v uint32, sep string) string {
	var b strings.Builder
	rest := v
	for _, f := range fs {
		x := f.Get(v)
		rest &^= f.mask() << f.Lo
		if x == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(sep)
		}
		b.WriteString(f.Name)
		if sep == "|" && f.Lo == f.Hi { // a flag in a list
			continue
		}
		b.WriteByte('=')
		if name := f.Values.Name(x); name != "" {
			b.WriteString(name)
		} else {
			b.WriteString(number(uint64(x)))
		}
	}
	switch {
	case v == 0 || len(fs) == 0:
		return number(uint64(v))
	case rest != 0 && b.Len() > 0:
		b.WriteString(sep)
		fallthrough
	case rest != 0:
		fmt.Fprintf(&b, "BITS=%#x", rest)
	}
	return b.String()
}

// number formats small numbers in decimal and others in hexadecimal.
func number(v uint64) string {
	if v < 10 {
		return strconv.FormatUint(v, 10)
	}
	return "0x" + strconv.FormatUint(v, 16)
}
