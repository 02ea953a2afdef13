package tesla

import (
	"strings"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// Kinds whose texts are words.

// nothing is the position of text without bits.
var nothing = bits.Ranges{}

// hidden is a field that operands print and read: it has no text of its own.
var hidden = &isa.Kind{Name: "an address"}

// choice returns a kind of named values; an empty text is a reserved value.
func choice(name string, texts ...string) *isa.Kind {
	k := &isa.Kind{Name: name, Table: texts, Reserved: make([]bool, len(texts))}
	for v, text := range texts {
		k.Reserved[v] = text == ""
		if text != "" {
			k.Spell = append(k.Spell, isa.Spelling{Text: text, Value: uint64(v)})
		}
	}
	return k
}

// option returns a word that is present if its bit is set.
func option(text string) *isa.Kind {
	return &isa.Kind{Name: `"` + text + `"`, Table: []string{"", text + " "}, Spell: []isa.Spelling{{Text: text, Value: 1}}}
}

var (
	negate   *isa.Kind
	absolute *isa.Kind
	saturate *isa.Kind
	invert   *isa.Kind
	high     *isa.Kind
	sfuWord  *isa.Kind
	unlocks  *isa.Kind
	limited  *isa.Kind
)

// word returns an operand that is only text: words with blanks between them; blanks next to a bracket may be missing.
func word(text string) isa.Arg {
	name := `"` + text + `"`
	k := &isa.Kind{Name: name, Table: []string{text}}
	if strings.IndexFunc(text, func(c rune) bool { return !wordy(byte(c)) }) < 0 {
		k.Spell = []isa.Spelling{{Text: text}}
		return isa.Arg{Name: "word " + text, At: nothing, Kind: k}
	}
	k.Words, k.Only = strings.Fields(strings.Trim(text, "()")), []string{text}
	k.Parse = func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		return 0, readWords(s, text) || s.Expect(name)
	}
	return isa.Arg{Name: "word " + text, At: nothing, Kind: k}
}

// readWords moves over the words of a text, if they are at Pos.
func readWords(s *isa.Scan, text string) bool {
	at := s.Pos
	for text != "" {
		n := 1
		if text[0] != '(' && text[0] != ')' {
			for n < len(text) && text[n] != ' ' {
				n++
			}
		}
		if s.Space(); !strings.HasPrefix(s.Line[s.Pos:], text[:n]) || wordy(text[n-1]) && s.Pos+n < len(s.Line) && wordy(s.Line[s.Pos+n]) {
			s.Pos = at
			return false
		}
		s.Pos += n
		text = strings.TrimPrefix(text[n:], " ")
	}
	return true
}

