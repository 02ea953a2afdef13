package pm4

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// A Def describes a packet.
type Def struct {
	Name     string
	Op       uint8
	Min, Max int    // words: of the body, or with the header for DMA rings
	Parts    []Part // fields

	// For DMA rings:
	sub    int    // sub-opcode, or any
	opcode uint32 // bits of the header that it takes, with the sub-opcode
	count  *Part  // counts further words
}

// What a part's value is.
type partKind uint8

const (
	plainPart  partKind = iota
	fieldsPart          // has the fields of a register
	numberPart          // number of a register
	valuesPart          // values of registers
	pairsPart           // numbers and counts of registers
)

// A Part is a field of a packet: bits of a word, of two words, or all words from one on.
type Part struct {
	Name string
	Word int
	Bits Field
	High int // second word, or -1
	Top  Field
	Rest bool // all words from Word on

	kind partKind
	base uint32  // of a space of registers
	reg  []Field // of a register
}

// Get returns the part's value in a packet's words. Bits of the lower of two words keep their place: an address that
// omits its lowest bits has zeros there.
func (p Part) Get(words []uint32) uint64 {
	switch {
	case p.Word >= len(words):
		return 0
	case p.High >= 0 && p.High < len(words):
		return uint64(words[p.Word]&(p.Bits.mask()<<p.Bits.Lo)) | uint64(p.Top.Get(words[p.High]))<<32
	}
	return uint64(p.Bits.Get(words[p.Word]))
}

// Part returns the part that has a name.
func (d *Def) Part(name string) (Part, bool) {
	for _, p := range d.Parts {
		if p.Name == name {
			return p, true
		}
	}
	return Part{}, false
}

// Undescribed returns the first word that has bits set which are in no field, and the bits.
func (d *Def) Undescribed(words []uint32) (word int, bits uint32) {
	for i, w := range words {
		if i == 0 {
			w &^= d.opcode
		}
		for _, p := range d.Parts {
			switch {
			case p.Rest && i >= p.Word:
				w = 0
			case i == p.Word:
				w &^= p.Bits.mask() << p.Bits.Lo
			case i == p.High:
				w &^= p.Top.mask() << p.Top.Lo
			}
		}
		if w != 0 {
			return i, w
		}
	}
	return 0, 0
}

// anySub is the sub-opcode of packets that have none.
const anySub = -1

// defs are the packets of a generation by opcode.
type defs [256][]*Def

//go:embed packets.txt
var packetsText string

//go:embed dma.txt
var dmaText string

var (
	packets    = sync.OnceValue(func() *[len(generations)]defs { return readPackets("packets.txt", packetsText, false) })
	dmaPackets = sync.OnceValue(func() *[len(generations)]defs { return readPackets("dma.txt", dmaText, true) })
)

// spaces are the ranges of registers by the names that packets have for them.
var spaces = [...]struct {
	name string
	base uint32
}{{"CONFIG", ConfigBase}, {"SH", ShBase}, {"CONTEXT", ContextBase}, {"UCONFIG", UconfigBase}}

func readPackets(file, text string, dma bool) *[len(generations)]defs {
	t := &[len(generations)]defs{}
	read(file, text, func(r *reader, cols []string) error {
		if cols[0] != "packet" || len(cols) != 6 {
			return fmt.Errorf("row %q", cols[0])
		}
		var bad error
		err := r.each(cols[2], func(g int) {
			d, err := r.packet(g, cols, dma)
			if err != nil {
				bad = err
				return
			}
			t[g][d.Op] = append(t[g][d.Op], d)
		})
		if bad != nil {
			return bad
		}
		return err
	})
	return t
}

// packet reads a row.
func (r *reader) packet(g int, cols []string, dma bool) (*Def, error) {
	d := &Def{Name: cols[1], sub: anySub}
	opcode, sub, _ := strings.Cut(cols[3], ".")
	op, err := strconv.ParseUint(opcode, 0, 8)
	if err != nil {
		return nil, err
	}
	d.Op = uint8(op)
	if dma {
		if err := d.subOpcode(g, sub); err != nil {
			return nil, err
		}
	}
	for _, w := range strings.Fields(cols[5]) {
		p, err := r.part(g, w)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w, err)
		}
		d.Parts = append(d.Parts, p)
	}
	return d, d.sizes(cols[4])
}

