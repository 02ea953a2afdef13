package valhall

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// reword implements Arch.Reword: a text that matches a syntax of the dialect is rewritten to the first dialect, others
// are unchanged.
func reword(s *isa.Scan) (isa.Reworded, bool) {
	line := s.Line
	start := len(line) - len(strings.TrimLeft(line, " \t"))
	end := start + isa.WordLen(line[start:])
	operands := operandsOf(line, end)
	names := syntaxesNamed(s.Target.Dialect, s.Target.Set)
	for cut := end; cut > start; cut = start + max(strings.LastIndexByte(line[start:cut], '.'), 0) {
		for _, v := range names[line[start:cut]] {
			if !v.def.InVariant(s.Target.Variant) || s.Target.Variant+firstArch < v.since || len(operands) != len(v.operands) {
				continue
			}
			m := match{syntax: v, scan: s, operands: operands}
			if m.modifiers(line[cut:end]) && m.parts() && m.fits() {
				return m.native(start), true
			}
		}
	}
	return isa.Reworded{Text: line, Place: func(at int) int { return at }}, true
}

// A piece is a range of the line.
type piece struct{ from, to int }

// operandsOf are the operands of a line from a position on: separated by commas outside of brackets.
func operandsOf(line string, at int) (list []piece) {
	if strings.TrimSpace(line[at:]) == "" {
		return nil
	}
	depth, from := 0, at
	add := func(to int) {
		text := line[from:to]
		trimmed := strings.TrimLeft(text, " \t")
		list = append(list, piece{to - len(trimmed), to - len(trimmed) + len(strings.TrimRight(trimmed, " \t"))})
	}
	for i := at; i < len(line); i++ {
		switch line[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ',':
			if depth == 0 {
				add(i)
				from = i + 1
			}
		}
	}
	add(len(line))
	return list
}

// A match matches a text against a syntax.
type match struct {
	syntax   *syntax
	scan     *isa.Scan
	operands []piece
	mods     []modMatch   // by modifier
	ends     []int        // the start of each operand's modifiers
	rest     [][]modMatch // by operand and modifier
	named    bool         // an address is given by a symbol
	open     bool         // whose value is unknown so far
}

// A modMatch is what a text gives for a modifier: the number of the choice, -1 for none, or the text of a derived one.
type modMatch struct {
	choice int
	text   string
}

// modifiers matches those of the mnemonic.
func (m *match) modifiers(text string) (ok bool) {
	m.mods, text = matchModifiers(m.syntax.mods, text)
	return text == ""
}

// matchModifiers matches modifiers in any order; rest is the text that matches none.
func matchModifiers(modifiers []modSyntax, text string) (list []modMatch, rest string) {
	list = make([]modMatch, len(modifiers))
	for i := range list {
		list[i].choice = -1
	}
	for strings.HasPrefix(text, ".") {
		best, at, which := "", -1, -1
		try := func(i, c int, word string) {
			if len(word) > len(best) && strings.HasPrefix(text, word) && (len(text) == len(word) || text[len(word)] == '.') {
				best, at, which = word, i, c
			}
		}
		for i := range modifiers {
			p := &modifiers[i]
			if list[i].choice >= 0 || list[i].text != "" {
				continue
			}
			for c := range p.choices {
				try(i, c, p.choices[c].text)
			}
			for _, word := range p.texts {
				try(i, -1, word)
			}
		}
		if best == "" {
			break
		}
		list[at] = modMatch{which, best}
		text = text[len(best):]
	}
	for i := range list {
		if p := &modifiers[i]; list[i].text == "" {
			list[i].choice = slices.IndexFunc(p.choices, func(c choice) bool { return c.text == "" })
		}
	}
	return list, text
}

// parts matches the modifiers of operands.
func (m *match) parts() bool {
	for i, at := range m.operands {
		o := &m.syntax.operands[i]
		text := m.scan.Line[at.from:at.to]
		n := m.base(o.arg, text)
		given, rest := matchModifiers(o.parts, text[n:])
		if rest != "" && len(o.parts) > 0 {
			return false
		} else if rest != "" {
			n = len(text)
		}
		m.ends, m.rest = append(m.ends, at.from+n), append(m.rest, given)
	}
	return true
}

