package laws

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/internal/toy"
	"github.com/heddle-gpu/heddle/internal/toygroup"
	"github.com/heddle-gpu/heddle/internal/toyvec"
	"github.com/heddle-gpu/heddle/internal/toywarp"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// recorder records the failures of a check.
type recorder struct {
	testing.TB
	msgs []string
}

func (r *recorder) Helper()                   {}
func (r *recorder) Errorf(f string, a ...any) { r.msgs = append(r.msgs, fmt.Sprintf(f, a...)) }

// def returns the row with a name in an encoding.
func def(a *isa.Arch, name, enc string) *isa.Def {
	for i := range a.Defs {
		if d := &a.Defs[i]; d.Name == name && d.Enc.Name == enc {
			return d
		}
	}
	panic("no " + name)
}

// kindOf replaces the kind of an operand by a changed copy.
func kindOf(d *isa.Def, arg string, change func(k *isa.Kind)) {
	args := append([]isa.Arg{}, d.Args...)
	d.Args = args
	for i := range args {
		if args[i].Name == arg {
			for _, f := range d.Enc.Fields {
				if f.Name == arg {
					k := *f.Kind
					change(&k)
					args[i].Kind, args[i].At = &k, f.At
				}
			}
		}
	}
}

// faults are mistakes in a table, by the message of the law.
var faults = map[string]func(a *isa.Arch){
	"one word matches add (calc) and add.sat (calc)": func(a *isa.Arch) { def(a, "add.sat", "calc").Op = 1 },
	"no meaning, and the row does not say why":       func(a *isa.Arch) { def(a, "old", "calc").Lack = isa.LackNone },
	"a meaning of fidelity unset":                    func(a *isa.Arch) { def(a, "add", "calc").Fidelity = ir.FidelityUnset },
	"modelled, but no option":                        func(a *isa.Arch) { def(a, "add", "calc").Fidelity = ir.Modelled },
	`no option "none" is declared`:                   func(a *isa.Arch) { def(a, "add", "calc").Options = []string{"none"} },
	"no text for the value 0xf":                      func(a *isa.Arch) { kindOf(def(a, "add", "calc"), "a", func(k *isa.Kind) { k.Table = k.Table[:15] }) },
	"which does not parse": func(a *isa.Arch) {
		kindOf(def(a, "add", "calc"), "a", func(k *isa.Kind) { k.Table = append([]string{"zero"}, k.Table[1:]...) })
	},
	`which parses as "`: func(a *isa.Arch) {
		kindOf(def(a, "add", "calc"), "a", func(k *isa.Kind) { k.Table = append([]string{"r1"}, k.Table[1:]...) })
	},
	"decode, print and encode allocate": func(a *isa.Arch) {
		kindOf(def(a, "mov", "move"), "a", func(k *isa.Kind) {
			table := k.Table
			k.Table, k.Text = nil, func(_ isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
				return append(dst, fmt.Sprint(table[v])...)
			}
		})
	},
	"panic: ir:": func(a *isa.Arch) {
		def(a, "add", "calc").Meaning = isa.Effect(func(l *isa.Lift) { l.Dst(0, l.Src(0).FAdd(l.Src(1))) })
	},
	"[commit]": func(a *isa.Arch) {
		def(a, "mov", "move").Meaning = isa.Effect(func(l *isa.Lift) {
			l.Builder.Set(ir.Cell{}, l.I32(0), l.Exec())
			l.Dst(0, l.Get(ir.Cell{Index: 1}, ir.I32))
		})
	},
	"by the operands' roles": func(a *isa.Arch) {
		def(a, "mov", "move").Meaning = isa.Effect(func(l *isa.Lift) { l.Dst(0, l.Get(ir.Cell{Index: 1}, ir.I32)) })
	},
	"every word of add (calc) traps": func(a *isa.Arch) {
		def(a, "add", "calc").Meaning = isa.Effect(func(l *isa.Lift) { l.Fail(ir.TrapUndefined, "x") })
	},
	"decodes as": func(a *isa.Arch) {
		e := *def(a, "mul", "calc").Enc
		e.First, e.Fields = false, append([]isa.Field{}, e.Fields...)
		d := def(a, "mul", "calc")
		d.Enc, d.Op = &e, 1
	},
	"lifts to another thing behind": func(a *isa.Arch) {
		n := uint32(0)
		def(a, "lane", "calc").Meaning = isa.Effect(func(l *isa.Lift) {
			n++
			l.Dst(0, l.I32(n))
		})
	},
	"prints as": func(a *isa.Arch) {
		join := a.Group.Join
		a.Group.Join = func(p isa.Printer, dst []byte, b *isa.Bundle) []byte {
			return bits.Word{Lo: b.Parts[0].Res().Lo | 0x2020}.Append(join(p, dst, b), 1)
		}
	},
}

