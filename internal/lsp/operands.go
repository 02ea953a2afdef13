package lsp

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// ofInstruction offers operands and modifiers of the mnemonic before the position, or mnemonics if there is none.
func (c *completer) ofInstruction(t *isa.Target, p *asm.Piece) {
	text := c.d.outline().Text
	name, at := lastMnemonic(t, text, asm.Extent{From: p.From, To: c.word.From})
	if name == "" {
		c.suffixes(t)
		c.mnemonics(t)
		c.registers(t)
		return
	}
	if t.Group != nil {
		c.registers(t)
	}
	nth, whole := operandAt(t, text[at.To:c.word.From])
	named := false
	for _, d := range rowsOf(t, name) {
		in := sampleOf(t, d)
		for i := range d.Args {
			a := &d.Args[i]
			switch {
			case a.Place == isa.Modifier || a.Place == isa.Required || a.Place == isa.Suffix && t.Sep == " ":
				c.values(in, a, itemProperty)
			case a.Place != isa.Operand || whole || nth >= 0 && (nth >= d.Operands() || d.Operand(nth) != a):
			default:
				c.values(in, a, itemVariable)
				c.parts(in, a)
				named = named || a.At.Len() >= wideField
			}
		}
	}
	if named {
		c.names()
	}
}

// registers offers those of the machine, for bundles that name registers outside of instructions.
func (c *completer) registers(t *isa.Target) {
	if t.Group == nil {
		return
	}
	for f, file := range t.Machine().Files {
		for i := range file.Count {
			if c.typed == "" && i >= mostUntyped {
				c.list.IsIncomplete = true
				break
			}
			if name := t.RegisterName(ir.Cell{File: uint8(f), Index: uint16(i)}); isa.WordLen(name) == len(name) {
				c.add(completionItem{Label: name, Kind: itemVariable, Detail: "register of file " + file.Name, SortText: "4"})
			}
		}
	}
}

// sampleOf returns an instruction of a row with all optional text at its default.
func sampleOf(t *isa.Target, d *isa.Def) isa.Inst {
	in := isa.Inst{Def: d, Word: d.Value(), Var: uint8(t.Variant), Stage: uint8(t.Stage)}
	for i := range d.Args {
		a := &d.Args[i]
		if a.Place != isa.Operand && len(a.At) > 0 {
			in.Word = a.Put(in.Word, a.Default)
		}
		for j := range a.Parts {
			if p := &a.Parts[j]; len(p.At) > 0 {
				in.Word = p.Put(in.Word, p.Default)
			}
		}
	}
	in.Size = uint8(d.EncodedSize(in.Word))
	return in
}

// lastMnemonic returns the last mnemonic of a statement, which may have several instructions.
func lastMnemonic(t *isa.Target, text []byte, e asm.Extent) (name string, at asm.Extent) {
	for from := e.From; ; {
		n, x := mnemonicIn(t, text, &asm.Piece{Extent: asm.Extent{From: from, To: e.To}})
		if n == "" {
			return name, at
		}
		name, at, from = n, x, x.To+isa.WordLen(text[x.To:e.To])
		if t.Group == nil {
			return name, at
		}
	}
}

// operandAt returns the number of the operand after a text that follows the mnemonic, -1 if that is unknown, and
// whether that operand is complete, so that only what comes after it can follow.
func operandAt(t *isa.Target, text []byte) (n int, whole bool) {
	if strings.TrimSpace(t.Sep) != "," {
		return -1, false
	}
	last, depth := 0, 0
	text = text[isa.WordLen(text):] // suffixes
	for i, ch := range text {
		switch ch {
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		case ',':
			if depth == 0 {
				n, last = n+1, i+1
			}
		}
	}
	rest := strings.TrimLeft(string(text[last:]), " \t-|!~^@#%")
	return n, strings.ContainsAny(rest, " \t") && depth == 0
}

// wideField is the width of a field from which on its values are numbers, and not listed.
const wideField = 11

// mostUntyped is how many values of an operand are offered before any of it is typed.
const mostUntyped = 16

// values offers the texts of an operand's values, as the row prints them and so accepts them.
func (c *completer) values(in isa.Inst, a *isa.Arg, kind int) {
	bits := a.At.Len()
	if bits >= wideField || bits > 8 && kind == itemProperty {
		c.wide(in, a, kind)
		return
	}
	for _, base := range banks(in, a) {
		offered := len(c.list.Items)
		for v := range uint64(1) << bits {
			if v < uint64(len(a.Kind.Reserved)) && a.Kind.Reserved[v] {
				continue
			}
			if c.typed == "" && len(c.list.Items)-offered >= mostUntyped {
				c.list.IsIncomplete = true
				break
			}
			try := base
			try.Word = a.Put(base.Word, v)
			c.value(argText(&try, a), a, v, kind)
		}
	}
}

