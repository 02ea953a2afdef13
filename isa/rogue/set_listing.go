package rogue

import (
	"cmp"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/listing"
)

// parseListing reads the text of a group in the dialect of the reference. Its reader is on the heap, unlike that of
// other dialects.
func parseListing(s *isa.Scan, b *isa.Bundle) error {
	r := reader{s: s, g: groupText{Contents: group.Contents{Bundle: b, Repeat: 1}}}
	start, end, err := listing.Read(seedSet{}, s, &r)
	if err != nil {
		return err
	}
	if err = r.encode(start); err != nil {
		return err
	}
	s.Pos = end // everything that was parsed since is before it
	return nil
}

// Contents are what the text of the group says.
func (r *reader) Contents() *group.Contents { return &r.g.Contents }

// Part parses an instruction of one of the classes from a text of its own, for listings. place is where byte i of it
// comes from.
func (r *reader) Part(classes []uint8, text string, place func(i int) int) error {
	s := r.s
	line, branch := s.Line, s.Scratch[scratchAt]
	s.Line, s.Pos = text, 0
	err := r.part(classes, len(s.Line))
	s.Line = line
	if at := s.Scratch[scratchAt]; at != branch {
		s.Scratch[scratchAt] = given | uint64(place(int(at&^given)))
	}
	if err == nil {
		return nil
	}
	e := isa.AsError(err)
	e.Col, e.Source = place(e.Col-1)+1, line
	return err
}

// A seedSet is the set for listings of the reference.
type seedSet struct{}

// ReadRegister reads the name of one register.
func (seedSet) ReadRegister(s *isa.Scan) (group.Operand, bool) {
	r, ok := readOne(s)
	return r.operand(), ok
}

// AppendRegister appends the name of a register.
func (seedSet) AppendRegister(dst []byte, x group.Operand) []byte {
	return appendReg(dst, regOf(x), 1, Seed)
}

// Row is a row as text needs it.
func (seedSet) Row(d *isa.Def) listing.Row {
	r := d.Data.(*row)
	x := listing.Row{Name: r.name, Spelling: r.name, Encoding: r.layout.name, Entry: r.entry, Writes: [2]bool{r.reads&writeW0 != 0, r.reads&writeW1 != 0}}
	if len(r.spell) > Seed {
		x.Spelling = cmp.Or(r.spell[Seed], r.name)
	}
	return x
}

// Route is how values move in a group.
func (seedSet) Route(b *isa.Bundle) listing.Routing {
	var rt routing
	route(b, &rt)
	return listing.Routing{
		Src: rt.operands(), Used: rt.used, IS0: rt.is0, Sel: rt.iss, Dst: [2]group.Operand{rt.dst[0].operand(), rt.dst[1].operand()}, Has: rt.has,
		Writes: [2]bool{rt.reads&writeW0 != 0, rt.reads&writeW1 != 0}, Selects: [2]bool{rt.reads&readIS4 != 0, rt.reads&readIS5 != 0},
		Condition: head(b).Get(nameCC), Repeat: repeats(b), InText: impliedRouting(b, &rt),
	}
}

// Omitted reports whether text leaves the unit out.
func (seedSet) Omitted(b *isa.Bundle, in *isa.Inst) bool { return omitted(b, in) }

// Overlaps reports whether the registers of the group need the check of overlaps.
func (seedSet) Overlaps(b *isa.Bundle) bool {
	var rt routing
	route(b, &rt)
	return overlapping(b, &rt)
}

// AppendFlags appends the flags after the group.
func (seedSet) AppendFlags(dst []byte, b *isa.Bundle) []byte { return appendFlags(dst, head(b)) }

// AppendForms appends what text alone would not give back.
func (seedSet) AppendForms(dst []byte, b *isa.Bundle) []byte {
	var rt routing
	route(b, &rt)
	return appendForms(dst, b, &rt)
}