// TestLawsFind: each law finds its fault.
func TestLawsFind(t *testing.T) {
	for want, breaks := range faults {
		a := toy.Arch()
		breaks(a)
		s, err := isa.Compile(a)
		if err != nil {
			t.Errorf("%q: %v", want, err)
			continue
		}
		r := &recorder{TB: t}
		Tables(r, s)
		Rows(r, s, Options{})
		Truncated(r, s, Options{})
		Pure(r, s, Options{})
		Lifts(r, s, Options{})
		Roles(r, s, Options{})
		Allocs(r, s, Options{})
		RandomBytes(r, s, Options{})
		if !strings.Contains(strings.Join(r.msgs, "\n"), want) {
			t.Errorf("%q is not found among %d: %.300s", want, len(r.msgs), strings.Join(r.msgs, "\n"))
		}
	}
}

// groupFaults are mistakes in a set with groups, by the message of the law.
var groupFaults = map[string]func(a *isa.Arch){
	"the sample of mov (sum)": func(a *isa.Arch) {
		a.Group.Pad = func(dst []byte, n int) []byte { return append(dst, make([]byte, n)...) }
	},
	"has line ends or blanks around it": func(a *isa.Arch) {
		join := a.Group.Join
		a.Group.Join = func(p isa.Printer, dst []byte, b *isa.Bundle) []byte { return append(join(p, dst, b), "\npad 2"...) }
	},
	"which is another group, or none": func(a *isa.Arch) {
		parse := a.Group.Parse
		a.Group.Parse = func(s *isa.Scan, b *isa.Bundle) error {
			err := parse(s, b)
			b.Pad = 0
			return err
		}
	},
	"by the operands' roles": func(a *isa.Arch) {
		d := def(a, "src", "source")
		d.Args = append([]isa.Arg{}, d.Args...)
		d.Args[0].Role = isa.Define
	},
	"text only": func(a *isa.Arch) { // on a row without encoding
		def(a, "rev", "text only").Meaning = isa.Effect(func(l *isa.Lift) { l.Set(ir.Cell{}, l.I32(1), l.I1(true)) })
	},
	"lifts to another thing behind": func(a *isa.Arch) {
		n := 0
		start := a.Start
		a.Start = func(l *isa.Lift) { n++; start(l) }
		def(a, "lane", "sum").Meaning = isa.Effect(func(l *isa.Lift) { l.Dst(0, l.I32(uint32(n))) })
	},
}

// TestLawsFindInGroups: each law finds its fault in groups, too.
func TestLawsFindInGroups(t *testing.T) {
	for want, breaks := range groupFaults {
		a := toygroup.Arch()
		breaks(a)
		s, err := isa.Compile(a)
		if err != nil {
			t.Errorf("%q: %v", want, err)
			continue
		}
		r := &recorder{TB: t}
		Rows(r, s, Options{})
		Truncated(r, s, Options{})
		Pure(r, s, Options{})
		Lifts(r, s, Options{})
		Roles(r, s, Options{})
		Lanes(r, s, RunOptions{Ignores: map[string]string{"main": ".all"}})
		if !strings.Contains(strings.Join(r.msgs, "\n"), want) {
			t.Errorf("%q is not found among %d: %.300s", want, len(r.msgs), strings.Join(r.msgs, "\n"))
		}
	}
}