// subOpcode reads the sub-opcode, which is above the opcode on gfx7 and gfx8 and below it on gfx6.
func (d *Def) subOpcode(g int, text string) error {
	opcode, sub := uint32(0xff), uint32(0xff00)
	if generations[g] == '6' {
		opcode, sub = 0xf<<28, 0xff<<20
	}
	d.opcode = opcode
	if text == "*" {
		return nil
	}
	n, err := strconv.ParseUint(text, 0, 8)
	d.sub, d.opcode = int(n), opcode|sub
	return err
}

// sizes reads N, N-M, N+ or N+FIELD.
func (d *Def) sizes(text string) (err error) {
	least, more, plus := strings.Cut(text, "+")
	least, most, ranged := strings.Cut(least, "-")
	if d.Min, err = strconv.Atoi(least); err != nil {
		return err
	}
	d.Max = d.Min
	switch {
	case more != "":
		p, ok := d.Part(more)
		if !ok {
			return fmt.Errorf("no field %s", more)
		}
		d.count, d.Max = &p, maxBody
	case plus:
		d.Max = maxBody
	case ranged:
		d.Max, err = strconv.Atoi(most)
	}
	return err
}

// maxBody is the longest body of a packet in words, of any ring.
const maxBody = 1 << 22

// part reads a field of a packet.
func (r *reader) part(g int, text string) (p Part, err error) {
	name, place, _ := strings.Cut(text, ":")
	place, kind, _ := strings.Cut(place, "=")
	p = Part{Name: name, High: -1}
	if place, p.Rest = strings.CutSuffix(place, "..."); p.Rest {
		p.Bits.Hi = 31
	}
	low, high, two := strings.Cut(place, "/")
	if p.Word, p.Bits, err = word(name, low); err != nil {
		return p, err
	}
	if two {
		if p.High, p.Top, err = word(name, high); err != nil {
			return p, err
		}
	}
	if kind == "" {
		return p, nil
	}
	return p, r.meaning(g, &p, kind)
}

// word reads WORD, WORD.BIT or WORD.LO-HI.
func word(name, text string) (n int, f Field, err error) {
	f = Field{Name: name, Hi: 31}
	number, bits, has := strings.Cut(text, ".")
	if has {
		if f.Lo, f.Hi, err = span(bits); err != nil {
			return 0, f, err
		}
	}
	n, err = strconv.Atoi(number)
	return n, f, err
}

// meaning reads what a field's value is.
func (r *reader) meaning(g int, p *Part, kind string) error {
	switch kind[0] {
	case '@':
		reg, ok := registers().of[g].ByName(kind[1:])
		if !ok {
			return fmt.Errorf("no register %s", kind[1:])
		}
		p.kind, p.reg = fieldsPart, reg.Fields
	case '%', '#':
		for _, s := range spaces {
			if s.name == kind[1:] {
				p.base = s.base
			}
		}
		switch {
		case p.base == 0:
			return fmt.Errorf("no space %s", kind[1:])
		case kind[0] == '#':
			p.kind = pairsPart
		case p.Rest:
			p.kind = valuesPart
		default:
			p.kind = numberPart
		}
	default:
		p.Bits.Values = r.enums[g][kind]
		if p.Bits.Values == nil {
			p.Bits.Values = registers().enums[g][kind]
		}
		if p.Bits.Values == nil {
			return fmt.Errorf("no enum %s", kind)
		}
	}
	return nil
}

// Packets returns the packets of type 3 of a generation.
func Packets(gen int) []*Def { return list(packets(), gen) }

// DMAPackets returns the packets of a generation's DMA rings.
func DMAPackets(gen int) []*Def { return list(dmaPackets(), gen) }

func list(t *[len(generations)]defs, gen int) (all []*Def) {
	if g := index(gen); g >= 0 {
		for _, ds := range t[g] {
			all = append(all, ds...)
		}
	}
	return all
}

// Event returns the name of an event, as EVENT_WRITE and others have it.
func Event(gen int, event uint32) string {
	if g := index(gen); g >= 0 {
		return registers().enums[g]["VGT_EVENT_TYPE"].Name(event)
	}
	return ""
}
