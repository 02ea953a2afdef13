package gcn

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/mem"
)

// A dataFormat is how the bytes of a texel are divided: the lowest bit and the size of x, y, z, w in the notation of
// package mem; "0" is a missing component.
type dataFormat struct {
	name  string
	bytes int
	comps [4]string
}

// dataFormats are the supported formats of images by code. Source: docs/reference/gcn.md 8.4.2.
var dataFormats = [64]dataFormat{
	1:  {"8", 1, [4]string{"0+8"}},
	2:  {"16", 2, [4]string{"0+16"}},
	3:  {"8_8", 2, [4]string{"0+8", "8+8"}},
	4:  {"32", 4, [4]string{"0+32"}},
	5:  {"16_16", 4, [4]string{"0+16", "16+16"}},
	6:  {"10_11_11", 4, [4]string{"0+11", "11+11", "22+10"}},
	7:  {"11_11_10", 4, [4]string{"0+10", "10+11", "21+11"}},
	8:  {"10_10_10_2", 4, [4]string{"0+2", "2+10", "12+10", "22+10"}},
	9:  {"2_10_10_10", 4, [4]string{"0+10", "10+10", "20+10", "30+2"}},
	10: {"8_8_8_8", 4, [4]string{"0+8", "8+8", "16+8", "24+8"}},
	11: {"32_32", 8, [4]string{"0+32", "32+32"}},
	12: {"16_16_16_16", 8, [4]string{"0+16", "16+16", "32+16", "48+16"}},
	13: {"32_32_32", 12, [4]string{"0+32", "32+32", "64+32"}},
	14: {"32_32_32_32", 16, [4]string{"0+32", "32+32", "64+32", "96+32"}},
	16: {"5_6_5", 2, [4]string{"0+5", "5+6", "11+5"}},
	17: {"1_5_5_5", 2, [4]string{"0+5", "5+5", "10+5", "15+1"}},
	18: {"5_5_5_1", 2, [4]string{"0+1", "1+5", "6+5", "11+5"}},
	19: {"4_4_4_4", 2, [4]string{"0+4", "4+4", "8+4", "12+4"}},
	20: {"8_24", 4, [4]string{"0+24", "24+8"}},
	21: {"24_8", 4, [4]string{"0+8", "8+24"}},
	22: {"X24_8_32", 8, [4]string{"0+32", "32+8"}},
	34: {"5_9_9_9", 4, [4]string{"0+9", "9+9", "18+9"}},
	47: {"FMASK8_S2_F2", 1, [4]string{"0+2"}},
	49: {"FMASK8_S4_F4", 1, [4]string{"0+8"}},
	54: {"FMASK32_S8_F8", 4, [4]string{"0+32"}},
	57: {"4_4", 1, [4]string{"0+4", "4+4"}},
	58: {"6_5_5", 2, [4]string{"0+5", "5+5", "10+6"}},
}

// otherFormats are codes that are known and unsupported.
var otherFormats = [64]string{
	44: "FMASK8_S2_F1", 45: "FMASK8_S4_F1", 46: "FMASK8_S8_F1", 48: "FMASK8_S4_F2", 50: "FMASK16_S16_F1", 51: "FMASK16_S8_F2",
	52: "FMASK32_S16_F2", 53: "FMASK32_S8_F4", 55: "FMASK64_S16_F4", 56: "FMASK64_S16_F8", 59: "1", 60: "1_REVERSED",
	61: "32_AS_8", 62: "32_AS_8_8", 63: "32_AS_32_32_32_32",
}

// blockFormats are the formats of blocks and of pairs of pixels by code, with the kinds of blocks of number formats.
var blockFormats = [64]struct {
	name          string
	unorm, signed mem.BlockKind // signed is 0 if there is no snorm
	srgb          bool
}{
	32: {"GB_GR", mem.SharedRB, 0, false}, 33: {"BG_RG", mem.SharedBR, 0, false},
	35: {"BC1", mem.BC1, 0, true}, 36: {"BC2", mem.BC2, 0, true}, 37: {"BC3", mem.BC3, 0, true},
	38: {"BC4", mem.BC4, mem.BC4Signed, false}, 39: {"BC5", mem.BC5, mem.BC5Signed, false},
	40: {"BC6", mem.BC6, mem.BC6Signed, false}, 41: {"BC7", mem.BC7, 0, true},
}

// blocksOf returns the format of a T# of blocks.
func blocksOf(t []uint32, data, number uint32) (*mem.Format, error) {
	f, n := &blockFormats[data], numberFormats[number].name
	b := mem.Blocks{Kind: f.unorm}
	switch {
	case number == numberUnorm:
	case number == numberSRGB && f.srgb:
		b.SRGB = true
	case number == numberSnorm && f.signed != 0:
		b.Kind = f.signed
	case n != "":
		return nil, fmt.Errorf("gcn: T# of data format %s as %s, which does not exist", f.name, n)
	default:
		return nil, noNumber(number)
	}
	for i, s := range selects(t) {
		switch {
		case s >= 4:
			b.From[i] = uint8(s - 4)
		case s == 1:
			b.From[i] = mem.BlockOne
		default:
			b.From[i] = mem.BlockZero
		}
	}
	return mem.NewBlocks(f.name+" "+n, b), nil
}

