package rogue

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/listing"
)

// lexis are the comment markers of files, by dialect.
var lexis = []isa.Lexis{PCO: {Comments: []string{"//", "/*"}}, Seed: {Comments: []string{"#", "//", "/*"}}, Mesa24: {Comments: []string{"//", "/*"}}}

// open reports whether a statement continues on the next line: until its brace is closed.
func open(t *isa.Target, text, next string) bool {
	if t.Dialect == Seed {
		return listing.Open(text, next)
	}
	return strings.Count(text, "{") > strings.Count(text, "}")
}

// A reader reads the text of a group.
type reader struct {
	s       *isa.Scan
	g       groupText
	given   uint32              // assignments read so far: eight bits each for s, is and w
	selects int                 // 1 + position of a selector; 0: none
	spans   [resultW0 + 2]inRow // numbers of registers named for sources and results
}

// resultW0 is the index of the first result in reader.spans, after the sources.
const resultW0 = 6

func parse(s *isa.Scan, b *isa.Bundle) error {
	if s.Target.Dialect == Seed {
		return parseListing(s, b)
	}
	r := reader{s: s, g: groupText{Contents: group.Contents{Bundle: b, Repeat: 1}}}
	s.Space()
	start := s.Pos
	if err := r.group(); err != nil {
		return err
	}
	return r.encode(start)
}

// encode encodes the group, whose text starts at a position.
func (r *reader) encode(start int) error {
	s := r.s
	if msg := r.g.encode(s.Target, int(s.Pad)); msg != "" {
		return r.wrong(start, isa.ErrIllegal, msg)
	}
	if err := r.held(); err != nil {
		return err
	}
	return r.branch()
}

// An inRow is the number of registers that a text names, 0 if it names only the first, and the position of the text.
type inRow struct{ several, at int }

// held rejects text that the group cannot hold: selectors in a group without their byte, and more registers than a
// source or a result stands for.
func (r *reader) held() error {
	b := r.g.Bundle
	if r.selects > 0 && group.Find(b, group.Selectors) == nil {
		return r.wrong(r.selects-1, isa.ErrOperand, "is1 to is5 select in groups of the main unit alone")
	}
	if r.spans == [len(r.spans)]inRow{} {
		return nil
	}
	var rt routing
	route(b, &rt)
	times := repeats(b)
	for n, x := range r.spans {
		want := times
		switch {
		case x.several == 0:
			continue
		case n >= resultW0:
			want = rt.results(b, times)
		case rt.wide != nil: // compilers print more or fewer of these than the instruction reads
			continue
		case x.several == 1:
			continue
		}
		if x.several != want {
			return r.wrong(x.at, isa.ErrOperand, fmt.Sprintf("the text names %d registers in a row where the group has %d", x.several, want))
		}
	}
	return nil
}

func (r *reader) wrong(at int, code, msg string) error {
	return &isa.Error{Code: code, Line: 1, Col: at + 1, Source: r.s.Line, Msg: msg}
}

// noGroup is the error for text that does not begin like a group: an instruction alone, as PCO prints them before it
// forms groups.
func (r *reader) noGroup(at int) error {
	e := &isa.Error{Code: isa.ErrSyntax, Line: 1, Col: at + 1, Source: r.s.Line, Msg: `a group begins with "{", or with if(p0), if(!p0) or (ignorepe) before it`}
	w := r.s.Word()
	if w == "" || r.s.Trial {
		return e
	}
	if alone, err := r.s.Target.With(Seed, nil); err == nil && alone.Parse(r.s.Line, 0, new(isa.Bundle)) == nil {
		e.Hint = `instructions stand without groups in the style of the reference: "--dialect seed", or a line ".dialect seed"`
	} else {
		_, e.Hint = foreign(r.s.Target, w, "")
	}
	return e
}