// base is the length of an operand without its modifiers.
func (m *match) base(a *isa.Arg, text string) int {
	n := strings.IndexByte(text, '.')
	if strings.HasPrefix(text, "[") {
		n = strings.IndexByte(text, ']') + 1
	}
	if n <= 0 || !isSource(a) && a.Name != "dst" {
		return len(text)
	}
	named := text[0] == 'u' || strings.ContainsRune(text[:n], '_') || text[:n] == "sample" || text[:n] == "pc" || text[:n] == "program_counter"
	if word := text[n:]; named && text[0] != 'k' && (strings.HasPrefix(word, ".w0") || strings.HasPrefix(word, ".w1")) &&
		(a.Width != 64 || m.scan.Target.Dialect == Mesa26 && (text[0] != 'u' || strings.Contains(text[:n], "_"))) {
		n += len(".w0")
	}
	return n
}

// fits reports whether the text agrees with the syntax: with the fields that the name fixes, and with constant
// modifiers.
func (m *match) fits() bool {
	agrees := func(modifiers []modSyntax, given []modMatch) bool {
		for i := range modifiers {
			p := &modifiers[i]
			switch k := given[i].choice; {
			case k >= 0:
				c := &p.choices[k]
				same := slices.ContainsFunc(p.choices, func(o choice) bool {
					return o.text == c.text && (o.value^m.syntax.value)&o.mask&m.syntax.mask == 0
				})
				if !same {
					return false
				}
			case p.derived == nil && len(p.choices) == 1:
				return false
			}
		}
		return true
	}
	if !agrees(m.syntax.mods, m.mods) {
		return false
	}
	for i := range m.rest {
		if !agrees(m.syntax.operands[i].parts, m.rest[i]) {
			return false
		}
	}
	return true
}

// native is the text in the first dialect.
func (m *match) native(start int) isa.Reworded {
	var r isa.Rewording
	v, line := m.syntax, m.scan.Line
	r.Put(v.def.Name+v.implied, start)
	put := func(modifiers []modSyntax, given []modMatch, at int) {
		for i := range modifiers {
			if k := given[i].choice; k >= 0 && modifiers[i].choices[k].native != "" {
				r.Put(modifiers[i].choices[k].native, at)
			}
		}
	}
	put(v.mods, m.mods, start)
	for i := range v.def.Operands() {
		if r.Put(", ", start); i == 0 {
			r.Text = append(r.Text[:len(r.Text)-2], ' ')
		}
		k := slices.IndexFunc(v.operands, func(o operandSyntax) bool { return o.at == i })
		if k < 0 {
			r.Put(v.fixed[i], start)
			continue
		}
		from := m.operands[k].from
		text := line[from:m.ends[k]]
		if other := m.operand(v.operands[k].arg, text); other != text {
			r.Put(other, from)
		} else {
			r.Copy(line, from, m.ends[k])
		}
		for _, s := range v.signs {
			if s.at == i {
				r.Put(s.text, from)
			}
		}
		put(v.operands[k].parts, m.rest[k], m.ends[k])
	}
	return isa.Reworded{Text: string(r.Text), Place: r.Place, Done: m.done}
}

// done stores values that the first dialect cannot express, and checks derived modifiers against the fields.
func (m *match) done(in *isa.Inst) error {
	s := m.scan
	s.UsedSymbol, s.Unresolved = s.UsedSymbol || m.named, s.Unresolved || m.open
	s.Touched, s.Open = s.Touched || m.named, s.Open || m.open
	all := func(modifiers []modSyntax, given []modMatch) error {
		for i := range modifiers {
			switch p := &modifiers[i]; {
			case p.sets && given[i].choice >= 0:
				c := &p.choices[given[i].choice]
				w := in.Word.Lo
				in.Word.Lo = w&^c.mask | c.value
			case p.derived != nil && given[i].text != "" && given[i].text != p.text(in.Word.Lo):
				return &isa.Error{Code: isa.ErrOperand, Line: 1, Col: m.operands[0].from + 1, Msg: fmt.Sprintf("the registers have room for %q, and the text says %q", p.text(in.Word.Lo), given[i].text)}
			}
		}
		return nil
	}
	for i := range m.rest {
		if err := all(m.syntax.operands[i].parts, m.rest[i]); err != nil {
			return err
		}
	}
	return all(m.syntax.mods, m.mods)
}

