package pm4

import (
	"fmt"
	"iter"
)

// Types of packets. The rings of DMA engines have packets of another form, which are of type DMA here.
const (
	Type0 = 0 // writes registers
	Type2 = 2 // one word of padding
	Type3 = 3 // has an opcode
	DMA   = 4
)

// A Packet is a packet of a command stream.
type Packet struct {
	Header    uint32
	Type      uint8
	Op        uint8
	Name      string   // with the opcode if it has none
	Def       *Def     // nil for types 0 and 2, and where opcode or number of words are not known
	Predicate bool     // executed only if the predicate is true
	Compute   bool     // for the compute shader
	Body      []uint32 // words after the header, of the stream itself; of DMA rings all words
	Addr      uint64   // of the header
}

// Size returns the packet's size in words.
func (p *Packet) Size() int {
	if p.Type == DMA {
		return len(p.Body)
	}
	return 1 + len(p.Body)
}

// Register returns the byte address of the first register that a packet of type 0 writes.
func (p *Packet) Register() uint32 { return p.Header & 0xffff * 4 }

// Part returns the value of a field, 0 if the packet has no such field.
func (p *Packet) Part(name string) uint64 {
	if p.Def == nil {
		return 0
	}
	part, _ := p.Def.Part(name)
	if part.Name == "" {
		return 0
	}
	return part.Get(p.Body)
}

// A SyntaxError says why words are not a packet.
type SyntaxError struct {
	Addr   uint64
	Header uint32
	Word   int // place in the stream
	Err    string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%#x: word %d: header %#08x: %s", e.Addr, e.Word, e.Header, e.Err)
}

// onlyHeader is a NOP of gfx7 and gfx8 that has a header and nothing else.
const onlyHeader = 0xffff1000

// Next returns the first packet of words, which are at an address.
func Next(gen int, words []uint32, at uint64) (p Packet, err error) {
	if len(words) == 0 {
		return p, &SyntaxError{Addr: at, Err: "no packet: the stream ends"}
	}
	h := words[0]
	p = Packet{Header: h, Type: uint8(h >> 30), Addr: at}
	n := int(h>>16&0x3fff) + 1
	switch p.Type {
	case Type0:
		p.Name = "TYPE0"
	case Type2:
		p.Name = "TYPE2"
		return p, nil
	case Type3:
		p.Op, p.Predicate, p.Compute = uint8(h>>8), h&1 != 0, h&2 != 0
		if h == onlyHeader && gen != 6 {
			n = 0
		}
	default:
		return p, &SyntaxError{at, h, 0, "packets of type 1 are reserved"}
	}
	if p.Type == Type3 {
		p.find(gen, n)
	}
	if n > len(words)-1 {
		return p, &SyntaxError{at, h, 0, fmt.Sprintf("%s has %d words after its header, and %d are left", p.Name, n, len(words)-1)}
	}
	p.Body = words[1 : 1+n : 1+n]
	return p, nil
}

// find sets name and description of a packet of type 3 with n words.
func (p *Packet) find(gen, n int) {
	if g := index(gen); g >= 0 {
		for _, d := range packets()[g][p.Op] {
			p.Name = d.Name
			if d.Min <= n && n <= d.Max {
				p.Def = d
				return
			}
		}
	}
	if p.Name == "" {
		p.Name = fmt.Sprintf("PKT3_%#02x", p.Op)
	}
}

// NextDMA returns the first packet of words of a DMA ring, which are at an address.
func NextDMA(gen int, words []uint32, at uint64) (p Packet, err error) {
	if len(words) == 0 {
		return p, &SyntaxError{Addr: at, Err: "no packet: the stream ends"}
	}
	h := words[0]
	p = Packet{Header: h, Type: DMA, Addr: at, Op: uint8(h)}
	sub := int(h >> 8 & 0xff)
	if gen == 6 {
		p.Op, sub = uint8(h>>28), int(h>>20&0xff)
	}
	p.Name = fmt.Sprintf("DMA_%#02x.%#02x", p.Op, sub)
	if g := index(gen); g >= 0 {
		for _, d := range dmaPackets()[g][p.Op] {
			if d.sub == anySub || d.sub == sub {
				p.Def, p.Name = d, d.Name
				break
			}
		}
	}
	if p.Def == nil {
		return p, &SyntaxError{at, h, 0, "no packet has this opcode: its size is not known"}
	}
	n := p.Def.Min
	if c := p.Def.count; c != nil && c.Word < len(words) {
		n += int(c.Get(words))
	}
	if n > len(words) {
		return p, &SyntaxError{at, h, 0, fmt.Sprintf("%s has %d words, and %d are left", p.Name, n, len(words))}
	}
	p.Body = words[:n:n]
	return p, nil
}

// Parse ranges over the packets of a stream that is at an address. It ends after the first error.
func Parse(gen int, words []uint32, at uint64) iter.Seq2[Packet, error] {
	return parse(Next, gen, words, at)
}

// ParseDMA is Parse for a stream of a DMA ring.
func ParseDMA(gen int, words []uint32, at uint64) iter.Seq2[Packet, error] {
	return parse(NextDMA, gen, words, at)
}

func parse(next func(int, []uint32, uint64) (Packet, error), gen int, words []uint32, at uint64) iter.Seq2[Packet, error] {
	return func(yield func(Packet, error) bool) {
		for i := 0; i < len(words); {
			p, err := next(gen, words[i:], at+uint64(i)*4)
			if e, ok := err.(*SyntaxError); ok {
				e.Word = i
			}
			if !yield(p, err) || err != nil {
				return
			}
			i += p.Size()
		}
	}
}
