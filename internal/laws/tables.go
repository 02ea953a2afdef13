package laws

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Tables checks the rows themselves: no two match the same word unless one has priority, each bit is claimed once, and
// every column is valid.
func Tables(t testing.TB, s *isa.Set) {
	each(s, func(tg *isa.Target) {
		for _, o := range s.Overlaps(tg.Variant, tg.Stage) {
			t.Errorf("%s: one word matches %s", tg, o)
		}
	})
	for i := range s.Defs {
		d := &s.Defs[i]
		claims(t, d)
		columns(t, s, d)
		for j := range d.Args {
			a := &d.Args[j]
			kind(t, d, a)
			for k := range a.Parts {
				part(t, d, a, &a.Parts[k])
			}
		}
	}
}

// claims compares the number of bits that the row declares with those that the compiled row claims.
func claims(t testing.TB, d *isa.Def) {
	n := d.Mask().Count()
	shared := map[string]bool{}
	for j := range d.Args {
		a := &d.Args[j]
		n += a.At.Len()
		for k := range a.Parts {
			p := &a.Parts[k]
			if p.Shared && shared[p.Name] {
				continue
			}
			shared[p.Name] = p.Shared
			n += p.At.Len()
		}
	}
	if n != d.Claimed().Count() {
		t.Errorf("%s: %d bits in fields and fixed, %d claimed: one is claimed twice", rowName(d), n, d.Claimed().Count())
	}
	if !d.Value().AndNot(d.Mask()).IsZero() || !d.Claimed().AndNot(bits.Low(d.Enc.Bits)).IsZero() {
		t.Errorf("%s: bits outside the word", rowName(d))
	}
}

func columns(t testing.TB, s *isa.Set, d *isa.Def) {
	switch {
	case d.Meaning == nil && d.Lack == isa.LackNone:
		t.Errorf("%s: no meaning, and the row does not say why", rowName(d))
	case d.Meaning != nil && d.Lack != isa.LackNone:
		t.Errorf("%s: a meaning, and a reason why there is none", rowName(d))
	case d.Meaning != nil && (d.Fidelity == ir.FidelityUnset || d.Fidelity == ir.NotRunnable):
		t.Errorf("%s: a meaning of fidelity %s", rowName(d), d.Fidelity)
	case d.Fidelity == ir.Modelled && len(d.Options) == 0:
		t.Errorf("%s: modelled, but no option is named", rowName(d))
	}
	for _, o := range d.Options {
		if !hasOption(s, o) {
			t.Errorf("%s: no option %q is declared", rowName(d), o)
		}
	}
	for _, c := range []byte(d.Name) {
		if c <= ' ' || c == ',' || c > '~' {
			t.Errorf("%s: %q in a mnemonic", rowName(d), c)
		}
	}
}

func hasOption(s *isa.Set, name string) bool {
	for i := range s.Options {
		if s.Options[i].Name == name {
			return true
		}
	}
	return false
}

// kind checks that an operand can be printed and parsed for all values of its field.
func kind(t testing.TB, d *isa.Def, a *isa.Arg) {
	k, n := a.Kind, a.At.Len()
	if k.Parse == nil && k.Spell == nil && a.Place != isa.Hidden {
		t.Errorf("%s: %s cannot be parsed", rowName(d), a.Name)
	}
	if n < 16 && len(k.Table) > 1<<n || n < 16 && len(k.Reserved) > 1<<n {
		t.Errorf("%s: %s: a table longer than the field's %d bits allow", rowName(d), a.Name, n)
	}
	if k.Text != nil || a.Place != isa.Operand || n == 0 {
		return
	}
	for v := uint64(0); v < 1<<min(n, 16); v++ {
		if (v >= uint64(len(k.Table)) || k.Table[v] == "") && !reserved(k, v) {
			t.Errorf("%s: %s: no text for the value 0x%x, and it is not reserved", rowName(d), a.Name, v)
			return
		}
	}
}

