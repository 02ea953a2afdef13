package valhall

import (
	"strconv"

	"github.com/heddle-gpu/heddle/isa"
)

// printDialect prints an instruction in a dialect other than the first.
func printDialect(p isa.Printer, dst []byte, in *isa.Inst, d *isa.Def) []byte {
	v := syntaxOf(p.Dialect, in, d)
	dst = append(dst, v.name...)
	for i := range v.mods {
		dst = append(dst, v.mods[i].text(in.Word.Lo)...)
	}
	for i := range v.operands {
		o := &v.operands[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendOperand(p, append(dst, ' '), in, o.arg)
		for k := range o.parts {
			dst = append(dst, o.parts[k].text(in.Word.Lo)...)
		}
	}
	return dst
}

// syntaxOf is the syntax that prints a word: the first that matches; the last of a row matches all.
func syntaxOf(dialect int, in *isa.Inst, d *isa.Def) *syntax {
	list := syntaxesOfRow(dialect, d)
	w := in.Word.Lo
	for _, v := range list {
		if w&v.mask == v.value && archOf(in) >= v.since {
			return v
		}
	}
	return list[len(list)-1]
}

// text is the text for a word.
func (p *modSyntax) text(w uint64) string {
	if p.derived != nil {
		if n := p.derived(w); n > 0 && n <= len(p.texts) {
			return p.texts[n-1]
		}
		return ""
	}
	for i := range p.choices {
		if c := &p.choices[i]; w&c.mask == c.value {
			return c.text
		}
	}
	return ""
}

// appendOperand prints an operand without its modifiers.
func appendOperand(p isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg) []byte {
	v := a.Get(in.Word)
	switch {
	case a.Name == "target" && a.Kind.Table == nil && rowOf(in).form.jumps:
		if p.Dialect == Kraid {
			return appendAddress(p, dst, jumpTo(in, v))
		}
	case p.Dialect == Kraid && isNumber(a):
		return appendNumber(p, dst, in, a, v)
	case a.Name == "dst":
		if a.Width == 64 {
			return appendPair(dst, v, "")
		}
		return appendRegister(dst, v)
	case a.Name == "first" && p.Dialect == Kraid:
		first := int(v)
		dst = appendRegister(append(dst, '@'), v)
		for i := range int(field(in.Def, "size").Get(in.Word)) {
			dst = appendRegister(append(dst, ':'), uint64(first+i+1))
		}
		return dst
	case isSource(a):
		return appendSource(p.Dialect, dst, in, a, v)
	}
	if v < uint64(len(a.Kind.Table)) && a.Kind.Table[v] != "" {
		return append(dst, a.Kind.Table[v]...)
	}
	return a.Kind.Text(p, dst, in, a, v)
}

// isSource reports whether an operand is a source.
func isSource(a *isa.Arg) bool { return len(a.Name) == 1 && a.Place == isa.Operand }

// isNumber reports whether an operand is a number.
func isNumber(a *isa.Arg) bool {
	switch a.Name {
	case "offset", "index", "table", "target", "shift", "constant":
		return true
	}
	return false
}

func appendRegister(dst []byte, v uint64) []byte { return strconv.AppendUint(append(dst, 'r'), v, 10) }

// appendPair prints a register and the next one, each with the mark.
func appendPair(dst []byte, v uint64, mark string) []byte {
	dst = append(appendRegister(append(dst, '['), v), mark...)
	return append(append(appendRegister(append(dst, ':'), v+1), mark...), ']')
}

// appendSource prints a source. Uniform words are numbered in pairs. For a 64-bit source, an even one stands for the
// pair; an odd one, which both tools print as the even one before it, is printed in brackets: [u2.w1].
func appendSource(dialect int, dst []byte, in *isa.Inst, a *isa.Arg, v uint64) []byte {
	mark, pair := "", a.Width == 64
	switch {
	case v>>6 <= isLast:
		if v>>6 == isLast {
			mark = "^"
		}
		if pair {
			return appendPair(dst, v&63, mark)
		}
		return append(appendRegister(dst, v&63), mark...)
	case v>>6 == isUniform:
		n := a.Part(in.Word, partPage)*pageWords + v&63
		switch {
		case !pair:
			return appendUniform(dst, n)
		case n%2 == 0:
			return strconv.AppendUint(append(dst, 'u'), n/2, 10)
		}
		return append(appendUniform(append(dst, '['), n), ']')
	case v < firstSpecial:
		if dialect == Kraid {
			return append(dst, constantName(archOf(in), v-firstConstant)...)
		}
		return append(dst, a.Kind.Table[v]...)
	}
	name := specialName(dialect, a.Part(in.Word, partPage), v>>1&(numSpecial-1))
	word := [...]string{".w0", ".w1"}[v&1]
	switch {
	case !pair || dialect == Mesa26:
		return append(append(dst, name...), word...)
	case v&1 == 0:
		return append(dst, name...)
	}
	return append(append(append(append(dst, '['), name...), word...), ']')
}

// appendUniform prints a uniform word by its pair.
func appendUniform(dst []byte, n uint64) []byte {
	dst = append(strconv.AppendUint(append(dst, 'u'), n/2, 10), ".w"...)
	return append(dst, '0'+byte(n%2))
}

// appendAddress prints a code address.
func appendAddress(p isa.Printer, dst []byte, addr uint64) []byte {
	if p.Label != nil {
		if name, ok := p.Label(addr); ok {
			return append(dst, name...)
		}
	}
	return isa.AppendHex(dst, addr)
}

// appendNumber prints a number in kraid's syntax.
func appendNumber(p isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, v uint64) []byte {
	switch {
	case a.Name == "target":
		return appendAddress(p, dst, in.Addr+wordBytes*(1+v))
	case a.Name == "constant" && syntaxOf(Kraid, in, in.Def).name == nameADR:
		return appendAddress(p, dst, in.Addr+wordBytes+uint64(int64(int32(v))))
	case a.Name == "table" && v >= upperTables&tableBits:
		v |= upperTables
	case a.Name == "offset" && a.At.Len() == 16 && v>>15 != 0:
		return isa.AppendHex(append(dst, "#-"...), -v&0xffff)
	}
	return isa.AppendHex(append(dst, '#'), v)
}

// upperTables are the tables that the high codes of a four-bit field stand for.
const (
	upperTables = 60
	tableBits   = 15
)