// TestAnywhere: text that depends on its address is found.
func TestAnywhere(t *testing.T) {
	a := toyvec.Arch()
	for i := range a.Defs {
		d := &a.Defs[i]
		if j := slices.IndexFunc(d.Args, func(a isa.Arg) bool { return a.Name == "d" }); j >= 0 && d.Args[j].Kind == nil {
			kindOf(d, "d", func(k *isa.Kind) {
				table := k.Table
				k.Table, k.Text = nil, func(_ isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, v uint64) []byte {
					return append(dst, table[(v+in.Addr>>6)&63]...)
				}
			})
			break
		}
	}
	s, err := isa.Compile(a)
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{TB: t}
	Rows(r, s, Options{})
	if !strings.Contains(strings.Join(r.msgs, "\n"), "it is no branch") {
		t.Errorf("not found among %d: %.300s", len(r.msgs), strings.Join(r.msgs, "\n"))
	}
}

// TestOptimised: rows of the toys do the same in optimised blocks, and a wrong rewrite is found.
func TestOptimised(t *testing.T) {
	for _, s := range []*isa.Set{toy.Set(), toywarp.Set(), toyvec.Set(), toygroup.Set()} {
		if n := Optimised(t, s, RunOptions{}); n < 60 {
			t.Errorf("%s: %d runs", s.Name, n)
		}
	}
	r := &recorder{TB: t}
	rewritten(r, toygroup.Set(), RunOptions{}, func(_ *ir.Machine, b *ir.Block) *ir.Block {
		c := b.Compact()
		for i := range c.Ops {
			if c.Ops[i].Op == ir.INeg {
				c.Ops[i].Op = ir.Not
			}
		}
		return c
	})
	if !strings.Contains(strings.Join(r.msgs, "\n"), "optimised leaves") {
		t.Errorf("a rewrite of neg into not is not found: %.300s", strings.Join(r.msgs, "\n"))
	}
}

// TestWords: words of a row have all values of small fields, and sometimes the destination equal to a source.
func TestWords(t *testing.T) {
	s := toy.Set()
	d := s.Rows("add")[0]
	seen := map[uint64]bool{}
	same := 0
	for _, w := range Words(s.At(0, 0), d, Options{}) {
		seen[d.Find("a").Get(w.Bits)] = true
		if d.Find("a").Get(w.Bits) == d.Find("d").Get(w.Bits) && d.Find("b").Get(w.Bits) == d.Find("d").Get(w.Bits) {
			same++
		}
	}
	if len(seen) != 16 || same < 4 {
		t.Errorf("%d values of a, %d words with all registers the same", len(seen), same)
	}
}

// TestLanes: the rows of the toy affect only the lanes of their mask, and rows that do not are found.
func TestLanes(t *testing.T) {
	if n := Lanes(t, toy.Set(), RunOptions{}); n < 40 {
		t.Errorf("%d runs", n)
	}
	if n := Lanes(t, toyvec.Set(), RunOptions{}); n < 100 {
		t.Errorf("%d runs", n)
	}
	all := func(l *isa.Lift) ir.V { return l.I1(true) }
	at := func(l *isa.Lift) ir.V { return l.LaneID().Shl(l.I32(2)) }
	word := ir.Mem{Space: ir.GlobalSpace, Elem: 4, Count: 1}
	for want, meaning := range map[string]isa.Effect{
		"which is not active, changes":                             func(l *isa.Lift) { l.Builder.Set(ir.Cell{}, l.I32(0x12345), all(l)) },
		"with an empty execution mask 16 bytes were read":          func(l *isa.Lift) { l.Load(word, ir.I32, at(l), all(l)) },
		"with an empty execution mask 0 bytes were read and 16 wr": func(l *isa.Lift) { l.Store(word, at(l), []ir.V{l.LaneID()}, all(l)) },
	} {
		a := toy.Arch()
		def(a, "mov", "move").Meaning = meaning
		s, err := isa.Compile(a)
		if err != nil {
			t.Fatal(err)
		}
		r := &recorder{TB: t}
		Lanes(r, s, RunOptions{})
		if !strings.Contains(strings.Join(r.msgs, "\n"), want) {
			t.Errorf("%q is not found among %d: %.300s", want, len(r.msgs), strings.Join(r.msgs, "\n"))
		}
	}
}