// part checks that a part with text can be printed and parsed.
func part(t testing.TB, d *isa.Def, a *isa.Arg, p *isa.Part) {
	k := p.Kind
	if p.Side != isa.Silent && k.Parse == nil && k.Spell == nil {
		t.Errorf("%s: %s.%s cannot be parsed", rowName(d), a.Name, p.Name)
	}
	for _, sp := range k.Spell {
		if sp.Value > bits.Ones(p.At.Len()) && len(p.At) > 0 || sp.Text == "" {
			t.Errorf("%s: %s.%s: spelling %q of a value that does not fit", rowName(d), a.Name, p.Name, sp.Text)
		}
		if (sp.Close != "") && (p.Side == isa.Before || p.Side == isa.After) {
			t.Errorf("%s: %s.%s: spelling %q closes, but the part does not stand around its operand", rowName(d), a.Name, p.Name, sp.Text)
		}
	}
}

// Allocs checks that decoding, printing and encoding into given memory do not allocate.
func Allocs(t testing.TB, s *isa.Set, o Options) {
	var b isa.Bundle
	buf, out := make([]byte, 0, 4096), make([]byte, 0, 4096)
	eachText(t, s, func(tg *isa.Target) {
		if slices.Contains(o.Loose, tg.Dialect) {
			return
		}
		c := newChecker(t, tg, &Report{})
		for i := range s.Defs {
			d := &s.Defs[i]
			if d.Private || d.Alias || !in(d, tg) {
				continue
			}
			for _, w := range Words(tg, d, Options{Seed: o.Seed, Words: 3}) {
				code := c.complete(w)
				if code == nil || tg.DecodeBundle(code, 0, &b) != nil {
					continue
				}
				whole := func() {
					_ = tg.DecodeBundle(code, 0, &b)
					buf = tg.Print(buf[:0], &b)
					out, _ = b.Encode(out[:0])
				}
				n := testing.AllocsPerRun(1, whole)
				if n != 0 { // the runtime may have allocated at the same time; ten runs in a row exclude that
					n = testing.AllocsPerRun(10, whole)
				}
				if n != 0 {
					t.Errorf("%s: %s: decode, print and encode allocate %v times", s.Name, buf, n)
				}
			}
		}
	})
}

// FuzzWord checks the laws of one word on arbitrary bytes.
func FuzzWord(t testing.TB, tg *isa.Target, code []byte) {
	code = code[:len(code):len(code)]
	c := newChecker(t, tg, &Report{})
	err := c.tg.DecodeBundle(code, 0, &c.b)
	if err != nil {
		var e *isa.Error
		if !errors.As(err, &e) || e.Code == "" || e.Msg == "" {
			c.errorf(code, "error %#v is no isa.Error with code and text", err)
		}
		return
	}
	if c.b.Size() > len(code) {
		c.errorf(code, "decodes to %d bytes", c.b.Size())
		return
	}
	c.bundle(code[:c.b.Size()])
	c.lift(0)
}

// FuzzText checks that arbitrary text gives an error, or an instruction whose printed text parses to the same
// instruction.
func FuzzText(t testing.TB, tg *isa.Target, text string) {
	c := newChecker(t, tg, &Report{})
	if err := tg.Parse(text, 0, &c.b); err != nil {
		var e *isa.Error
		if !errors.As(err, &e) || e.Code == "" || e.Msg == "" || e.Col < 1 || e.Col > len(text)+1 {
			t.Errorf("%s: %q: error %#v is no isa.Error with code, text and place", tg, text, err)
		}
		return
	}
	printed := c.print(&c.b)
	c.canonical(nil, printed)
	c.parseBack(nil, printed)
	first, err1 := c.canon.Encode(nil) // text may set bits, as a number, that the canonical text omits
	second, err2 := c.back.Encode(nil)
	if !sameRows(&c.canon, &c.back) {
		return // another encoding with the same text
	}
	if !bytes.Equal(first, second) || (err1 == nil) != (err2 == nil) {
		t.Errorf("%s: %q is %x, but its print %q is %x", tg, text, first, printed, second)
	}
}
