package attila

import "github.com/heddle-gpu/heddle/isa"

// costs returns the unit and the class of an instruction.
func costs(_ *isa.Target, b *isa.Bundle) []isa.Cost {
	c := &classes[rowOf(&b.Parts[0]).class]
	return []isa.Cost{{Unit: c.unit, Class: c.name}}
}