// A numberFormat is how the bits of a component are converted to a number.
type numberFormat struct {
	name string
	conv mem.Conv
}

var numberFormats = [16]numberFormat{
	0: {"unorm", mem.Unorm}, 1: {"snorm", mem.SnormEdge}, 2: {"uscaled", mem.UScaled}, 3: {"sscaled", mem.SScaled},
	4: {"uint", mem.UInt}, 5: {"sint", mem.SInt}, 6: {"snorm_ogl", mem.SnormOdd}, 7: {"float", mem.Float}, 9: {"srgb", mem.SRGB},
}

// otherNumbers are codes of number formats that are known and unsupported.
var otherNumbers = [16]string{10: "ubnorm", 11: "ubnorm_ogl", 12: "ubint", 13: "ubscaled"}

// noNumber is the error of a number format without a row.
func noNumber(number uint32) error {
	if name := otherNumbers[number]; name != "" {
		return fmt.Errorf("gcn: T# of number format %d, %s, which is not built", number, name)
	}
	return fmt.Errorf("gcn: T# of number format %d, which does not exist", number)
}

// Codes with rules of their own.
const (
	data32Float8 = 22
	dataShared   = 34
	numberUnorm  = 0
	numberSnorm  = 1
	numberUint   = 4
	numberFloat  = 7
	numberSRGB   = 9
)

// formatOf returns the format of a T#, with its selects.
func formatOf(t []uint32) (*mem.Format, error) {
	data, number := field(t, 1, 20, 6), field(t, 1, 26, 4)
	d := dataFormats[data]
	ok := d.bytes > 0
	n := numberFormats[number]
	switch {
	case blockFormats[data].name != "":
		return blocksOf(t, data, number)
	case !ok && otherFormats[data] != "":
		return nil, fmt.Errorf("gcn: T# of data format %d, %s, which is not built", data, otherFormats[data])
	case !ok:
		return nil, fmt.Errorf("gcn: T# of data format %d, which does not exist", data)
	case n.name == "":
		return nil, noNumber(number)
	case data == dataShared && number != numberFloat, fragments(data) && number != numberUint:
		return nil, fmt.Errorf("gcn: T# of data format %s as %s, which does not exist", d.name, n.name)
	case number == numberSRGB && !strings.Contains(d.comps[0], "+8"):
		return nil, fmt.Errorf("gcn: T# of data format %s as srgb, which does not exist: it is for components of 8 bits", d.name)
	}
	f, err := mem.NewFormat(d.name+" "+n.name, d.bytes, convOf(data, number), selected(t, &d))
	if err != nil {
		return nil, fmt.Errorf("gcn: T# of data format %s as %s, which does not exist: %w", d.name, n.name, err)
	}
	for i := range f.Comp {
		c := &f.Comp[i]
		switch {
		case number == numberSRGB && c.Conv == mem.SRGB && selects(t)[i] == 7: // the fourth component is linear
			c.Conv = mem.Unorm
		case data == data32Float8 && number == numberFloat && c.Bits == 32: // the depth; the stencil is a number
			c.Conv = mem.Float
		}
	}
	return f, nil
}

// fragments reports whether a data format is an FMASK: which fragment each sample of a pixel has.
func fragments(data uint32) bool { return strings.HasPrefix(dataFormats[data].name, "FMASK") }

// convOf returns the initial conversion of a format, before the special cases.
func convOf(data, number uint32) mem.Conv {
	switch {
	case data == dataShared:
		return mem.SharedExp
	case fragments(data):
		return mem.Fragments
	case data == data32Float8 && number == numberFloat:
		return mem.UScaled
	}
	return numberFormats[number].conv
}

// selects returns the codes that select x, y, z, w: 0 zero, 1 one, 4 to 7 a component.
func selects(t []uint32) (s [4]uint32) {
	for i := range s {
		s[i] = field(t, 3, 3*i, 3)
	}
	return s
}

// selected returns the components in the order of the selects. A component that the format lacks is 0, the fourth 1; a
// select that does not exist is 0.
func selected(t []uint32, d *dataFormat) string {
	var comps [4]string
	for i, s := range selects(t) {
		switch {
		case s == 1:
			comps[i] = "1"
		case s < 4:
			comps[i] = "0"
		case d.comps[s-4] != "":
			comps[i] = d.comps[s-4]
		case s == 7:
			comps[i] = "1"
		default:
			comps[i] = "0"
		}
	}
	return strings.Join(comps[:], " ")
}