// wide offers texts for a field with too many values to list: the word before the number, and samples that are no
// numbers.
func (c *completer) wide(in isa.Inst, a *isa.Arg, kind int) {
	try := in
	try.Word = a.Put(in.Word, 1)
	if text := argText(&try, a); kind == itemProperty && strings.Contains(text, ":") {
		c.add(completionItem{Label: text[:strings.IndexByte(text, ':')+1], Kind: kind, Detail: a.Kind.Name, SortText: "3"})
		return
	}
	for i, v := range a.Kind.Samples {
		try.Word = a.Put(in.Word, v)
		if text := argText(&try, a); isa.WordLen(text) > 0 && (text[0] < '0' || text[0] > '9') {
			c.value(text, a, uint64(i), kind)
		}
	}
	for i, word := range a.Kind.OneOf {
		c.value(word, a, uint64(i), kind)
	}
}

// banks returns an instruction with each value of an operand's silent parts, which select the register that a number
// means.
func banks(in isa.Inst, a *isa.Arg) []isa.Inst {
	list := []isa.Inst{in}
	for i := range a.Parts {
		p := &a.Parts[i]
		if n := p.At.Len(); p.Side == isa.Silent && n > 0 && n < 4 {
			for v := uint64(0); v < 1<<n; v++ {
				try := in
				if try.Word = p.Put(in.Word, v); v != p.Default {
					list = append(list, try)
				}
			}
		}
	}
	return list
}

// value offers a text of an operand.
func (c *completer) value(text string, a *isa.Arg, v uint64, kind int) {
	if text == "" || isInteger(text) {
		return
	}
	k, sort := kind, "1"
	if len(a.At) == 0 { // a word of the row
		sort = "0"
	}
	if text[0] == '-' || text[0] >= '0' && text[0] <= '9' {
		k = itemValue
	}
	if kind == itemProperty {
		sort = "3"
	}
	c.add(completionItem{Label: text, Kind: k, Detail: a.Name + ": " + a.Kind.Name, SortText: fmt.Sprintf("%s%04d", sort, v)})
}

// mostParts is the largest width of a part whose texts are listed.
const mostParts = 8

// parts offers what may follow an operand and its dot.
func (c *completer) parts(in isa.Inst, a *isa.Arg) {
	dot := strings.LastIndexByte(c.typed, '.')
	if dot < 0 {
		return
	}
	plain := argText(&in, a)
	for i := range a.Parts {
		p := &a.Parts[i]
		if p.Side != isa.After || p.At.Len() == 0 || p.At.Len() > mostParts {
			continue
		}
		for v := range uint64(1) << p.At.Len() {
			try := in
			try.Word = p.Put(in.Word, v)
			if more, ok := strings.CutPrefix(argText(&try, a), plain); ok && more != "" {
				c.add(completionItem{Label: c.typed[:dot] + more, Kind: itemProperty, Detail: p.Name})
			}
		}
	}
}

// suffixes offers what may follow a mnemonic and a dot.
func (c *completer) suffixes(t *isa.Target) {
	dot := strings.LastIndexByte(c.typed, '.')
	name, _ := mnemonicIn(t, []byte(c.typed), &asm.Piece{Extent: asm.Extent{To: len(c.typed)}})
	if dot < 0 || name == "" || len(name) > dot {
		return
	}
	for _, d := range rowsOf(t, name) {
		in := sampleOf(t, d)
		for i := range d.Args {
			a := &d.Args[i]
			if a.Place != isa.Suffix || a.At.Len() > mostParts {
				continue
			}
			for v := range uint64(1) << a.At.Len() {
				try := in
				try.Word = a.Put(in.Word, v)
				if text := argText(&try, a); strings.HasPrefix(text, ".") {
					c.add(completionItem{Label: c.typed[:dot] + text, Kind: itemProperty, Detail: a.Kind.Name})
				}
			}
		}
	}
}

// argText returns the printed text of an operand.
func argText(in *isa.Inst, a *isa.Arg) string {
	return strings.TrimSpace(string(isa.Printer{}.AppendArg([]byte{' '}, in, a)))
}

func isInteger(s string) bool {
	return strings.Trim(s, "-0123456789abcdefx") == "" && strings.ContainsAny(s[:1], "-0123456789")
}
