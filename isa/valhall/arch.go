package valhall

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

var variants = []isa.Variant{
	{Name: "v9", Aliases: []string{"valhall9", "mali-g57", "mali-g68", "mali-g77", "mali-g78", "g57", "g68", "g77", "g78"}, Doc: "architecture 9: Mali-G57, G68, G77, G78"},
}

// Machine is the machine of all variants.
func Machine() *ir.Machine { return machine }

// wordBytes is the size of an instruction.
const wordBytes = 8
