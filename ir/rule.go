package ir

import (
	"fmt"
	"strings"
)

// A rule is a type rule of the op table, parsed. Operands and results are tokens:
//
//	i    integer of 8 to 64 bits      b  the same or i1       f  float       t  any type
//	j    a second integer type        g  a second float type  u  a second type of any kind
//	i32  that type
//
// Equal letters stand for equal types; i, b, f and t all name the op's Type. A suffix w asks for a
// value that is one a wave, v for one a lane; ? marks an operand that may be missing (the mask of an
// op that runs once a wave); * stands for Mem.Count values.
type rule struct {
	args, res []slot
	text      string
}

type slot struct {
	letter byte // 'i','b','f','t','j','g','u', or 0: the type typ
	typ    Type
	side   byte // 'w', 'v' or 0
	opt    bool
	rep    bool
}

var rules = compileRules()

func compileRules() (rs [numOps]rule) {
	for op := range rs {
		r, err := parseRule(ops[op].Rule)
		if err != nil {
			panic("ir: " + ops[op].Name + ": " + err.Error())
		}
		rs[op] = r
	}
	return rs
}

func parseRule(s string) (rule, error) {
	left, right, ok := strings.Cut(s, "->")
	if !ok {
		return rule{}, fmt.Errorf("rule %q has no ->", s)
	}
	r := rule{text: s}
	for _, side := range []struct {
		text string
		to   *[]slot
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

func parseSlot(tok string) (slot, error) {
	s := slot{}
	t := strings.TrimSuffix(tok, "?")
	s.opt = t != tok
	tok = t
	t = strings.TrimSuffix(tok, "*")
	s.rep = t != tok
	if n := len(t); n > 1 && (t[n-1] == 'w' || t[n-1] == 'v') {
		s.side, t = t[n-1], t[:n-1]
	}
	if len(t) == 1 && strings.Contains("ibftjgu", t) {
		s.letter = t[0]
		return s, nil
	}
	for typ := I1; typ < numTypes; typ++ {
		if typ.String() == t {
			s.typ = typ
			return s, nil
		}
	}
	return s, fmt.Errorf("unknown type %q in a rule", tok)
}

// second reports whether the letter names the rule's second type.
func (s slot) second() bool { return s.letter == 'j' || s.letter == 'g' || s.letter == 'u' }

// accepts reports whether the slot's kind of type includes t.
func (s slot) accepts(t Type) bool {
	switch s.letter {
	case 'i', 'j':
		return t.IsInt() && t != I1
	case 'b':
		return t.IsInt()
	case 'f', 'g':
		return t.IsFloat()
	case 't', 'u':
		return t != NoType && t < numTypes
	}
	return t == s.typ
}

// check matches the instruction's type and operands with the rule of its op.
// The error says which argument is wrong and quotes the rule.
func (b *Block) check(in *Inst) error {
	r := &rules[in.Op]
	var second Type
	fail := func(format string, args ...any) error {
		return fmt.Errorf("%s: %s, rule is %q", in.Op, fmt.Sprintf(format, args...), r.text)
	}
	ai := 0
	for _, s := range r.args {
		n := 1
		if s.rep {
			n = int(in.Mem.Count)
		}
		for ; n > 0; n-- {
			if ai >= len(in.Args) {
				if s.opt {
					break
				}
				return fail("%d arguments", len(in.Args))
			}
			v := in.Args[ai]
			if v < 0 || int(v) >= len(b.Vals) {
				return fail("argument %d is no value", ai+1)
			}
			if err := s.match(b.Vals[v], in.Type, &second); err != "" {
				if s.opt {
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
		if s.letter != 0 && !s.second() && !s.accepts(in.Type) {
			return fail("the type is %s", in.Type)
		}
	}
	return nil
}

// match says what is wrong with v in the slot, or nothing.
func (s slot) match(v ValInfo, first Type, second *Type) string {
	want := first
	if s.second() {
		if *second == NoType {
			*second = v.Type
		}
		want = *second
	} else if s.letter == 0 {
		want = s.typ
	}
	if v.Type != want || !s.accepts(v.Type) {
		return v.Type.String()
	}
	if s.side == 'w' && !v.Wave {
		return v.Type.String() + ", one a lane"
	}
	return ""
}
