package pm4

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"strings"
)

// mostWords limits how many words of data a description shows.
const mostWords = 16

// Describe returns the text of a packet: a line with its name and fields, then a line for each register that it writes.
// Fields that are 0 and have no name for that are left out if they are narrow.
func Describe(gen int, p Packet) []string {
	var b strings.Builder
	b.WriteString(p.Name)
	var flags []string
	if p.Compute {
		flags = append(flags, "compute")
	}
	if p.Predicate {
		flags = append(flags, "predicated")
	}
	if len(flags) > 0 {
		fmt.Fprintf(&b, " (%s)", strings.Join(flags, ", "))
	}
	t := Table(gen)
	switch {
	case p.Type == Type0:
		return append([]string{b.String()}, values(t, p.Register(), p.Body)...)
	case p.Def == nil:
		data(&b, "", p.Body)
		return []string{b.String()}
	}
	var below []string
	for _, part := range p.Def.Parts {
		if part.Word >= len(p.Body) && p.Type != DMA {
			continue
		}
		switch part.kind {
		case valuesPart:
			reg, _ := p.Def.Part("reg")
			below = values(t, part.base+uint32(reg.Get(p.Body))*4, p.Body[part.Word:])
		case pairsPart:
			below = pairs(t, part.base, p.Body[part.Word:])
		default:
			part.describe(&b, t, p.Body)
		}
	}
	if word, bits := p.Def.Undescribed(p.Body); bits != 0 {
		fmt.Fprintf(&b, " BITS%d=%#x", word, bits)
	}
	return append([]string{b.String()}, below...)
}

// describe writes a part's name and value.
func (p Part) describe(b *strings.Builder, t *Registers, words []uint32) {
	if p.Rest {
		data(b, p.Name, words[min(p.Word, len(words)):])
		return
	}
	v := p.Get(words)
	text := p.Bits.Values.Name(uint32(v))
	if v == 0 && text == "" && p.High < 0 && p.Bits.Hi-p.Bits.Lo < 8 {
		return
	}
	switch {
	case p.kind == fieldsPart:
		text = formatFields(p.reg, uint32(v), "|")
	case p.kind == numberPart && t != nil:
		text = t.Name(p.base + uint32(v)*4)
	case text == "" || p.High >= 0:
		text = number(v)
	}
	fmt.Fprintf(b, " %s=%s", p.Name, text)
}

// data writes words, not more than a few.
func data(b *strings.Builder, name string, words []uint32) {
	if len(words) == 0 {
		return
	}
	b.WriteByte(' ')
	if name != "" {
		b.WriteString(name + "=")
	}
	for i, w := range words {
		if i == mostWords {
			fmt.Fprintf(b, " … (%d words)", len(words))
			return
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(b, "%08x", w)
	}
}

// values returns a line for each register from an address on.
func values(t *Registers, addr uint32, words []uint32) []string {
	lines := make([]string, 0, len(words))
	for i, v := range words {
		at := addr + uint32(i)*4
		r, ok := Register{}, false
		if t != nil {
			r, ok = t.At(at)
		}
		if !ok {
			r.Name = fmt.Sprintf("%#x", at)
		}
		lines = append(lines, fmt.Sprintf("  %s = %s", r.Name, r.Format(v)))
	}
	return lines
}

// pairs returns a line for each range of registers, of which words have number and count.
func pairs(t *Registers, base uint32, words []uint32) []string {
	var lines []string
	for ; len(words) >= 2; words = words[2:] {
		at := base + words[0]&0xffff*4
		name := fmt.Sprintf("%#x", at)
		if t != nil {
			name = t.Name(at)
		}
		lines = append(lines, fmt.Sprintf("  %s and following: %d registers", name, words[1]))
	}
	return lines
}

// Dump writes a stream that is at an address as text: a line for each packet, with its address, and the registers that
// it writes. It returns the first error of syntax, or of writing.
func Dump(w io.Writer, gen int, words []uint32, at uint64) error {
	return dump(w, gen, Parse(gen, words, at))
}

// DumpDMA is Dump for a stream of a DMA ring.
func DumpDMA(w io.Writer, gen int, words []uint32, at uint64) error {
	return dump(w, gen, ParseDMA(gen, words, at))
}

func dump(w io.Writer, gen int, seq iter.Seq2[Packet, error]) error {
	out := bufio.NewWriter(w)
	for p, err := range seq {
		if err != nil {
			return errFlush(out, err)
		}
		for i, line := range Describe(gen, p) {
			if i == 0 {
				fmt.Fprintf(out, "%#x: ", p.Addr)
			}
			fmt.Fprintln(out, line)
		}
	}
	return out.Flush()
}

// errFlush writes what there is and returns the first error.
func errFlush(out *bufio.Writer, err error) error {
	_ = out.Flush() // err is the reason why it ends
	return err
}
