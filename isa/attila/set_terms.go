package attila

import "github.com/heddle-gpu/heddle/isa"

// terms returns the registers of ATTILA, for users who look them up.
func terms() (list []isa.Term) {
	const banks = "docs/reference/attila.md 3"
	const four = "four components of 32 bits per thread"
	for _, m := range [...]isa.Term{
		{Name: "i#", Most: 47, Size: four, Doc: "An input: attributes of a vertex, interpolated values of a fragment. Programs read it. Numbers above 15 are those of fragments of micropolygons."},
		{Name: "o#", Most: 15, Size: four, Doc: "An output: position, colour and what else a stage hands on. Programs write it."},
		{Name: "c#", Most: 511, Size: "four components of 32 bits, the same for all threads", Doc: "A constant that the driver writes before. Programs read it, by number or as c[a0.x+4]."},
		{Name: "r#", Most: 31, Size: four, Doc: "A temporary. It is 0 when a thread begins. A write mask, r1.xy, chooses components, a swizzle, r1.wzyx, their order."},
		{Name: "a#", Most: 1, Size: "four integers per thread", Doc: "An address register: arl writes it, c[a0.x+N] reads it."},
		{Name: "t#", Most: 15, Size: "a texture unit", Doc: "A texture unit, the last operand of tex, txb, txl and their kind; of lda an attribute."},
		{Name: "s#", Most: 15, Size: four, Doc: "A sample."},
		{Name: "p#", Most: 31, Size: "1 bit per thread", Doc: "A predicate. setp instructions write it; a predicate before an instruction guards it, and jumps ask it. Predicates are not cleared when a thread begins."},
	} {
		if m.Source = banks; m.Size == four || m.Name == "c#" || m.Name == "a#" {
			m.Parts = "xyzw"
		}
		list = append(list, m)
	}
	return list
}