func wordy(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// Words of instructions.
var (
	signed16  *isa.Kind
	signed24  *isa.Kind
	signed32  *isa.Kind
	roundWord *isa.Kind
	toWhole   *isa.Kind
	nearZero  *isa.Kind
	setInt    *isa.Kind
	setFloat  *isa.Kind
	quadOps   *isa.Kind
	quadLane  = &isa.Kind{Name: "a lane of the quad", Table: []string{"l0", "l1", "l2", "l3", "dx", "dy", "dx", "dy"},
		Spell: []isa.Spelling{{Text: "l0"}, {Text: "l1", Value: 1}, {Text: "l2", Value: 2}, {Text: "l3", Value: 3}, {Text: "dx", Value: 4}, {Text: "dy", Value: 5}}}
	liveOrAll *isa.Kind
)

// quadNeighbour is the first quadLane that is a neighbour: bit 0 selects which, bit 1 has no effect.
const quadNeighbour = 4

// flow is the prefix of any long instruction.
var flow = &isa.Kind{Name: "exit or join", Table: []string{"", "exit ", "join "}, Reserved: []bool{3: true},
	Spell: []isa.Spelling{{Text: "exit", Value: flowExit}, {Text: "join", Value: flowJoin}}}

// forceLong requests the long form.
var forceLong = isa.Arg{Name: "long", Place: isa.Prefix, At: nothing, Kind: &isa.Kind{Name: "long", Spell: []isa.Spelling{{Text: "long"}}}}

// guard is a condition on a $c: the condition in bits 0 to 4.
var guard = &isa.Kind{Name: "a predicate", Table: guardTexts[:], Reserved: guardsReserved[:], First: "(", Parse: parseGuard,
	Samples: []uint64{condAlways, 0, 1, condAlways | 1<<5, 2 | 3<<5, 31}, Cells: guardCells}

var (
	guardTexts     [128]string
	guardsReserved [128]bool
	laneTexts      [16]string
)

// fillPrefixes makes the texts of prefixes.
func fillPrefixes() {
	for v := range guardTexts {
		code := v & 31
		guardsReserved[v] = conditions[code].name == ""
		switch {
		case code == condNever:
			guardTexts[v] = "(never) "
		case code != condAlways && conditions[code].name != "":
			guardTexts[v] = "(" + conditions[code].name + " $c" + string(rune('0'+v>>5)) + ") "
		}
	}
	laneTexts[0] = "(lnone) "
	for v := 1; v < 15; v++ {
		laneTexts[v] = "(l"
		for i := range 4 {
			if v>>i&1 != 0 {
				laneTexts[v] += string(rune('0' + i))
			}
		}
		laneTexts[v] += ") "
	}
}

// parseGuard reads "(lg $c0)". Text in brackets that is no condition is left to others.
func parseGuard(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
	at := s.Pos
	if !s.Byte('(') {
		return 0, false
	}
	s.Space()
	w := s.Word()
	code := uint64(0)
	for code < 32 && (conditions[code].name == "" || conditions[code].name != w) {
		code++
	}
	if code == 32 {
		if _, ok := laneMask(w); !ok {
			return 0, s.Fail(s.Pos, isa.ErrOperand, "a condition such as lg, or lanes such as l02, is expected")
		}
		s.Pos = at
		return 0, false
	}
	s.Pos += len(w)
	s.Space()
	reg := uint64(0)
	if code != condNever && code != condAlways || s.Peek() == '$' {
		var ok bool
		if reg, ok = numbered(s, "$c", NumC, "a flag register"); !ok {
			return 0, false
		}
		s.Space()
	}
	if !s.Byte(')') {
		return 0, s.Expect(`")"`)
	}
	return code | reg<<5, true
}

// laneMask returns the mask of l02 or lnone.
func laneMask(w string) (v uint64, ok bool) {
	if w == "lnone" {
		return 0, true
	}
	if len(w) < 2 || w[0] != 'l' {
		return 0, false
	}
	last := byte('0' - 1)
	for _, c := range []byte(w[1:]) {
		if c <= last || c > '3' {
			return 0, false
		}
		v |= 1 << (c - '0')
		last = c
	}
	return v, true
}

// lanes is the lanes of each quad that a mov writes.
var lanes = &isa.Kind{Name: "lanes", Table: laneTexts[:], First: "(", Parse: parseLanes}

func parseLanes(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
	at := s.Pos
	if !s.Byte('(') {
		return 0, false
	}
	s.Space()
	w := s.Word()
	v, ok := laneMask(w)
	if !ok {
		s.Pos = at
		return 0, false
	}
	s.Pos += len(w)
	if s.Space(); !s.Byte(')') {
		return 0, s.Expect(`")"`)
	}
	return v, true
}

// behind returns a word that follows an operand if its bit is set.
func behind(text string) *isa.Kind {
	return &isa.Kind{Name: `"` + text + `"`, Table: []string{"", " " + text}, Spell: []isa.Spelling{{Text: " " + text, Value: 1}}}
}

// fillWords makes the kinds whose values are words.
func fillWords() {
	negate = option("neg")
	absolute = option("abs")
	saturate = option("sat")
	invert = option("not")
	high = option("high")
	sfuWord = option("sfu")
	unlocks = option("unlock")
	limited = option("lim")
	signed16 = choice("u16 or s16", "u16", "s16")
	signed24 = choice("u24 or s24", "u24", "s24")
	signed32 = choice("u32 or s32", "u32", "s32")
	roundWord = choice("a rounding mode", "rn", "rm", "rp", "rz")
	toWhole = choice("a rounding mode", "rni", "rmi", "rpi", "rzi")
	nearZero = choice("rn or rz", "rn", "", "", "rz")
	setInt = choice("a comparison", "never", "l", "e", "le", "g", "lg", "ge", "always")
	setFloat = choice("a comparison", "never", "l", "e", "le", "g", "lg", "ge", "lge", "u", "lu", "eu", "leu", "gu", "lgu", "geu", "always")
	quadOps = choice("an operation", "add", "subr", "sub", "mov2")
	liveOrAll = choice("all or live", "all", "live")
}
