package rogue

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/mem"
)

// A texels is the layout of a format's texels: its fields from the lowest bit up, and their type.
type texels struct {
	code   uint32
	bytes  int
	kind   byte // U, S: fixed point or integers; I, J: integers without and with sign; F: floats; E: of a shared exponent
	fields string
}

// formats are those of images by code. Mesa's names for them list the channels from the highest bits down.
var formats = [...]texels{
	{0, 1, 'U', "0+8 0 0 1"}, {1, 1, 'S', "0+8 0 0 1"}, {2, 2, 'U', "0+4 4+4 8+4 12+4"}, {3, 2, 'U', "0+2 2+3 5+3 8+8"}, {4, 2, 'U', "0+5 5+5 10+5 15+1"}, {5, 2, 'U', "0+5 5+6 11+5 1"},
	{7, 2, 'U', "0+8 8+8 0 1"}, {8, 2, 'S', "0+8 8+8 0 1"}, {9, 2, 'U', "0+16 0 0 1"}, {10, 2, 'S', "0+16 0 0 1"}, {11, 2, 'F', "0+16 0 0 1"},
	{12, 4, 'U', "0+8 8+8 16+8 24+8"}, {13, 4, 'S', "0+8 8+8 16+8 24+8"}, {14, 4, 'U', "0+10 10+10 20+10 30+2"},
	{15, 4, 'U', "0+16 16+16 0 1"}, {16, 4, 'S', "0+16 16+16 0 1"}, {17, 4, 'F', "0+16 16+16 0 1"}, {18, 4, 'F', "0+32 0 0 1"}, {21, 4, 'U', "0+24 0 0 1"}, {22, 4, 'U', "0+24 24+8 0 1"}, {23, 4, 'U', "24+8 0 0 1"},
	{24, 4, 'I', "0+32 0 0 1"}, {25, 4, 'J', "0+32 0 0 1"}, {26, 4, 'E', "0+9 9+9 18+9 1"}, {27, 4, 'F', "0+10 10+11 21+11 1"}, {28, 8, 'F', "0+16 16+16 32+16 48+16"},
	{29, 8, 'U', "0+16 16+16 32+16 48+16"}, {30, 8, 'S', "0+16 16+16 32+16 48+16"},
	{31, 6, 'F', "0+16 16+16 32+16 1"}, {32, 6, 'U', "0+16 16+16 32+16 1"}, {33, 6, 'S', "0+16 16+16 32+16 1"}, {34, 8, 'F', "0+32 32+32 0 1"}, {35, 8, 'I', "0+32 32+32 0 1"},
	{36, 8, 'J', "0+32 32+32 0 1"}, {38, 8, 'F', "0+32 0 0 1"}, {39, 8, 'U', "32+8 0 0 1"},
	{58, 3, 'U', "0+8 8+8 16+8 1"}, {59, 3, 'S', "0+8 8+8 16+8 1"}, {61, 16, 'F', "0+32 32+32 64+32 96+32"}, {62, 16, 'I', "0+32 32+32 64+32 96+32"}, {63, 16, 'J', "0+32 32+32 64+32 96+32"},
	{64, 12, 'F', "0+32 32+32 64+32 1"}, {65, 12, 'I', "0+32 32+32 64+32 1"}, {66, 12, 'J', "0+32 32+32 64+32 1"}, {83, 2, 'U', "0+1 1+5 6+5 11+5"}, {85, 4, 'U', "0+2 2+10 12+10 22+10"},
	{87, 4, 'U', "0+8 8+24 0 1"}, {88, 4, 'F', "0+11 11+11 22+10 1"},
}

// conversions are the conversions of fields by kind, to floats and to integers.
var conversions = map[byte][2]mem.Conv{'U': {mem.Unorm, mem.UInt}, 'S': {mem.SnormEdge, mem.SInt}, 'I': {mem.UInt, mem.UInt}, 'J': {mem.SInt, mem.SInt},
	'F': {mem.Float, mem.Float}, 'E': {mem.SharedExp, mem.SharedExp}}

// Sources of a channel besides the four of the texel.
const (
	channelOne  = 4
	channelZero = 5
)

// lie returns the layout of an image's texels.
func lie(w *words) (*texels, error) {
	code := w.field(imageFormat, 7)
	i := slices.IndexFunc(formats[:], func(x texels) bool { return x.code == code })
	if i < 0 {
		return nil, fmt.Errorf("a texture of format %d, which is not built", code)
	}
	return &formats[i], nil
}

