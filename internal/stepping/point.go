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

// A Point is a place in code: an address as in a listing, a symbol with or without an offset, FILE:LINE of the source,
// or an instruction.
type Point struct {
	Text  string
	Waves Waves
	Hit   uint64 // the point is reached when waves have come there so often; 0 is 1

	came   uint64
	code   *exec.Program // for which places were resolved
	places Places
}

// Places are the places of a Point in a program.
type Places struct {
	PCs  []uint64 // addresses in memory
	Word string   // or words of instructions in lower case, for Within
}

// Waves selects waves.
type Waves struct {
	First, Last int  // numbers in the workgroup
	Some        bool // else all waves are selected
	Group       *[3]uint32
}

// Has reports whether a wave is selected.
func (w *Waves) Has(at *exec.Where) bool {
	return (!w.Some || at.Wave >= w.First && at.Wave <= w.Last) && (w.Group == nil || *w.Group == at.Group)
}

// String formats the selection for ParsePoint, without the first comma.
func (w Waves) String() string {
	var list []string
	if w.Some {
		list = append(list, fmt.Sprintf("wave:%d", w.First))
		if w.Last != w.First {
			list[0] += fmt.Sprintf("-%d", w.Last)
		}
	}
	if w.Group != nil {
		list = append(list, fmt.Sprintf("group:%d.%d.%d", w.Group[0], w.Group[1], w.Group[2]))
	}
	return strings.Join(list, ",")
}

// set parses a word of a list: wave:0, wave:0-3, group:1.0.0. known reports whether it is of this kind.
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

// ParseLanes reads N or N-M.
func ParseLanes(text string) (r LaneRange, err error) {
	r.First, r.Last, err = span(text)
	return r, err
}

// ParsePoint reads PLACE[,wave:N][,group:X.Y.Z][,hit:N]. The place may be the text of an instruction with commas.
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
		return p, fmt.Errorf("no place; want a symbol, an address, FILE:LINE or an instruction, such as loop, 0x1040, dot.cl:12, s_barrier")
	}
	return p, nil
}

// At reports whether a wave has reached the point for the requested number of times. The error reports a point that the
// code does not have.
func (p *Point) At(s *exec.Step, text string) (bool, error) {
	if !p.Waves.Has(&s.Env.Where) || s.Sub != 0 {
		return false, nil
	}
	if p.code != s.Program {
		if err := p.resolve(s.Program); err != nil {
			return false, err
		}
	}
	if w := p.places.Word; w == "" && !slices.Contains(p.places.PCs, s.PC) || w != "" && !Within(w, text) {
		return false, nil
	}
	p.came++
	return p.came == max(p.Hit, 1), nil
}

// resolve finds the places of the text in a program.
func (p *Point) resolve(code *exec.Program) (err error) {
	p.code = code
	p.places, err = p.Find(code, nil)
	return err
}

// Find returns the places of the text in a program. list is the listing of the program; if nil, it is made when needed.
func (p *Point) Find(code *exec.Program, list *Listing) (Places, error) {
	d, described := ir.Describe(code)
	var from *loc.Map
	if described {
		from = d.From()
	}
	if addr, err := strconv.ParseUint(strings.TrimPrefix(p.Text, "*"), 0, 64); err == nil {
		return Places{PCs: []uint64{from.Memory(addr)}}, nil
	}
	if !described {
		return Places{}, &UnknownPoint{Text: p.Text}
	}
	symbols := from.All()
	name, offset, _ := strings.Cut(strings.TrimPrefix(p.Text, "*"), "+")
	more, err := strconv.ParseUint(offset, 0, 64)
	for _, y := range symbols {
		switch {
		case y.Name == p.Text:
			return Places{PCs: []uint64{from.Memory(y.Addr)}}, nil
		case y.Name == name && err == nil:
			return Places{PCs: []uint64{from.Memory(y.Addr + more)}}, nil
		}
	}
	if file, line, ok := FileLine(p.Text); ok {
		if list == nil {
			list = NewListing(d)
		}
		pcs, _ := list.Line(file, line)
		if pcs == nil {
			return Places{}, &NoLine{File: file, Line: line, Files: list.Files(), Known: list.File(file) != ""}
		}
		return Places{PCs: pcs}, nil
	}
	words := mnemonics(d)
	first := strings.ToLower(p.Text)
	if end := strings.IndexAny(first, " ."); end >= 0 {
		first = first[:end]
	}
	if i, found := slices.BinarySearch(words, first); first != "" && (found || i < len(words) && strings.HasPrefix(words[i], first+"_")) {
		return Places{Word: strings.ToLower(p.Text)}, nil
	}
	u := &UnknownPoint{Text: p.Text, Words: isa.Nearest(first, words)}
	for _, y := range symbols {
		u.Symbols = append(u.Symbols, y.Name)
	}
	return Places{}, u
}

// FileLine reads FILE:LINE. A column, as printed in messages, is ignored.
func FileLine(text string) (file string, line int, ok bool) {
	for range 2 {
		i := strings.LastIndexByte(text, ':')
		if i <= 0 {
			break
		}
		n, err := strconv.ParseUint(text[i+1:], 10, 31)
		if err != nil || n == 0 {
			break
		}
		text, line, ok = text[:i], int(n), true
	}
	return text, line, ok
}

// A NoLine is a source line without code in a program.
type NoLine struct {
	File  string
	Line  int
	Files []string // that the program has code of
	Known bool     // File is one of them, but has no code at the line or after it
}

func (n *NoLine) Error() string {
	switch {
	case n.Known:
		return fmt.Sprintf("%s:%d: no code at this line or after it", n.File, n.Line)
	case len(n.Files) == 0:
		return fmt.Sprintf("%s:%d: the code has no line table; assembly and code compiled with -g have one", n.File, n.Line)
	}
	return fmt.Sprintf("%s:%d: no code of this file; the source files of the code are %s", n.File, n.Line, strings.Join(n.Files, ", "))
}

// mnemonics returns the distinct names of instructions up to their first dot, in lower case, in order.
func mnemonics(d ir.Described) (words []string) {
	for _, name := range d.Mnemonics() {
		word, _, _ := strings.Cut(name, ".")
		words = append(words, strings.ToLower(word))
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// Within reports whether words occur in the text of an instruction, ignoring case, as whole words. They may be followed
// by an underscore or a dot: v_mov_b32 is in v_mov_b32_e32.
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

// listed limits the symbols named in an error.
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