// group reads CONDITION { WHAT … }.FLAGS.
func (r *reader) group() error {
	s := r.s
	for {
		switch at := s.Pos; {
		case s.Accept("if(p0)"):
			r.g.Condition = group.IfP0
		case s.Accept("if(!p0)"):
			r.g.Condition = group.IfNotP0
		case s.Accept("(ignorepe)"), s.Accept("any(pe)"):
			r.g.Condition = group.Always
		case strings.HasPrefix(s.Line[at:], "(rpt"):
			s.Pos += len("(rpt")
			n, ok := s.Uint()
			if !ok || n < 1 || n > 4 || !s.Byte(')') {
				return r.wrong(at, isa.ErrRange, "a group repeats 1 to 4 times")
			}
			r.g.Repeat = int(n)
		case s.Byte('{'):
			if err := r.body(); err != nil {
				return err
			}
			return r.Flags()
		case strings.HasPrefix(s.Line[at:], "if("):
			return r.wrong(at+len("if("), isa.ErrOperand, "the condition of a group is p0 or !p0")
		default:
			return r.noGroup(at)
		}
		s.Space()
	}
}

// body reads the text between the braces.
func (r *reader) body() error {
	s := r.s
	for {
		for s.Space(); s.Byte(',') || s.Byte(';'); s.Space() {
		}
		if s.Byte('}') {
			return nil
		}
		if s.End() {
			return r.wrong(len(s.Line), isa.ErrSyntax, `"}" is missing`)
		}
		if err := r.item(); err != nil {
			return err
		}
	}
}

// item reads a repetition, an assignment, or an instruction.
func (r *reader) item() error {
	s := r.s
	at := s.Pos
	switch w := s.Word(); {
	case w == "main" || w == "bitwise" || w == "control": // as Mesa 24.1 begins a group
		s.Pos += len(w)
		return nil
	case w == "repeat":
		s.Pos += len(w)
		s.Space()
		n, ok := s.Uint()
		if !ok || n < 1 || n > 4 {
			return r.wrong(at, isa.ErrRange, "a group repeats 1 to 4 times")
		}
		r.g.Repeat = int(n)
		return nil
	case (len(w) == 2 && (w[0] == 's' || w[0] == 'w') || len(w) == 3 && w[:2] == "is") && w[len(w)-1] >= '0' && w[len(w)-1] <= '5' && r.Assigns(at+len(w)):
		return r.Assignment(w)
	default:
		return r.instruction(w)
	}
}

// Assigns reports whether an assignment continues at a position of the line.
func (r *reader) Assigns(at int) bool {
	rest := r.s.Line[at:]
	return strings.HasPrefix(strings.TrimLeft(rest, " \t\n"), "=") || strings.HasPrefix(rest, "/w0") || strings.HasPrefix(rest, "/w1")
}

// Assignment reads s0 = r4, is0 = s0, is4 = ft0, is4/w0 = ft0, w0 = r5.
func (r *reader) Assignment(w string) error {
	s, at := r.s, r.s.Pos
	s.Pos += len(w)
	if s.Byte('/') { // is4/w0, without blanks before it
		s.Pos += len("w0")
	}
	s.Space()
	if !s.Byte('=') {
		return r.wrong(s.Pos, isa.ErrSyntax, `"=" is expected`)
	}
	s.Space()
	r.g.assigned = true
	n := int(w[len(w)-1] - '0')
	bit := uint32(1) << (n + 8*strings.IndexByte("siw", w[0]))
	if r.given&bit != 0 {
		return r.wrong(at, isa.ErrOperand, w+" is given a second time")
	}
	r.given |= bit
	value := s.Pos
	switch {
	case w == "is0":
		v := s.Word()
		if len(v) != 2 || v[0] != 's' || v[1] < '0' || v[1] > '5' {
			return r.wrong(value, isa.ErrOperand, "is0 is one of s0 to s5")
		}
		s.Pos += 2
		r.g.IS0 = v[1] - '0'
		return nil
	case w[0] == 'i':
		r.selects = at + 1
		return r.selector(n)
	case w[0] == 'w' && n > 1:
		return r.wrong(at, isa.ErrOperand, "results are w0 and w1")
	}
	x, several, ok := readReg(s)
	if !ok {
		return s.Err()
	}
	r.spans[n+resultW0*strings.IndexByte("sw", w[0])] = inRow{several, value}
	if w[0] == 'w' {
		r.g.Dst[n], r.g.HasDst[n] = x.operand(), true
		return nil
	}
	r.g.Src[n], r.g.Named[n] = x.operand(), true
	return nil
}

