package ir

import (
	"fmt"
	"strings"
	"sync"
)

// A Slot is one operand or result of a type rule. A rule of the op table is two lists of tokens:
//
//	s    integer of 8 to 64 bits      k  the same or i1       h  float       t  any type
//	i    s, or packed integers        b  k, or packed integers               f  h, or packed floats
//	j    a second integer type        g  a second float type  u  a second type of any kind
//	c    what comparing gives: i1, or for packed operands a mask of each element (Type.Cond)
//	i32  that type
//
// Equal letters stand for equal types; the letters of the first two lines all name the op's Type. An op
// on i, b or f does to each element of a packed type what its row says of one value: see [Inst.Meaning].
// A suffix w asks for a value that is one per wave, v for one per lane; ? marks an operand that may be
// missing (the mask of an op that runs once per wave); * stands for as many values as the op has elements.
type Slot struct {
	Letter byte // as above, or 0: the type Type
	Type   Type
	Side   byte // 'w', 'v' or 0
	Opt    bool
	Rep    bool
}

// A rule is a parsed type rule.
type rule struct {
	args, res []Slot
	text      string
}

// Slots returns the operands and results of the op's type rule. The caller must not change them.
func (o Op) Slots() (args, res []Slot) {
	r := o.rule()
	return r.args, r.res
}

// rules are the rules of the op table, parsed on first use.
var rules struct {
	once sync.Once
	of   [numOps]rule
}

func (o Op) rule() *rule {
	rules.once.Do(compileRules)
	return &rules.of[o]
}

func compileRules() {
	for op := range rules.of {
		r, err := parseRule(ops[op].Rule)
		if err != nil {
			panic("ir: " + ops[op].Name + ": " + err.Error())
		}
		rules.of[op] = r
	}
}

func parseRule(s string) (rule, error) {
	left, right, ok := strings.Cut(s, "->")
	if !ok {
		return rule{}, fmt.Errorf("rule %q has no ->", s)
	}
	r := rule{text: s}
	for _, side := range []struct {
		text string
		to   *[]Slot
	}{{left, &r.args}, {right, &r.res}} {
		for _, tok := range strings.Fields(side.text) {
			sl, err := parseSlot(tok)
			if err != nil {
				return rule{}, err
			}
			*side.to = append(*side.to, sl)
		}
	}
	return r, nil
}

func parseSlot(tok string) (Slot, error) {
	s := Slot{}
	t := strings.TrimSuffix(tok, "?")
	s.Opt = t != tok
	tok = t
	t = strings.TrimSuffix(tok, "*")
	s.Rep = t != tok
	if n := len(t); n > 1 && (t[n-1] == 'w' || t[n-1] == 'v') {
		s.Side, t = t[n-1], t[:n-1]
	}
	if len(t) == 1 && strings.Contains("skhtibfjguc", t) {
		s.Letter = t[0]
		return s, nil
	}
	for typ := I1; typ < numTypes; typ++ {
		if typ.String() == t {
			s.Type = typ
			return s, nil
		}
	}
	return s, fmt.Errorf("unknown type %q in a rule", tok)
}

// Second reports whether the letter names the rule's second type.
func (s *Slot) Second() bool { return s.Letter == 'j' || s.Letter == 'g' || s.Letter == 'u' }

// First reports whether the letter names the op's Type.
func (s *Slot) First() bool { return s.Letter != 0 && s.Letter != 'c' && !s.Second() }

// Of returns the type that the slot stands for in an op of the first type, with that second type.
func (s *Slot) Of(first, second Type) Type {
	switch {
	case s.Letter == 0:
		return s.Type
	case s.Letter == 'c':
		return first.Cond()
	case s.Second():
		return second
	}
	return first
}

// Accepts reports whether the slot's kind of type includes t.
func (s *Slot) Accepts(t Type) bool {
	switch s.Letter {
	case 's', 'j':
		return t.IsInt() && t != I1
	case 'k':
		return t.IsInt()
	case 'h', 'g':
		return t.IsFloat()
	case 'i':
		return t.Elem().IsInt() && t != I1
	case 'b':
		return t.Elem().IsInt()
	case 'f':
		return t.Elem().IsFloat()
	case 'c':
		return t == t.Cond()
	case 't', 'u':
		return t != NoType && t < numTypes
	}
	return t == s.Type
}

// check matches the instruction's type and operands with the rule of its op. The error names the wrong argument and
// quotes the rule.
func (b *Block) check(in *Inst) error {
	r := in.Op.rule()
	var second Type
	fail := func(format string, args ...any) error {
		return fmt.Errorf("%s: %s, rule is %q", in.Op, fmt.Sprintf(format, args...), r.text)
	}
	ai := 0
	for _, s := range r.args {
		n := 1
		if s.Rep {
			n = in.count()
		}
		for ; n > 0; n-- {
			if ai >= len(in.Args) {
				if s.Opt {
					break
				}
				return fail("%d arguments", len(in.Args))
			}
			v := in.Args[ai]
			if v < 0 || int(v) >= len(b.Vals) {
				return fail("argument %d is no value", ai+1)
			}
			if err := s.match(b.Vals[v], in.Type, &second); err != "" {
				if s.Opt {
					break
				}
				return fail("argument %d is %s", ai+1, err)
			}
			ai++
		}
	}
	if ai != len(in.Args) {
		return fail("%d arguments", len(in.Args))
	}
	for _, s := range r.res {
		if s.First() && !s.Accepts(in.Type) {
			return fail("the type is %s", in.Type)
		}
	}
	return nil
}

// match returns what is wrong with v in the slot, or "".
func (s *Slot) match(v ValInfo, first Type, second *Type) string {
	if s.Second() && *second == NoType {
		*second = v.Type
	}
	if v.Type != s.Of(first, *second) || !s.Accepts(v.Type) {
		return v.Type.String()
	}
	if s.Side == 'w' && !v.Wave {
		return v.Type.String() + ", one per lane"
	}
	return ""
}

// fixedType returns the Type of an op whose rule allows only one; free is true if it allows several.
func (o Op) fixedType() (t Type, free bool) {
	r := o.rule()
	for _, side := range [][]Slot{r.args, r.res} {
		for _, s := range side {
			if s.First() {
				return NoType, true
			}
		}
	}
	if len(r.res) > 0 {
		t = r.res[0].Type
	}
	return t, false
}

// impliedType returns the Type if the operands or the op determine it, else NoType.
func (b *Block) impliedType(in *Inst) Type {
	t, free := in.Op.fixedType()
	if !free {
		return t
	}
	for i, s := range in.Op.rule().args {
		if s.First() && i < len(in.Args) {
			if v := in.Args[i]; v >= 0 && int(v) < len(b.Vals) {
				return b.Vals[v].Type
			}
		}
	}
	return NoType
}