// operand is an operand in the first dialect, without its modifiers; unknown text is unchanged.
func (m *match) operand(a *isa.Arg, text string) string {
	kraid := m.scan.Target.Dialect == Kraid
	switch {
	case a.Name == "dst" || a.Name == "first" || isSource(a):
		return m.register(a, text)
	case !kraid:
		return text
	case a.Name == "target" && rowOf(&isa.Inst{Def: m.syntax.def}).form.jumps:
		if v, err := strconv.ParseUint(text, 0, 64); err == nil && v > math.MaxInt64 { // a negative distance
			return strconv.FormatInt(int64(v), 10)
		}
	case a.Name == "target" && !strings.Contains(text, ":") && !strings.HasPrefix(text, "#"):
		if v, ok := m.distance(text); ok && v%wordBytes == 0 {
			return fmt.Sprintf("target:%d", v/wordBytes)
		}
	case a.Name == "constant" && m.syntax.name == nameADR && !strings.HasPrefix(text, "#"):
		if v, ok := m.distance(text); ok {
			return fmt.Sprintf("#%d", v)
		}
	case a.Name == "table":
		if v, err := strconv.ParseUint(strings.TrimPrefix(text, "#"), 0, 8); err == nil && v >= upperTables && v <= upperTables|tableBits {
			return "#" + strconv.FormatUint(v&tableBits, 10)
		}
	}
	return text
}

// distance is the distance of an address from the next instruction.
func (m *match) distance(text string) (v int64, ok bool) {
	if v, err := strconv.ParseUint(text, 0, 64); err == nil {
		return int64(v - m.scan.Addr - wordBytes), true
	}
	sub := isa.Scan{Target: m.scan.Target, Symbol: m.scan.Symbol, Call: m.scan.Call, Kinds: m.scan.Kinds}
	sub.Reset(text, m.scan.Addr)
	v, ok = sub.Expr()
	m.named, m.open = m.named || sub.UsedSymbol, m.open || sub.Unresolved
	if m.open { // any address is accepted
		return 0, ok && sub.End()
	}
	return v - int64(m.scan.Addr) - wordBytes, ok && sub.End()
}

// register is a register, uniform word, constant or special value in the first dialect.
func (m *match) register(a *isa.Arg, text string) string {
	kraid := m.scan.Target.Dialect == Kraid
	if inner, ok := strings.CutPrefix(text, "["); ok && (a.Width == 64 || a.Name == "first") {
		inner = strings.TrimSuffix(inner, "]")
		first, second, two := strings.Cut(inner, ":")
		if v := uniform(inner); v >= 0 {
			return "u" + strconv.Itoa(v)
		} else if !two {
			return named(kraid, inner)
		}
		v, mark, ok := numberOf(first)
		w, other, ok2 := numberOf(second)
		if ok && ok2 && w == v+1 && mark == other && (mark == "" || a.Name != "dst") {
			return "r" + strconv.Itoa(v) + mark
		}
		return text
	}
	if group, ok := strings.CutPrefix(text, "@"); ok && a.Name == "first" {
		first, _, _ := strings.Cut(group, ":")
		return first
	}
	if !isSource(a) {
		return text
	}
	if digits, ok := strings.CutPrefix(text, "u"); ok && a.Width == 64 {
		if n, err := strconv.ParseUint(digits, 10, 8); err == nil { // a number that is too great is too great there, too
			return "u" + strconv.FormatUint(2*n, 10)
		}
	}
	if v := uniform(text); v >= 0 {
		return "u" + strconv.Itoa(v)
	}
	if kraid {
		for i := range constants {
			if text == constantName(m.scan.Target.Variant+firstArch, uint64(i)) {
				return "k" + strconv.Itoa(i)
			}
		}
	}
	out := named(kraid, text)
	if a.Width == 64 && !strings.Contains(out, ".") && isSpecial(out) {
		out += ".w0"
	}
	return out
}

// named is the first dialect's name of a special value.
func named(kraid bool, text string) string {
	if rest, ok := strings.CutPrefix(text, "pc"); ok && kraid && (rest == "" || rest[0] == '.') {
		return specials[PageIdentity][SpecialPC] + rest
	}
	return text
}

func isSpecial(text string) bool {
	for page := range specials {
		if text != "" && slices.Contains(specials[page][:], text) {
			return true
		}
	}
	return false
}

// uniform is the number of the uniform word in a text by pairs, u2.w1; -1 for other text.
func uniform(text string) int {
	pair, word, ok := strings.Cut(strings.TrimPrefix(text, "u"), ".w")
	n, err := strconv.ParseUint(pair, 10, 8)
	if !ok || err != nil || text[0] != 'u' || n >= NumU/2 || word != "0" && word != "1" {
		return -1
	}
	return 2*int(n) + int(word[0]-'0')
}

// numberOf is the number of a register, and its last-use mark.
func numberOf(text string) (n int, mark string, ok bool) {
	digits, found := strings.CutPrefix(text, "r")
	if digits, ok = strings.CutSuffix(digits, "^"); ok {
		mark = "^"
	}
	v, err := strconv.ParseUint(digits, 10, 8)
	return int(v), mark, found && err == nil
}
