package valhall

import (
	"fmt"

	"github.com/heddle-gpu/heddle/draw"
)

// Blending by equation: a + b*c. docs/reference/valhall.md 9.5.

// Modes of a blend descriptor.
const (
	blendShader = 0
	blendOpaque = 1
	blendFixed  = 2
	blendOff    = 3
)

// targetState returns the state of a target that a blend descriptor describes.
func targetState(b descriptor) (t draw.TargetState, err error) {
	t.Mask = uint8(b.field(1, 28, 4)) ^ 15
	switch mode := b.field(2, 0, 2); {
	case mode == blendOff || !b.bit(0, 9):
		t.Mask = 15
	case mode == blendShader:
		return t, fmt.Errorf("valhall: a target that a shader blends, which is not built")
	case b.bit(0, 8):
		return t, fmt.Errorf("valhall: a target whose alpha becomes 1, which is not built")
	case mode == blendFixed:
		t.Blend.On = true
		if t.Blend.Color, err = terms(b.field(1, 0, 12)); err == nil {
			t.Blend.Alpha, err = terms(b.field(1, 12, 12))
		}
		for k := range t.Blend.Constant {
			t.Blend.Constant[k] = float32(b.field(0, 16, 16)) / 65535
		}
	}
	return t, err
}

// A share is the factor of a colour, plain + scaled*c.
type share struct{ plain, scaled int }

// terms returns the blend terms of source and target that an equation describes.
func terms(e uint32) (t draw.BlendTerms, err error) {
	bad := fmt.Errorf("valhall: blend equation %#x, which is not built", e)
	var src, dst share
	sign := func(at int) int { return 1 - 2*int(e>>at&1) }
	switch e & 3 {
	case 2:
		src.plain = sign(3)
	case 3:
		dst.plain = sign(3)
	case 0:
		return t, bad
	}
	n := sign(7)
	switch e >> 4 & 3 {
	case 0:
		src.scaled, dst.scaled = n, -n
	case 1:
		src.scaled, dst.scaled = n, n
	case 2:
		src.scaled = n
	case 3:
		dst.scaled = n
	}
	c, ok := scales[e>>8&7], false
	if c.inverse == draw.Zero {
		return t, bad
	}
	if e>>11&1 != 0 {
		c.factor, c.inverse = c.inverse, c.factor
	}
	var srcSign, dstSign int
	t.Src, srcSign, ok = src.factor(c)
	if !ok {
		return t, bad
	}
	if t.Dst, dstSign, ok = dst.factor(c); !ok {
		return t, bad
	}
	switch {
	case srcSign >= 0 && dstSign >= 0:
		t.Op = draw.BlendAdd
	case srcSign >= 0:
		t.Op = draw.BlendSubtract
	case dstSign >= 0:
		t.Op = draw.BlendReverse
	default:
		return t, bad
	}
	return t, nil
}

// A scale is the factor c of an equation, and 1-c.
type scale struct{ factor, inverse draw.Factor }

// scales are c of equations by code; one whose inverse is zero does not exist.
var scales = [8]scale{
	1: {draw.Zero, draw.One}, 2: {draw.SrcColor, draw.OneMinusSrcColor}, 3: {draw.DstColor, draw.OneMinusDstColor},
	5: {draw.SrcAlpha, draw.OneMinusSrcAlpha}, 6: {draw.DstAlpha, draw.OneMinusDstAlpha}, 7: {draw.ConstantColor, draw.OneMinusConstantColor},
}

// factor returns the share as a factor with a sign; not ok: there is no such factor.
func (s share) factor(c scale) (f draw.Factor, sign int, ok bool) {
	if c.factor == draw.Zero {
		s.scaled = 0
	}
	if c.factor == draw.One {
		s.plain, s.scaled = s.plain+s.scaled, 0
	}
	switch (share{s.plain, s.scaled}) {
	case share{}:
		return draw.Zero, 0, true
	case share{1, 0}:
		return draw.One, 1, true
	case share{-1, 0}:
		return draw.One, -1, true
	case share{0, 1}:
		return c.factor, 1, true
	case share{0, -1}:
		return c.factor, -1, true
	case share{1, -1}:
		return c.inverse, 1, true
	case share{-1, 1}:
		return c.inverse, -1, true
	}
	return draw.Zero, 0, false
}