// plain returns the format of texels without reordering of channels, as floats or as integers.
func (x *texels) plain(normal bool) (*mem.Format, error) {
	conv := conversions[x.kind][1]
	if normal {
		conv = conversions[x.kind][0]
	}
	return mem.NewFormat(fmt.Sprintf("format %d", x.code), x.bytes, conv, x.fields)
}

// formatOf returns the format of an image: gamma applies to channels in the order of memory, before the swizzle.
func formatOf(w *words, normal bool) (*mem.Format, error) {
	if ofBlocks(w) {
		return blocksOf(w, normal)
	}
	x, err := lie(w)
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(x.fields)
	gamma, err := gammaOf(w, fields[1] != "0" && fields[2] == "0")
	if err != nil {
		return nil, err
	}
	conv := conversions[x.kind][1]
	if normal {
		conv = conversions[x.kind][0]
	}
	if gamma > 0 && conv == mem.Unorm {
		conv = mem.SRGB
	}
	var comps [4]string
	var from [4]uint32
	for i := range comps {
		switch from[i] = w.field(imageSwizzle-swizzleStep*i, 3); {
		case from[i] < channelOne:
			comps[i] = fields[from[i]]
		case from[i] == channelOne:
			comps[i] = "1"
		case from[i] == channelZero:
			comps[i] = "0"
		default:
			return nil, fmt.Errorf("a texture whose channel %d comes from %d, which does not exist", i, from[i])
		}
	}
	f, err := mem.NewFormat(fmt.Sprintf("format %d", x.code), x.bytes, conv, strings.Join(comps[:], " "))
	if err != nil {
		return nil, err
	}
	for i := range f.Comp {
		if f.Comp[i].Conv == mem.SRGB && int(from[i]) >= gamma {
			f.Comp[i].Conv = mem.Unorm
		}
	}
	return f, nil
}

// gammaOf returns how many channels of an image have gamma: in formats of two channels none, the first or both; in
// others all but the fourth, or none.
func gammaOf(w *words, two bool) (channels int, err error) {
	switch gamma := w.field(imageGamma, 2); {
	case gamma == 0:
		return 0, nil
	case gamma == 1 && !two:
		return 3, nil
	case gamma == 1:
		return 1, nil
	case gamma == 3 && two:
		return 2, nil
	case two:
		return 0, fmt.Errorf("a texture of two channels with gamma of the second alone, %d: Mesa's names are of none, the first and both", gamma)
	default:
		return 0, fmt.Errorf("a texture with gamma %d, which is of formats of two channels", gamma)
	}
}

// blockKinds are the block-compressed formats by code that Mesa's driver has: ETC2 and EAC, with the number of
// components.
var blockKinds = map[uint32]struct {
	kind  mem.BlockKind
	comps int
}{68: {mem.ETC2RGB, 3}, 69: {mem.ETC2RGBA, 4}, 70: {mem.ETC2Punch, 4}, 71: {mem.EACR, 1}, 72: {mem.EACRSigned, 1}, 73: {mem.EACRG, 2}, 74: {mem.EACRGSigned, 2}}

// ofBlocks reports whether an image is block-compressed: by its compression mode, or by a format code that only
// block-compressed formats have.
func ofBlocks(w *words) bool {
	code := w.field(imageFormat, 7)
	return w.field(imagePacked, 3) == packedBlocks || code >= 40 && code <= 53 || code >= 68 && code <= 74
}

// blocksOf returns the format of a block-compressed image.
func blocksOf(w *words, normal bool) (*mem.Format, error) {
	code := w.field(imageFormat, 7)
	x, ok := blockKinds[code]
	switch {
	case !ok:
		return nil, fmt.Errorf("a texture of blocks, format %d: of blocks ETC2 and EAC are built, not ASTC, PVRTC and BC", code)
	case !normal:
		return nil, fmt.Errorf("a texture of blocks, format %d, without FCNORM: how its texels are integers is not public", code)
	}
	gamma, err := gammaOf(w, x.comps == 2)
	if err != nil {
		return nil, err
	}
	b := mem.Blocks{Kind: x.kind, SRGB: gamma > 0 && x.comps > 2}
	for i := range b.From {
		from := w.field(imageSwizzle-swizzleStep*i, 3)
		switch {
		case from > channelZero:
			return nil, fmt.Errorf("a texture whose channel %d comes from %d, which does not exist", i, from)
		case from == channelZero || from < 3 && int(from) >= x.comps:
			b.From[i] = mem.BlockZero
		case from == channelOne || int(from) >= x.comps:
			b.From[i] = mem.BlockOne
		default:
			b.From[i] = uint8(from)
		}
	}
	return mem.NewBlocks(fmt.Sprintf("format %d", code), b), nil
}
