package gcn

import (
	"math"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// Operands of CLRX's text.

// operand translates operand i.
func (c *clrx) operand(i int, x span) bool {
	if x.from == x.to {
		c.s.Pos = x.from
		return c.s.Expect("an operand")
	}
	if done, ok := c.call(x); done {
		return ok
	}
	line := c.s.Line
	switch {
	case c.wide && c.field(i) != "" && strings.IndexByte("-.0123456789", line[x.from]) >= 0:
		return c.literal(x.from, x)
	case c.field(i) != "" && c.plainLiteral(i, x):
		return true
	case c.row != nil && c.row.Enc.Name == "MIMG" && i == 2 && c.has("r128"):
		return c.resize(x, 4, 8)
	case c.row != nil && c.row.Enc.Name == "MTBUF" && i == 0 && c.has("tfe"): // LLVM names what is loaded
		return c.resize(x, 0, -1)
	case line[x.from] == '-' && x.to > x.from+1 && line[x.from+1] != '.' && !isDigit(line[x.from+1]):
		c.out.Put("(", x.from) // not the minus sign of a register: those are fields by now
		c.copyWithout(x)
		c.out.Put(")", x.from)
		return true
	}
	return c.words(x)
}

// plainLiteral appends an integer that looks like a constant float, or like a negative number of 16 bits: CLRX makes
// a literal of it as it is.
func (c *clrx) plainLiteral(i int, x span) bool {
	for _, ch := range []byte(c.s.Line[x.from:x.to]) {
		if !strings.ContainsRune("0123456789abcdefxABCDEFX", rune(ch)) {
			return false
		}
	}
	v, err := strconv.ParseUint(c.s.Line[x.from:x.to], 0, 32)
	if err != nil || v <= 64 {
		return false
	}
	t := b32
	if c.row.Operand(i).Width == 16 {
		t = f16
	}
	if c.codes.inline(t, v) < codeFloat && (t != f16 || v < 1<<15 || v >= 1<<16) { // LLVM sign-extends 16 bits
		return false
	}
	c.out.Put("lit(0x"+strconv.FormatUint(v, 16)+")", x.from)
	return true
}

// resize appends registers of which LLVM names more or fewer. are is the required number of registers, 0: any; by is
// their number afterwards, or if negative how many to add.
func (c *clrx) resize(x span, are, by int) bool {
	r, end, found, ok := c.register(x)
	switch {
	case found && !ok:
		return false
	case !found || are != 0 && r.n != are || end != x.to:
		return c.s.Failf(x.from, isa.ErrOperand, "%d registers are expected", max(are, 2))
	case by < 0 && r.n+by < 1:
		return c.s.Fail(x.from, isa.ErrOperand, "a further register is expected, for what tfe writes")
	case by < 0:
		by += r.n
	}
	c.out.Put(c.regText(reg{r.code, by}), x.from)
	return true
}

// signs removes the modifiers of sources and records them as fields. They need a form that has them. A minus sign
// before a number is part of it.
func (c *clrx) signs() {
	if !strings.HasPrefix(c.name, "v_") {
		return
	}
	form := c.form
	if form == "" {
		form = "e64"
	}
	if c.row = c.find(form); c.row == nil {
		c.row = c.find("")
	}
	for i := range c.ops {
		field := c.field(i)
		for field != "" && c.ops[i].from < c.ops[i].to {
			inner, part := c.sign(c.ops[i].span)
			if part == "" {
				break
			}
			c.set(field+"."+part, 1, c.ops[i].from)
			c.ops[i].span = inner
		}
	}
}

// set records a value for a field, which requests a form that has it.
func (c *clrx) set(field string, v uint64, at int) {
	c.sets = append(c.sets, clrxSet{field, v, at})
	switch {
	case c.told || !strings.HasPrefix(c.name, "v_"):
	case strings.HasSuffix(field, ".sext"):
		c.form = "sdwa"
	case c.form == "":
		c.form = "e64"
	}
}

// field returns the field of operand i if it is a source, else "".
func (c *clrx) field(i int) string {
	if c.row == nil || i >= c.row.Operands() {
		return ""
	}
	if name := c.row.Operand(i).Name; strings.HasPrefix(name, "src") || strings.HasPrefix(name, "ssrc") || name == "k" {
		return name
	}
	return ""
}

// sign returns the outermost modifier of a source and its operand; "" if there is none.
func (c *clrx) sign(x span) (inner span, part string) {
	line := c.s.Line
	last := x.to - 1
	switch ch := line[x.from]; {
	case ch == '-':
		inner = span{x.from + 1, x.to}
		c.skip(&inner.from)
		if inner.from < inner.to && (line[inner.from] == '|' || c.isOperand(inner)) {
			return inner, "neg"
		}
	case ch == '|' && line[last] == '|' && last > x.from:
		inner = span{x.from + 1, last}
		c.skip(&inner.from)
		inner.to = c.trimmed(inner.from, last)
		return inner, "abs"
	default:
		n := isa.WordLen(line[x.from:x.to])
		w := strings.ToLower(line[x.from : x.from+n])
		if w != "abs" && w != "neg" && w != "sext" {
			break
		}
		open := x.from + n
		if c.skip(&open); open >= x.to || line[open] != '(' || line[last] != ')' {
			break
		}
		inner = span{open + 1, last}
		c.skip(&inner.from)
		inner.to = c.trimmed(inner.from, last)
		return inner, w
	}
	return x, ""
}

// isOperand reports whether a register, a symbol for one, or a modifier of one begins there, rather than a number.
func (c *clrx) isOperand(x span) bool {
	n := isa.WordLen(c.s.Line[x.from:x.to])
	w := strings.ToLower(c.s.Line[x.from : x.from+n])
	switch w {
	case "":
		return false
	case "abs", "neg", "sext":
		return true
	}
	_, _, found, _ := c.register(x)
	return found
}

// words translates an operand word by word: registers and symbols for them become LLVM's, other names are kept.
func (c *clrx) words(x span) bool {
	line := c.s.Line
	for i := x.from; i < x.to; {
		if line[i] == '@' { // an expression: its names are symbols, whatever they look like
			c.out.Put("(", i)
			c.copyWithout(span{i, x.to})
			c.out.Put(")", i)
			return true
		}
		n := isa.WordLen(line[i:x.to])
		if n == 0 {
			c.copy(span{i, i + 1})
			i++
			continue
		}
		r, end, found, ok := c.register(span{i, x.to})
		switch {
		case found && !ok:
			return false
		case found:
			c.out.Put(c.regText(r), i)
			i = end
			continue
		}
		if n, ok := c.special(i, x.to); ok {
			i = n
			continue
		}
		c.copy(span{i, i + n})
		i += n
	}
	return true
}

// special appends a word that LLVM spells differently, and returns where it ends.
func (c *clrx) special(i, to int) (end int, ok bool) {
	line := c.s.Line
	if n, text, half := clrxFloat(line[i:to]); n > 0 {
		if half {
			c.halfFloat(text, i)
		} else {
			c.out.Put(text, i)
		}
		return i + n, true
	}
	n := isa.WordLen(line[i:to])
	w := strings.ToLower(line[i : i+n])
	if strings.Contains(clrxWords, " "+w+" ") {
		c.out.Put(w, i)
		return i + n, true
	}
	for _, name := range clrxNumbered {
		digits := strings.TrimPrefix(w, name)
		if digits == w || digits == "" || !isDigit(digits[0]) {
			continue
		}
		for len(digits) > 1 && digits[0] == '0' && isDigit(digits[1]) {
			digits = digits[1:]
		}
		if at := i + n; name == "attr" && !strings.Contains(digits, ".") { // blanks are allowed around the point
			c.skip(&at)
			if at < to && line[at] == '.' {
				at++
				c.skip(&at)
				if m := isa.WordLen(line[at:to]); m > 0 {
					digits, n = digits+"."+strings.ToLower(line[at:at+m]), at+m-i
				}
			}
		}
		c.out.Put(name+digits, i)
		return i + n, true
	}
	return i, false
}

func isDigit(ch byte) bool { return ch >= '0' && ch <= '9' }

// clrxNumbered are names followed by a number that may begin with zeros.
var clrxNumbered = [...]string{"attr", "param", "pos", "mrt"}

// halfFloat appends a float that is marked as one of 16 bits: without an inline constant it is a literal of its 16
// bits.
func (c *clrx) halfFloat(text string, at int) {
	v, err := strconv.ParseFloat(text, 64)
	neg := len(c.out.Text) > 0 && c.out.Text[len(c.out.Text)-1] == '-'
	if neg {
		v = -v
	}
	bits := pattern(16, v)
	if err != nil || c.codes.inline(f16, bits) != 0 {
		c.out.Put(text, at)
		return
	}
	if neg {
		c.out.Text = c.out.Text[:len(c.out.Text)-1]
	}
	c.out.Put("lit(0x"+strconv.FormatUint(bits, 16)+")", at)
}

// copyWithout copies a part of the line without @.
func (c *clrx) copyWithout(x span) {
	for x.from < x.to {
		end := x.from
		for end < x.to && c.s.Line[end] != '@' {
			end++
		}
		c.copy(span{x.from, end})
		x.from = end + 1
	}
}

// clrxWords are words that are no symbols, in upper or lower case.
const clrxWords = " off p10 p20 p0 "

// clrxFloat returns the length of a float at the start of a text, and the float as LLVM writes it: .5, 1.s, 4.l and
// 2.0h need a digit before the point and no letter after them. half says that it has 16 bits.
func clrxFloat(text string) (n int, llvm string, half bool) {
	digits := func() (some bool) {
		for ; n < len(text) && isDigit(text[n]); n++ {
			some = true
		}
		return some
	}
	whole := digits()
	point := n < len(text) && text[n] == '.'
	if point {
		n++
		if !digits() && !whole {
			return 0, "", false
		}
	} else if !whole {
		return 0, "", false
	}
	exp := false
	if m := n; n < len(text) && (text[n] == 'e' || text[n] == 'E') {
		if n++; n < len(text) && (text[n] == '+' || text[n] == '-') {
			n++
		}
		if exp = digits(); !exp {
			n = m
		}
	}
	llvm = text[:n]
	if n < len(text) && strings.IndexByte("shl", text[n]) >= 0 {
		half = text[n] == 'h'
		n++
	} else if !point && !exp {
		return 0, "", false
	}
	if n < len(text) && isa.WordLen(text[n:]) > 0 {
		return 0, "", false
	}
	if llvm[0] == '.' {
		llvm = "0" + llvm
	}
	return n, llvm, half
}

// call translates an operand written as a function: hwreg(), sendmsg(), lit(), and the counters of s_waitcnt.
func (c *clrx) call(x span) (done, ok bool) {
	line := c.s.Line
	n := isa.WordLen(line[x.from:x.to])
	open := x.from + n
	if c.skip(&open); n == 0 || open >= x.to || line[open] != '(' {
		if c.name == "s_waitcnt" {
			return c.counters(x)
		}
		return false, false
	}
	args := span{open + 1, x.to - 1}
	w := strings.ToLower(line[x.from : x.from+n])
	switch {
	case c.name == "s_waitcnt":
		return c.counters(x)
	case w != "hwreg" && w != "sendmsg" && w != "lit":
		return false, false
	case line[x.to-1] != ')':
		return true, c.s.Fail(x.to-1, isa.ErrSyntax, w+"() has no closing parenthesis")
	case w == "lit":
		return true, c.literal(x.from, args)
	case w == "hwreg":
		return true, c.function(w, x.from, args, clrxHWRegs, nil)
	}
	return true, c.function(w, x.from, args, clrxMessages, clrxGSOps)
}

// function appends a function with its arguments, of which the first two may have names.
func (c *clrx) function(w string, at int, args span, names ...[]clrxName) bool {
	c.out.Put(w+"(", at)
	for i := 0; args.from <= args.to; i++ {
		end := args.from
		for end < args.to && c.s.Line[end] != ',' {
			end++
		}
		x := span{args.from, c.trimmed(args.from, end)}
		c.skip(&x.from)
		if i > 0 {
			c.out.Put(", ", x.from)
		}
		v, known := uint64(0), false
		if i < len(names) {
			name := strings.TrimPrefix(c.text(x), w+"_")
			v, known = valueOf(names[i], name)
			known = known && (c.s.Target.Variant == gfx8 || !strings.Contains(clrxOf8, " "+name+" "))
		}
		if !known {
			n, ok := c.value(x)
			if !ok {
				return false
			}
			if v = uint64(n); w == "sendmsg" && i == 2 {
				v &= 3 // the stream
			}
		}
		c.out.Put(strconv.FormatUint(v, 10), x.from)
		args.from = end + 1
	}
	c.out.Put(")", at)
	return true
}

// literal appends lit(): a float has the instruction's type, which is the suffix of the mnemonic.
func (c *clrx) literal(at int, x span) bool {
	c.skip(&x.from)
	text := c.s.Line[x.from:c.trimmed(x.from, x.to)]
	sign := ""
	if strings.HasPrefix(text, "-") {
		text, sign = text[1:], "-"
	}
	n, f, _ := clrxFloat(text)
	if n == 0 || n < len(text) {
		c.out.Put("lit((", at)
		c.copyWithout(x)
		c.out.Put("))", at)
		return true
	}
	v, err := strconv.ParseFloat(sign+f, 64)
	if err != nil {
		return c.s.Fail(x.from, isa.ErrSyntax, "malformed number")
	}
	bits := uint64(math.Float32bits(float32(v)))
	switch {
	case strings.HasSuffix(c.name, "_f64"):
		bits = math.Float64bits(v) >> 32
	case strings.HasSuffix(c.name, "_f16"):
		bits = pattern(16, v)
	}
	c.out.Put("lit(0x"+strconv.FormatUint(bits, 16)+")", at)
	return true
}

// counters translates the operand of s_waitcnt: vmcnt(1) & lgkmcnt(2), or one number. A counter that is too large is
// set to the largest.
func (c *clrx) counters(x span) (done, ok bool) {
	line := c.s.Line
	for i := x.from; i < x.to; {
		if ch := line[i]; isBlank(ch) || ch == '&' || ch == ',' {
			i++
			continue
		}
		n := isa.WordLen(line[i:x.to])
		w := strings.ToLower(line[i : i+n])
		open := i + n
		c.skip(&open)
		most, known := valueOf(clrxCounters, w)
		if !known || open >= x.to || line[open] != '(' {
			if i == x.from {
				return false, false
			}
			return true, c.s.Fail(i, isa.ErrOperand, "vmcnt(), expcnt() or lgkmcnt() is expected")
		}
		end := open
		for depth := 0; end < x.to; end++ {
			if line[end] == '(' {
				depth++
			} else if line[end] == ')' {
				if depth--; depth == 0 {
					break
				}
			}
		}
		if end == x.to {
			return true, c.s.Fail(open, isa.ErrSyntax, w+"() has no closing parenthesis")
		}
		v, ok := c.value(span{open + 1, end})
		if !ok {
			return true, false
		}
		c.out.Put(w+"("+strconv.FormatUint(uint64(v)&most, 10)+") ", i)
		i = end + 1
	}
	return true, true
}
