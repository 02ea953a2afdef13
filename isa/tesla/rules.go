package tesla

import (
	"fmt"

	"github.com/heddle-gpu/heddle/isa"
)

// rules are what programs must keep to although what breaks it decodes. docs/reference/tesla.md 2.
var rules = []isa.Rule{
	{ID: "idle-bits", Severity: isa.SeverityWarning, Source: "docs/reference/tesla.md 2.4", Check: idleBits,
		Doc:     "fields that the operands of an instruction do not use are 0: an address register without memory, a bank without c[]",
		Example: ".enc 002a0010 mov b32 $r0 $r21"},
}

// idleBits finds set bits that the other fields leave without meaning: rows claim them for other operands.
func idleBits(d *isa.Def) func(in *isa.Inst) *isa.Breach {
	if d.Canon == nil {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		c := *in
		d.Canon(&c)
		for _, n := range [...]isa.Name{nameSel, nameMem} {
			if c.Has(n) && (n == nameMem || c.Has(nameFlow) || c.Has(nameSrc2) || in.Get(nameMem) != 0) { // it says what sources are
				c.Put(n, in.Get(n))
			}
		}
		if c.Word == in.Word {
			return nil
		}
		diff := in.Word.AndNot(c.Word).Or(c.Word.AndNot(in.Word))
		lo := 0
		for diff.Bit(lo) == 0 {
			lo++
		}
		return &isa.Breach{Arg: -1, Msg: fmt.Sprintf("bit %d is set, and no operand uses it", lo)}
	}
}