// selector reads the feed-through that an internal source selects.
func (r *reader) selector(n int) error {
	s := r.s
	w := s.Word()
	for code, name := range group.FeedNames[n] {
		if name == w && w != "" {
			s.Pos += len(w)
			r.g.Sel[n] = uint8(code)
			return nil
		}
	}
	return r.wrong(s.Pos, isa.ErrOperand, "is"+string(rune('0'+n))+" is one of "+strings.TrimRight(strings.Join(group.FeedNames[n][:], " "), " "))
}

// labelClasses are the classes of instructions that may follow a label.
var labelClasses = [...]struct {
	label   string
	classes []uint8
}{
	{"p0", []uint8{group.P0, group.P0Elements, group.Bitmask, group.Shift1, group.Count}}, {"p1", []uint8{group.P1, group.Logical}}, {"p2_pck", []uint8{group.Pack}}, {"p2pck", []uint8{group.Pack}},
	{"p2_tst", []uint8{group.Test}}, {"p2tst", []uint8{group.Test, group.BitTest}}, {"p2_mov", []uint8{group.Move}}, {"p2mov", []uint8{group.Move}}, {"backend", []uint8{group.Backend}},
	{"p0bm", []uint8{group.Bitmask}}, {"p0shf1", []uint8{group.Shift1}}, {"p0cnt", []uint8{group.Count}}, {"p1log", []uint8{group.Logical}}, {"p2shf2", []uint8{group.Shift2}},
	{"p2", []uint8{group.Shift2, group.BitTest}}, {"ctrl", []uint8{group.Control}},
}

// instruction reads LABEL: INSTRUCTION;.
func (r *reader) instruction(label string) error {
	s, at := r.s, r.s.Pos
	for i := range labelClasses {
		if x := &labelClasses[i]; x.label == label {
			s.Pos += len(label)
			s.Space()
			if !s.Byte(':') {
				return r.wrong(s.Pos, isa.ErrSyntax, `":" is expected behind the name of a phase`)
			}
			s.Space()
			end := strings.IndexAny(s.Line[s.Pos:], ";}")
			if end < 0 {
				return r.wrong(len(s.Line), isa.ErrSyntax, `";" is missing`)
			}
			end += s.Pos
			if strings.HasPrefix(s.Line[s.Pos:], "(rpt") { // Mesa 24.1 repeats it
				if n := strings.IndexByte(s.Line[s.Pos:end], ')'); n >= 0 {
					s.Pos += n + 1
					s.Space()
				}
			}
			return r.part(x.classes, end)
		}
	}
	return r.wrong(at, isa.ErrSyntax, "a phase is expected, or an assignment: p0, p1, p2_pck, p2_tst, p2_mov, backend, p2, ctrl, s0 = …")
}

// part reads an instruction of one of the classes, which ends before end.
func (r *reader) part(classes []uint8, end int) error {
	var best *isa.Error
	b := r.g.Bundle
	at, n := r.s.Pos, len(b.Parts)
	for _, class := range classes {
		if n > 0 && group.Find(b, class) != nil && len(classes) > 2 {
			continue
		}
		r.s.Pos, r.s.Class = at, class
		err := r.s.ParsePart(end, b)
		if err == nil {
			if in := &b.Parts[n]; in.Def.Alias {
				in.Def = info(in).original
			}
			return nil
		}
		b.Parts = b.Parts[:n]
		if e := isa.AsError(err); best == nil || best.Code == isa.ErrMnemonic && e.Code != isa.ErrMnemonic || e.Col > best.Col && e.Code != isa.ErrMnemonic {
			best = e
		}
	}
	if best == nil || best.Code == isa.ErrMnemonic && r.taken(classes, at, end) {
		return r.wrong(at, isa.ErrIllegal, "the unit of this instruction has one already: a group has one of each")
	}
	return best
}

