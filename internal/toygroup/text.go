package toygroup

import (
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// open: in brief a group continues until its closing brace; in lines the next line shows it.
func open(t *isa.Target, text, next string) bool {
	if t.Dialect == Lines {
		return strings.HasPrefix(strings.TrimLeft(next, " \t"), "+")
	}
	return strings.Count(text, "{") > strings.Count(text, "}")
}

func join(p isa.Printer, dst []byte, b *isa.Bundle) []byte {
	dst = p.Append(dst, &b.Parts[0])
	between, behind := " { ", " }"
	if p.Dialect == Lines {
		between, behind = "\n+ ", ""
	}
	for class := uint8(classPhase0); class < numClasses; class++ {
		for i := range b.Parts {
			if b.Parts[i].Def.Class != class || class == classSource && p.Dialect == Lines {
				continue
			}
			dst = p.Append(append(dst, between...), &b.Parts[i])
			if p.Dialect == Brief {
				between = "; "
			}
		}
	}
	dst = append(dst, behind...)
	if n := b.Pad &^ 1; n > 0 {
		sep := " pad "
		if p.Dialect == Lines {
			sep = "\n+ pad "
		}
		dst = strconv.AppendUint(append(dst, sep...), uint64(n), 10)
	}
	return dst
}

// A reader reads the text of a group.
type reader struct {
	s    *isa.Scan
	b    *isa.Bundle
	from uint8 // lowest class of the next part
	pad  int
}

func parse(s *isa.Scan, b *isa.Bundle) error {
	r := reader{s: s, b: b, from: classPhase0}
	s.Space()
	start := s.Pos
	var err error
	if s.Target.Dialect == Lines {
		err = r.lines()
	} else {
		err = r.brief()
	}
	if err != nil {
		return err
	}
	if msg := seal(b, max(r.pad, int(s.Pad))); msg != "" {
		return r.wrong(start, isa.ErrIllegal, msg)
	}
	return r.branch()
}

func (r *reader) wrong(at int, code, msg string) error {
	return &isa.Error{Code: code, Line: 1, Col: at + 1, Source: r.s.Line, Msg: msg}
}

// brief reads HEADER { PART; PART } pad N.
func (r *reader) brief() error {
	s := r.s
	end := strings.IndexByte(s.Line[s.Pos:], '{')
	if end < 0 {
		end = len(s.Line) - s.Pos
	}
	if err := s.ParsePart(s.Pos+end, r.b); err != nil {
		return err
	}
	if !s.Byte('{') {
		return r.wrong(s.Pos, isa.ErrSyntax, `"{" is expected`)
	}
	for {
		end := strings.IndexAny(s.Line[s.Pos:], ";}")
		if end < 0 {
			return r.wrong(len(s.Line), isa.ErrSyntax, `"}" is missing`)
		}
		if err := r.part(s.Pos + end); err != nil {
			return err
		}
		if s.Byte('}') {
			break
		}
		s.Pos++
	}
	if s.End() {
		return nil
	}
	return r.padding(len(s.Line))
}

// lines reads HEADER, then + PART or + pad N, one line each.
func (r *reader) lines() error {
	s := r.s
	if err := s.ParsePart(r.line(), r.b); err != nil {
		return err
	}
	for !s.End() {
		if !s.Byte('+') {
			return r.wrong(s.Pos, isa.ErrSyntax, `"+" is expected`)
		}
		for s.Peek() == ' ' || s.Peek() == '\t' {
			s.Pos++
		}
		var err error
		if s.Word() == "pad" {
			err = r.padding(r.line())
		} else {
			err = r.part(r.line())
		}
		if err != nil {
			return err
		}
	}
	r.sources()
	return nil
}

// line returns the offset of the end of the line.
func (r *reader) line() int {
	if n := strings.IndexByte(r.s.Line[r.s.Pos:], '\n'); n >= 0 {
		return r.s.Pos + n
	}
	return len(r.s.Line)
}

// part reads the part up to end: of the class of the previous part or a later one.
func (r *reader) part(end int) error {
	var best *isa.Error
	at, n := r.s.Pos, len(r.b.Parts)
	for class := r.from; class < numClasses; class++ {
		if class == classSource && r.s.Target.Dialect == Lines {
			continue
		}
		r.s.Pos, r.s.Class = at, class
		err := r.s.ParsePart(end, r.b)
		if err == nil {
			r.from = class
			return nil
		}
		r.b.Parts = r.b.Parts[:n]
		if e := isa.AsError(err); best == nil || e.Col > best.Col || best.Code == isa.ErrMnemonic && e.Code != isa.ErrMnemonic {
			best = e
		}
	}
	return best
}

// padding reads pad N up to end: so many bytes after the even address where the parts end.
func (r *reader) padding(end int) error {
	s := r.s
	at := s.Pos
	if r.pad != 0 || !s.Accept("pad") {
		return r.wrong(at, isa.ErrSyntax, "nothing but padding may follow a group")
	}
	s.Space()
	v, ok := s.Uint()
	for s.Pos < end && (s.Peek() == ' ' || s.Peek() == '\t') {
		s.Pos++
	}
	if !ok || v == 0 || v&1 != 0 || v > maxGroup || s.Pos < end {
		return r.wrong(at, isa.ErrRange, "the padding is no even number of bytes up to 32")
	}
	r.pad = int(v)
	return nil
}

// sources adds the sources that were read in place of operands.
func (r *reader) sources() {
	addr := r.b.Parts[0].Addr
	for _, v := range r.s.Scratch[:len(sources)] {
		if v == 0 {
			continue
		}
		x := src{v >> 16 & 7, v & 15, v >> 8 & 255}
		d := r.s.Target.Rows("src")[0]
		if x.bank > bankSh {
			d = r.s.Target.Rows("src")[1]
		}
		in := r.b.Grow()
		*in = isa.Inst{Def: d, Word: d.Value(), Addr: addr, Size: uint8(d.Enc.Bits / 8), Var: r.b.Parts[0].Var, Stage: r.b.Parts[0].Stage}
		in.Put(nameBank, x.bank)
		in.Put(nameNumber, x.n)
		if in.Has(nameOffset) {
			in.Put(nameOffset, x.offset)
		}
	}
}

// branch sets the distance to a label in the branch, when the end of the group is known.
func (r *reader) branch() error {
	at := r.s.Scratch[scratchAt]
	if at == 0 {
		return nil
	}
	away := int64(r.s.Scratch[scratchTo]) - int64(r.b.Addr()) - int64(r.b.Size())
	switch {
	case away&1 != 0:
		return r.wrong(int(at&^given), isa.ErrRange, "the target is an odd number of bytes away")
	case away != int64(int16(away)):
		return r.wrong(int(at&^given), isa.ErrRange, "the target is more than 32767 bytes away")
	}
	r.b.Parts[1].Put(nameTarget, uint64(away)&0xffff)
	return nil
}
