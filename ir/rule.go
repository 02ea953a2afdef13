package ir

import (
	"fmt"
	"strings"
	"sync"
)

// A Slot is one operand or result of a type rule. A rule of the op table is two lists of tokens:
//
//	i    integer of 8 to 64 bits      b  the same or i1       f  float       t  any type
//	j    a second integer type        g  a second float type  u  a second type of any kind
//	i32  that type
//
// Equal letters stand for equal types; i, b, f and t all name the op's Type. A suffix w asks for a
// value that is one a wave, v for one a lane; ? marks an operand that may be missing (the mask of an
// op that runs once a wave); * stands for Mem.Count values.
type Slot struct {
	Letter byte // 'i', 'b', 'f', 't', 'j', 'g', 'u', or 0: the type Type
	Type   Type
	Side   byte // 'w', 'v' or 0
	Opt    bool
	Rep    bool
}

// A rule is a type rule, parsed.
type rule struct {
	args, res []Slot
	text      string
}

// Slots are the operands and results of the op's type rule. The caller must not change them.
func (o Op) Slots() (args, res []Slot) {
	r := o.rule()
	return r.args, r.res
}

// rules are the rules of the op table, parsed when the first op is made.
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
	if len(t) == 1 && strings.Contains("ibftjgu", t) {
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

// Accepts reports whether the slot's kind of type includes t.
func (s *Slot) Accepts(t Type) bool {
	switch s.Letter {
	case 'i', 'j':
		return t.IsInt() && t != I1
	case 'b':
		return t.IsInt()
	case 'f', 'g':
		return t.IsFloat()
	case 't', 'u':
		return t != NoType && t < numTypes
	}
	return t == s.Type
}

// check matches the instruction's type and operands with the rule of its op.
// The error says which argument is wrong and quotes the rule.
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
			n = int(in.Mem.Count)
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
		if s.Letter != 0 && !s.Second() && !s.Accepts(in.Type) {
			return fail("the type is %s", in.Type)
		}
	}
	return nil
}

// match says what is wrong with v in the slot, or nothing.
func (s *Slot) match(v ValInfo, first Type, second *Type) string {
	want := first
	if s.Second() {
		if *second == NoType {
			*second = v.Type
		}
		want = *second
	} else if s.Letter == 0 {
		want = s.Type
	}
	if v.Type != want || !s.Accepts(v.Type) {
		return v.Type.String()
	}
	if s.Side == 'w' && !v.Wave {
		return v.Type.String() + ", one a lane"
	}
	return ""
}

// fixedType is the Type of an op whose rule leaves no choice; free if there is one.
func (o Op) fixedType() (t Type, free bool) {
	r := o.rule()
	for _, side := range [][]Slot{r.args, r.res} {
		for _, s := range side {
			if s.Letter != 0 && !s.Second() {
				return NoType, true
			}
		}
	}
	if len(r.res) > 0 {
		t = r.res[0].Type
	}
	return t, false
}

// impliedType is the Type that the operands or the op itself leave no choice about, NoType if they do.
func (b *Block) impliedType(in *Inst) Type {
	t, free := in.Op.fixedType()
	if !free {
		return t
	}
	for i, s := range in.Op.rule().args {
		if s.Letter != 0 && !s.Second() && i < len(in.Args) {
			if v := in.Args[i]; v >= 0 && int(v) < len(b.Vals) {
				return b.Vals[v].Type
			}
		}
	}
	return NoType
}