// taken reports whether the text is an instruction of a class that the group has already.
func (r *reader) taken(classes []uint8, at, end int) bool {
	b := r.g.Bundle
	n := len(b.Parts)
	defer func() { b.Parts = b.Parts[:n] }()
	for _, class := range classes {
		if group.Find(b, class) == nil {
			continue
		}
		r.s.Pos, r.s.Class = at, class
		if r.s.ParsePart(end, b) == nil {
			return true
		}
		b.Parts = b.Parts[:n]
	}
	return false
}

// Flags reads the flags after the brace.
func (r *reader) Flags() error {
	s := r.s
	for !s.End() {
		at := s.Pos
		switch {
		case s.Accept(".olchk"), strings.HasPrefix(s.Line[at:], ".olchk.") && r.skip(".olchk"):
			r.g.olchk = true
		case s.Accept(".noolchk"), strings.HasPrefix(s.Line[at:], ".noolchk.") && r.skip(".noolchk"):
			r.g.exact = true
		case s.Accept(".atom"), strings.HasPrefix(s.Line[at:], ".atom.") && r.skip(".atom"):
			r.g.atom = true
		case s.Accept(".end"), strings.HasPrefix(s.Line[at:], ".end.") && r.skip(".end"):
			r.g.end = true
		case strings.HasPrefix(s.Line[at:], ".form("):
			if err := r.readForms(); err != nil {
				return err
			}
		case strings.HasPrefix(s.Line[at:], ".pad("):
			s.Pos += len(".pad(")
			n, ok := s.Uint()
			if !ok || n > group.MaxBytes || !s.Byte(')') {
				return r.wrong(at, isa.ErrRange, "the padding is a number of bytes up to 32")
			}
			s.Pad = max(s.Pad, uint8(n))
		default:
			return r.wrong(at, isa.ErrModifier, "behind a group stand .olchk, .atom, .end, .form(…) and .pad(…)")
		}
	}
	return nil
}

func (r *reader) skip(text string) bool {
	r.s.Pos += len(text)
	return true
}

// readForms reads .form(NAME, …): encodings that are longer than necessary.
func (r *reader) readForms() error {
	s := r.s
	s.Pos += len(".form(")
	for {
		s.Space()
		at := s.Pos
		w := s.Word()
		s.Pos += len(w)
		if err := r.form(at, w); err != nil {
			return err
		}
		s.Space()
		if s.Byte(')') {
			return nil
		}
		if !s.Byte(',') {
			return r.wrong(s.Pos, isa.ErrSyntax, `"," or ")" is expected`)
		}
	}
}

// form reads the name of one form.
func (r *reader) form(at int, w string) error {
	f, s := &r.g.forms, r.s
	if w == "ph0" {
		f.ph0 = true
		return nil
	}
	for i, label := range formLabels {
		if label != w {
			continue
		}
		if !s.Byte('=') {
			return r.wrong(s.Pos, isa.ErrSyntax, `"=" and the name of an encoding are expected`)
		}
		f.names[i] = s.Word()
		s.Pos += len(f.names[i])
		return nil
	}
	return r.wrong(at, isa.ErrModifier, "a form is ph0, or one of "+strings.Join(formLabels[:], "=, ")+"= with the name of an encoding")
}

// branch stores the distance to a label in the branch, when the end of the group is known.
func (r *reader) branch() error {
	at := r.s.Scratch[scratchAt]
	if at == 0 {
		return nil
	}
	away := int64(r.s.Scratch[scratchTo]) - int64(distanceFrom(r.g.Bundle))
	switch {
	case away&1 != 0:
		return r.wrong(int(at&^given), isa.ErrRange, "the target is an odd number of bytes away")
	case away != int64(int32(away)):
		return r.wrong(int(at&^given), isa.ErrRange, "the target is more than 2 GiB away")
	}
	r.g.Bundle.Parts[0].Put(nameOffset, uint64(uint32(away))>>1)
	return nil
}
