package gcn

import (
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// CLRX's text. A statement is translated to LLVM's syntax, which the rows read, and to fields that LLVM's text cannot
// express. What both spell alike is kept, so that LLVM's text is accepted, too. docs/reference/gcn.md 10.
//
//	v_add_f32 v0, abs(v1), -v2 vop3        v_add_f32_e64 v0, v1, v2, and the fields src0.abs and src1.neg
//	v_mov_b32 v0, v1 dst_sel:w1            v_mov_b32_sdwa v0, v1 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD
//	s_getreg_b32 s0, hwreg(mode, 0, 1)     s_getreg_b32 s0, hwreg(HW_REG_MODE, 0, 1)
//	exp mrt0, v0, off, off, off            exp mrt0 v0, off, off, off

const dialectCLRX = 1 // index in Arch.Dialects

// A clrx is a statement that is being translated.
type clrx struct {
	s     *isa.Scan
	codes *codes
	name  string // of the instruction, in lower case
	form  string // requested by the text: e32, e64, sdwa or dpp; "": the first that fits
	wide  bool   // the suffix _e64 of a scalar instruction: numbers are literals
	told  bool   // it names the form, or a modifier of one
	ops   []clrxOp
	mods  []clrxMod
	row   *isa.Def // the row of the form that fits the number of operands; nil: there is none
	out   isa.Rewording
	sets  []clrxSet
}

// A span is a part of the line.
type span struct{ from, to int }

// A clrxOp is an operand: a part of the line, or a word that replaces it.
type clrxOp struct {
	span
	word string
}

// A clrxMod is a modifier and the text after its colon, in lower case except for names.
type clrxMod struct {
	name   string
	kind   clrxKind
	at     int
	values []span // after each colon
}

// A clrxSet is a value for a field of the layout.
type clrxSet struct {
	field string
	value uint64
	at    int
}

// rewordCLRX is the Arch.Reword of the dialect.
func rewordCLRX(s *isa.Scan) (isa.Reworded, bool) {
	c := &clrx{s: s, codes: &gens[s.Target.Variant].codes}
	if !c.split() || !c.modifiers() {
		return isa.Reworded{}, false
	}
	name, ok := c.mnemonic()
	if !ok {
		return isa.Reworded{}, false
	}
	c.out.Put(name, 0)
	for i, op := range c.ops {
		switch {
		case i == 0 || i == 1 && c.name == "exp":
			c.out.Put(" ", op.from)
		default:
			c.out.Put(", ", op.from)
		}
		if op.word != "" {
			c.out.Put(op.word, op.from)
		} else if !c.operand(i, op.span) {
			return isa.Reworded{}, false
		}
	}
	if !c.putModifiers() {
		return isa.Reworded{}, false
	}
	return isa.Reworded{Text: string(c.out.Text), Place: c.out.Place, Done: c.done}, true
}

// copy appends a part of the line.
func (c *clrx) copy(x span) { c.out.Copy(c.s.Line, x.from, x.to) }

// done writes the fields that the text does not express.
func (c *clrx) done(in *isa.Inst) error {
	if c.form != "" && strings.HasPrefix(c.name, "v_") && formOf(in.Def) != c.form {
		return &isa.Error{Code: isa.ErrUnsupported, Line: 1, Col: 1, Msg: "no text of LLVM's gives " + c.name + " in the form " + c.form}
	}
	for _, x := range c.sets {
		at := placeOf(in.Def.Enc, x.field)
		if at == nil {
			return &isa.Error{Code: isa.ErrModifier, Line: 1, Col: x.at + 1, Msg: in.Def.Enc.Name + " has no field " + x.field}
		}
		in.Word = at.Put(in.Word, at.Get(in.Word)|x.value)
	}
	if len(c.sets) == 0 {
		return nil
	}
	var b isa.Bundle // a bundle that no row reads is no instruction here
	code, err := in.Encode(nil)
	if err == nil && c.s.Target.DecodeBundle(code, in.Addr, &b) != nil {
		x := c.sets[len(c.sets)-1]
		return &isa.Error{Code: isa.ErrModifier, Line: 1, Col: x.at + 1, Msg: "no row of " + in.Def.Enc.Name + " has this in " + x.field}
	}
	return err
}

// split finds the instruction, its operands and its modifiers.
func (c *clrx) split() bool {
	s := c.s
	s.Space()
	w := s.Word()
	if w == "" {
		return s.Fail(s.Pos, isa.ErrSyntax, "no instruction here")
	}
	c.spelled(w)
	at := s.Pos + len(w)
	for c.skip(&at); at < len(s.Line); c.skip(&at) {
		end, mod := c.operandEnd(at, len(c.ops) == 0)
		if end > at || !mod {
			c.ops = append(c.ops, clrxOp{span: span{at, c.trimmed(at, end)}})
		}
		if at = end; mod {
			return c.splitModifiers(at)
		}
		if at < len(s.Line) {
			if at++; c.trimmed(at, len(s.Line)) == at {
				s.Pos = len(s.Line)
				return s.Expect("an operand")
			}
		}
	}
	return true
}

func (c *clrx) skip(at *int) {
	for *at < len(c.s.Line) && isBlank(c.s.Line[*at]) {
		*at++
	}
}

func isBlank(ch byte) bool { return ch == ' ' || ch == '\t' }

// trimmed returns the end of a part of the line without trailing blanks.
func (c *clrx) trimmed(from, to int) int {
	for to > from && isBlank(c.s.Line[to-1]) {
		to--
	}
	return to
}

// operandEnd returns where an operand ends: at a comma, the end of the line, or where modifiers begin.
func (c *clrx) operandEnd(from int, first bool) (end int, mod bool) {
	line, depth := c.s.Line, 0
	for i := from; i < len(line); {
		switch ch := line[i]; {
		case ch == '(' || ch == '[':
			depth++
		case ch == ')' || ch == ']':
			depth--
		case ch == ',' && depth <= 0:
			return i, false
		}
		n := isa.WordLen(line[i:])
		if n == 0 {
			i++
			continue
		}
		if depth <= 0 && c.isModifier(i, n, i == from) && (i > from || first) {
			return i, true
		}
		i += n
	}
	return len(line), false
}

// isModifier reports whether a modifier begins with the word. A word that may also be an operand must follow another
// modifier.
func (c *clrx) isModifier(at, n int, alone bool) bool {
	line := c.s.Line
	w := strings.ToLower(line[at : at+n])
	if _, ok := modifierOf(w); !ok || at > 0 && (line[at-1] == '@' || line[at-1] == '%') {
		return false
	}
	next := at + n
	c.skip(&next)
	if alone {
		row := c.find("")
		return next < len(line) && line[next] == ':' || row != nil && row.Operands() == 0
	}
	return isBlank(line[at-1]) || line[at-1] == ']' || line[at-1] == ')'
}

// splitModifiers finds the modifiers from a position of the line on.
func (c *clrx) splitModifiers(at int) bool {
	line := c.s.Line
	for c.skip(&at); at < len(line); c.skip(&at) {
		if line[at] == ',' { // accepted as by LLVM
			if at++; c.trimmed(at, len(line)) > at {
				continue
			}
		}
		n := isa.WordLen(line[at:])
		m, ok := clrxMod{name: strings.ToLower(line[at : at+n]), at: at}, false
		if m.kind, ok = modifierOf(m.name); !ok {
			return c.s.Note(at, isa.ErrModifier, "%t is no modifier", "", 0)
		}
		at += n
		for {
			next := at
			if c.skip(&next); next >= len(line) || line[next] != ':' {
				break
			}
			next++
			c.skip(&next)
			end := c.valueEnd(next)
			if end == next {
				c.s.Pos = next
				return c.s.Expect("a value")
			}
			m.values = append(m.values, span{next, end})
			at = end
		}
		c.mods = append(c.mods, m)
	}
	return true
}

// valueEnd returns where the value of a modifier ends: at a blank or colon outside brackets.
func (c *clrx) valueEnd(i int) int {
	line, depth := c.s.Line, 0
	for ; i < len(line); i++ {
		switch ch := line[i]; {
		case ch == '(' || ch == '[':
			depth++
		case ch == ')' || ch == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case depth <= 0 && (isBlank(ch) || ch == ':' || ch == ','):
			return i
		}
	}
	return i
}

// text returns a part of the line in lower case, without blanks.
func (c *clrx) text(x span) string {
	return strings.ToLower(strings.Join(strings.Fields(c.s.Line[x.from:max(x.from, x.to)]), ""))
}

// value evaluates an expression of the text, which may begin with @.
func (c *clrx) value(x span) (v int64, ok bool) {
	sub := isa.Scan{Target: c.s.Target, Symbol: c.s.Symbol}
	text := strings.ReplaceAll(c.s.Line[x.from:max(x.from, x.to)], "@", " ")
	sub.Reset(text, c.s.Addr)
	v, ok = sub.WholeExpr()
	c.s.Touched = c.s.Touched || sub.Touched
	switch {
	case !ok || !sub.End():
		return 0, c.s.Fail(x.from, isa.ErrOperand, "a number or an expression is expected")
	case sub.Unresolved || sub.UsedSymbol:
		return 0, c.s.Fail(x.from, isa.ErrSymbol, "the value must not depend on an address")
	}
	return v, true
}

// number is value with limits.
func (c *clrx) number(x span, most int64) (uint64, bool) {
	v, ok := c.value(x)
	if ok && (v < 0 || v > most) {
		return 0, c.s.Failf(x.from, isa.ErrRange, "a number from 0 to %d is expected", most)
	}
	return uint64(v), ok
}

// find returns the row of the instruction in a form, preferably one that fits the number of operands; nil: there is
// none in this variant.
func (c *clrx) find(form string) (row *isa.Def) {
	for _, d := range c.s.Target.Rows(c.name) {
		if !d.InVariant(c.s.Target.Variant) || form != "" && formOf(d) != form {
			continue
		}
		if d.Operands() == len(c.ops) {
			return d
		}
		if row == nil {
			row = d
		}
	}
	return row
}

// formOf returns the form of a row of vector instructions.
func formOf(d *isa.Def) string {
	switch name := d.Enc.Name; {
	case strings.HasSuffix(name, "_SDWA"):
		return "sdwa"
	case strings.HasSuffix(name, "_DPP"):
		return "dpp"
	case strings.HasPrefix(name, "VOP3"):
		return "e64"
	}
	return "e32"
}

// spelled accepts another spelling of the instruction's name, and the suffix of a form.
func (c *clrx) spelled(w string) {
	c.name = llvmMnemonic(strings.ToLower(w))
	vector := strings.HasPrefix(c.name, "v_")
	for _, form := range []string{"e32", "e64", "sdwa", "dpp"} {
		name, ok := strings.CutSuffix(c.name, "_"+form)
		if !ok || !vector && (form == "sdwa" || form == "dpp") {
			continue
		}
		if c.name = name; vector {
			c.form, c.told = form, true
		}
		c.wide = !vector && form == "e64"
	}
	if c.find("") != nil {
		return
	}
	for _, x := range clrxTwins { // each generation has one of them
		if strings.HasPrefix(c.name, x.from) {
			was := c.name
			if c.name = x.to + c.name[len(x.from):]; c.find("") == nil {
				c.name = was
			}
		}
	}
}

// mnemonic returns LLVM's mnemonic for the form, and determines the row.
func (c *clrx) mnemonic() (string, bool) {
	if c.row = c.find(c.form); c.row != nil && c.form != "" && strings.HasPrefix(c.name, "v_") {
		return c.row.Name, true
	}
	if c.row == nil && c.form != "" && c.find("") != nil {
		return "", c.s.Fail(0, isa.ErrModifier, c.name+" has no form "+c.form)
	}
	return c.name, true
}
