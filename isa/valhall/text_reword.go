package valhall

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// reword implements Arch.Reword: a text that matches a voice of the dialect is rewritten to the first dialect, others
// are unchanged.
func reword(s *isa.Scan) (isa.Reworded, bool) {
	line := s.Line
	start := len(line) - len(strings.TrimLeft(line, " \t"))
	end := start + isa.WordLen(line[start:])
	operands := operandsOf(line, end)
	names := voicesNamed(s.Target.Dialect, s.Target.Set)
	for cut := end; cut > start; cut = start + max(strings.LastIndexByte(line[start:cut], '.'), 0) {
		for _, v := range names[line[start:cut]] {
			if !v.def.InVariant(s.Target.Variant) || s.Target.Variant+firstArch < v.since || len(operands) != len(v.operands) {
				continue
			}
			h := hearing{voice: v, scan: s, operands: operands}
			if h.words(line[cut:end]) && h.parts() && h.fits() {
				return h.native(start), true
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

// A hearing matches a text against a voice.
type hearing struct {
	voice    *voice
	scan     *isa.Scan
	operands []piece
	mods     []heard   // by modifier
	ends     []int     // the start of each operand's modifiers
	rest     [][]heard // by operand and modifier
	named    bool      // an address is given by a symbol
	open     bool      // whose value is unknown so far
}

// A heard is what a text gives for a modifier: the number of the choice, -1 for none, or the text of a derived one.
type heard struct {
	choice int
	text   string
}

// words matches the modifiers of the mnemonic.
func (h *hearing) words(text string) (ok bool) {
	h.mods, text = hear(h.voice.words, text)
	return text == ""
}

// hear matches modifiers in any order; rest is the text that matches none.
func hear(phrases []phrase, text string) (list []heard, rest string) {
	list = make([]heard, len(phrases))
	for i := range list {
		list[i].choice = -1
	}
	for strings.HasPrefix(text, ".") {
		best, at, which := "", -1, -1
		meet := func(i, c int, said string) {
			if len(said) > len(best) && strings.HasPrefix(text, said) && (len(text) == len(said) || text[len(said)] == '.') {
				best, at, which = said, i, c
			}
		}
		for i := range phrases {
			p := &phrases[i]
			if list[i].choice >= 0 || list[i].text != "" {
				continue
			}
			for c := range p.choices {
				meet(i, c, p.choices[c].text)
			}
			for _, said := range p.likely {
				meet(i, -1, said)
			}
		}
		if best == "" {
			break
		}
		list[at] = heard{which, best}
		text = text[len(best):]
	}
	for i := range list {
		if p := &phrases[i]; list[i].text == "" {
			list[i].choice = slices.IndexFunc(p.choices, func(c choice) bool { return c.text == "" })
		}
	}
	return list, text
}

// parts matches the modifiers of operands.
func (h *hearing) parts() bool {
	for i, at := range h.operands {
		o := &h.voice.operands[i]
		text := h.scan.Line[at.from:at.to]
		n := h.base(o.arg, text)
		said, rest := hear(o.parts, text[n:])
		if rest != "" && len(o.parts) > 0 {
			return false
		} else if rest != "" {
			n = len(text)
		}
		h.ends, h.rest = append(h.ends, at.from+n), append(h.rest, said)
	}
	return true
}

// base is the length of an operand without its modifiers.
func (h *hearing) base(a *isa.Arg, text string) int {
	n := strings.IndexByte(text, '.')
	if strings.HasPrefix(text, "[") {
		n = strings.IndexByte(text, ']') + 1
	}
	if n <= 0 || !isSource(a) && a.Name != "dst" {
		return len(text)
	}
	named := text[0] == 'u' || strings.ContainsRune(text[:n], '_') || text[:n] == "sample" || text[:n] == "pc" || text[:n] == "program_counter"
	if word := text[n:]; named && text[0] != 'k' && (strings.HasPrefix(word, ".w0") || strings.HasPrefix(word, ".w1")) &&
		(a.Width != 64 || h.scan.Target.Dialect == Mesa26 && (text[0] != 'u' || strings.Contains(text[:n], "_"))) {
		n += len(".w0")
	}
	return n
}

// fits reports whether the text agrees with the voice: with the fields that the name fixes, and with constant
// modifiers.
func (h *hearing) fits() bool {
	agrees := func(phrases []phrase, said []heard) bool {
		for i := range phrases {
			p := &phrases[i]
			switch k := said[i].choice; {
			case k >= 0:
				c := &p.choices[k]
				same := slices.ContainsFunc(p.choices, func(o choice) bool {
					return o.text == c.text && (o.value^h.voice.value)&o.mask&h.voice.mask == 0
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
	if !agrees(h.voice.words, h.mods) {
		return false
	}
	for i := range h.rest {
		if !agrees(h.voice.operands[i].parts, h.rest[i]) {
			return false
		}
	}
	return true
}

// native is the text in the first dialect.
func (h *hearing) native(start int) isa.Reworded {
	var r isa.Rewording
	v, line := h.voice, h.scan.Line
	r.Put(v.def.Name+v.said, start)
	put := func(phrases []phrase, said []heard, at int) {
		for i := range phrases {
			if k := said[i].choice; k >= 0 && phrases[i].choices[k].native != "" {
				r.Put(phrases[i].choices[k].native, at)
			}
		}
	}
	put(v.words, h.mods, start)
	for i := range v.def.Operands() {
		if r.Put(", ", start); i == 0 {
			r.Text = append(r.Text[:len(r.Text)-2], ' ')
		}
		k := slices.IndexFunc(v.operands, func(o spoken) bool { return o.at == i })
		if k < 0 {
			r.Put(v.fixed[i], start)
			continue
		}
		from := h.operands[k].from
		text := line[from:h.ends[k]]
		if other := h.operand(v.operands[k].arg, text); other != text {
			r.Put(other, from)
		} else {
			r.Copy(line, from, h.ends[k])
		}
		for _, s := range v.signs {
			if s.at == i {
				r.Put(s.text, from)
			}
		}
		put(v.operands[k].parts, h.rest[k], h.ends[k])
	}
	return isa.Reworded{Text: string(r.Text), Place: r.Place, Done: h.done}
}

// done stores values that the first dialect cannot express, and checks derived modifiers against the fields.
func (h *hearing) done(in *isa.Inst) error {
	s := h.scan
	s.UsedSymbol, s.Unresolved = s.UsedSymbol || h.named, s.Unresolved || h.open
	s.Touched, s.Open = s.Touched || h.named, s.Open || h.open
	all := func(phrases []phrase, said []heard) error {
		for i := range phrases {
			switch p := &phrases[i]; {
			case p.sets && said[i].choice >= 0:
				c := &p.choices[said[i].choice]
				w := in.Word.Lo
				in.Word.Lo = w&^c.mask | c.value
			case p.derived != nil && said[i].text != "" && said[i].text != p.text(in.Word.Lo):
				return &isa.Error{Code: isa.ErrOperand, Line: 1, Col: h.operands[0].from + 1, Msg: fmt.Sprintf("the registers have room for %q, and the text says %q", p.text(in.Word.Lo), said[i].text)}
			}
		}
		return nil
	}
	for i := range h.rest {
		if err := all(h.voice.operands[i].parts, h.rest[i]); err != nil {
			return err
		}
	}
	return all(h.voice.words, h.mods)
}

// operand is an operand in the first dialect, without its modifiers; unknown text is unchanged.
func (h *hearing) operand(a *isa.Arg, text string) string {
	kraid := h.scan.Target.Dialect == Kraid
	switch {
	case a.Name == "dst" || a.Name == "first" || isSource(a):
		return h.register(a, text)
	case !kraid:
		return text
	case a.Name == "target" && rowOf(&isa.Inst{Def: h.voice.def}).form.jumps:
		if v, err := strconv.ParseUint(text, 0, 64); err == nil && v > math.MaxInt64 { // a negative distance
			return strconv.FormatInt(int64(v), 10)
		}
	case a.Name == "target" && !strings.Contains(text, ":") && !strings.HasPrefix(text, "#"):
		if v, ok := h.distance(text); ok && v%wordBytes == 0 {
			return fmt.Sprintf("target:%d", v/wordBytes)
		}
	case a.Name == "constant" && h.voice.name == nameADR && !strings.HasPrefix(text, "#"):
		if v, ok := h.distance(text); ok {
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
func (h *hearing) distance(text string) (v int64, ok bool) {
	if v, err := strconv.ParseUint(text, 0, 64); err == nil {
		return int64(v - h.scan.Addr - wordBytes), true
	}
	sub := isa.Scan{Target: h.scan.Target, Symbol: h.scan.Symbol, Call: h.scan.Call, Kinds: h.scan.Kinds}
	sub.Reset(text, h.scan.Addr)
	v, ok = sub.Expr()
	h.named, h.open = h.named || sub.UsedSymbol, h.open || sub.Unresolved
	if h.open { // any address is accepted
		return 0, ok && sub.End()
	}
	return v - int64(h.scan.Addr) - wordBytes, ok && sub.End()
}

// register is a register, uniform word, constant or special value in the first dialect.
func (h *hearing) register(a *isa.Arg, text string) string {
	kraid := h.scan.Target.Dialect == Kraid
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
			if text == constantName(h.scan.Target.Variant+firstArch, uint64(i)) {
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
