package stepping

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/loc"
)

// A Point is a place that waves come to: an address as a listing has it, a symbol with or without an offset, or an instruction.
type Point struct {
	Text  string
	Waves Waves
	Hit   uint64 // it counts when waves have come there so often; 0 is 1

	came  uint64
	every bool          // it counts every time from Hit on
	code  *exec.Program // that what follows is of
	pc    uint64
	word  string // of instructions, in small letters; "": pc counts
}

// Waves are the waves that something is about.
type Waves struct {
	First, Last int  // numbers in the group
	Some        bool // else all
	Group       *[3]uint32
}

// Has reports whether it is about a wave.
func (w *Waves) Has(at *exec.Where) bool {
	return (!w.Some || at.Wave >= w.First && at.Wave <= w.Last) && (w.Group == nil || *w.Group == at.Group)
}

// set takes a word of a list: wave:0, wave:0-3, group:1.0.0. known is whether it is of this kind.
func (w *Waves) set(key, value string) (known bool, err error) {
	switch key {
	case "wave":
		w.First, w.Last, err = span(value)
		w.Some = true
	case "group":
		w.Group = new([3]uint32)
		for i, s := range strings.Split(value, ".") {
			n, e := strconv.ParseUint(s, 0, 32)
			if e != nil || i > 2 {
				return true, fmt.Errorf("group:%s: want X, X.Y or X.Y.Z, such as group:1.0.0", value)
			}
			w.Group[i] = uint32(n)
		}
	default:
		return false, nil
	}
	if err != nil {
		err = fmt.Errorf("%s:%s: %w", key, value, err)
	}
	return true, err
}

// span reads N or N-M.
func span(text string) (first, last int, err error) {
	a, b, two := strings.Cut(text, "-")
	if !two {
		b = a
	}
	x, errA := strconv.ParseUint(a, 0, 31)
	y, errB := strconv.ParseUint(b, 0, 31)
	if errA != nil || errB != nil || y < x {
		return 0, 0, fmt.Errorf("want a number or two, such as 0 or 0-3")
	}
	return int(x), int(y), nil
}

// ParsePoint reads PLACE[,wave:N][,group:X.Y.Z][,hit:N]. Commas of the place, which may be the text of an instruction, stay its own.
func ParsePoint(text string) (p Point, err error) {
	for {
		i := strings.LastIndexByte(text, ',')
		key, value, ok := strings.Cut(text[i+1:], ":")
		if i < 0 || !ok {
			break
		}
		known, err := p.Waves.set(key, value)
		if key == "hit" {
			known = true
			if p.Hit, err = strconv.ParseUint(value, 0, 64); err != nil || p.Hit == 0 {
				err = fmt.Errorf("hit:%s: want how often waves have come there, from 1", value)
			}
		}
		if err != nil {
			return p, err
		}
		if !known {
			break
		}
		text = text[:i]
	}
	if p.Text = strings.TrimSpace(text); p.Text == "" {
		return p, fmt.Errorf("no place; want a symbol, an address or an instruction, such as loop, 0x1040, s_barrier")
	}
	return p, nil
}

// At reports whether a wave has come to the point, for as many times as it asks for. The error is of a point that the code does not have.
func (p *Point) At(s *exec.Step, text string) (bool, error) {
	if !p.Waves.Has(&s.Env.Where) || s.Sub != 0 {
		return false, nil
	}
	if p.code != s.Program {
		if err := p.resolve(s.Program); err != nil {
			return false, err
		}
	}
	if p.word == "" && p.pc != s.PC || p.word != "" && !Within(p.word, text) {
		return false, nil
	}
	p.came++
	return p.came == max(p.Hit, 1) || p.every && p.came > p.Hit, nil
}

// resolve finds what the text means in a program.
func (p *Point) resolve(code *exec.Program) (err error) {
	p.code = code
	p.pc, p.word, err = p.Find(code)
	return err
}

// Find is what the text means in a program: an address in memory, or words of instructions in small letters, for Within.
func (p *Point) Find(code *exec.Program) (pc uint64, word string, err error) {
	d, described := ir.Describe(code)
	var from *loc.Map
	if described {
		from = d.From()
	}
	if addr, err := strconv.ParseUint(p.Text, 0, 64); err == nil {
		return from.Memory(addr), "", nil
	}
	if !described {
		return 0, "", &UnknownPoint{Text: p.Text}
	}
	symbols := from.All()
	name, offset, _ := strings.Cut(p.Text, "+")
	more, err := strconv.ParseUint(offset, 0, 64)
	for _, y := range symbols {
		switch {
		case y.Name == p.Text:
			return from.Memory(y.Addr), "", nil
		case y.Name == name && err == nil:
			return from.Memory(y.Addr + more), "", nil
		}
	}
	words := mnemonics(d)
	first := strings.ToLower(p.Text)
	if end := strings.IndexAny(first, " ."); end >= 0 {
		first = first[:end]
	}
	if i, found := slices.BinarySearch(words, first); first != "" && (found || i < len(words) && strings.HasPrefix(words[i], first+"_")) {
		return 0, strings.ToLower(p.Text), nil
	}
	u := &UnknownPoint{Text: p.Text, Words: isa.Nearest(first, words)}
	for _, y := range symbols {
		u.Symbols = append(u.Symbols, y.Name)
	}
	return 0, "", u
}

// mnemonics are the names of instructions up to their first dot, in small letters, each once and in order.
func mnemonics(d ir.Described) (words []string) {
	for _, name := range d.Mnemonics() {
		word, _, _ := strings.Cut(name, ".")
		words = append(words, strings.ToLower(word))
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// Within reports whether words stand in the text of an instruction, in letters of either case, not in the middle of others. What
// follows them may go on with an underline or a dot: v_mov_b32 is in v_mov_b32_e32.
func Within(words, text string) bool {
	text = strings.ToLower(text)
	for from := 0; ; {
		i := strings.Index(text[from:], words)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(words)
		if (i == 0 || !inWord(text[i-1])) && (end == len(text) || text[end] == '_' || text[end] == '.' || !inWord(text[end])) {
			return true
		}
		from = i + 1
	}
}

func inWord(c byte) bool {
	return c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z'
}

// An UnknownPoint is a place that the code does not have.
type UnknownPoint struct {
	Text    string
	Words   string // the nearest name of an instruction
	Symbols []string
}

// listed is how many symbols an error names.
const listed = 8

func (u *UnknownPoint) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: no symbol, address or instruction of the code", u.Text)
	if near := isa.Nearest(u.Text, u.Symbols); near != "" {
		fmt.Fprintf(&b, "; the nearest symbol is %s", near)
		return b.String()
	}
	if n := len(u.Symbols); n > 0 {
		fmt.Fprintf(&b, "; symbols are %s", strings.Join(u.Symbols[:min(n, listed)], ", "))
		if n > listed {
			fmt.Fprintf(&b, " and %d more", n-listed)
		}
	}
	if u.Words != "" {
		fmt.Fprintf(&b, "; the nearest instruction is %s", u.Words)
	}
	return b.String()
}
