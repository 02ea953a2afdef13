package valhall

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

var variants = []isa.Variant{
	{Name: "v9", Aliases: []string{"valhall9", "mali-g57", "mali-g68", "mali-g77", "mali-g78", "g57", "g68", "g77", "g78"}, Doc: "architecture 9: Mali-G57, G68, G77, G78"},
	{Name: "v10", Aliases: []string{"valhall10", "mali-g310", "mali-g510", "mali-g610", "mali-g710", "g310", "g510", "g610", "g710"}, Doc: "architecture 10: Mali-G310, G510, G610, G710"},
	{Name: "v11", Aliases: []string{"valhall11", "mali-g615", "mali-g715", "g615", "g715"}, Doc: "architecture 11: Mali-G615, G715"},
	{Name: "v12", Aliases: []string{"valhall12", "mali-g620", "mali-g720", "g620", "g720"}, Doc: "architecture 12: Mali-G620, G720"},
	{Name: "v13", Aliases: []string{"valhall13", "mali-g625", "mali-g725", "mali-g925", "g625", "g725", "g925"}, Doc: "architecture 13: Mali-G625, G725, G925"},
	{Name: "v14", Aliases: []string{"valhall14", "mali-g1", "g1"}, Doc: "architecture 14: Mali-G1"},
}

// The architectures of the variants.
const (
	firstArch = 9
	lastArch  = 14
	numArchs  = lastArch - firstArch + 1
)

// Arch is the architecture of a variant.
func Arch(variant int) int { return firstArch + variant }

// archMask is the variants from one architecture to another.
func archMask(since, until int) uint32 {
	return 1<<(until-firstArch+1) - 1<<(since-firstArch)
}

// Machine is the machine of all variants.
func Machine() *ir.Machine { return machine }

// wordBytes is the size of an instruction.
const wordBytes = 8
