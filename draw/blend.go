package draw

// A Blend combines a fragment's colour with the target's. The zero value replaces the target's.
type Blend struct {
	On       bool
	Color    BlendTerms // for red, green, blue
	Alpha    BlendTerms
	Constant Vec4 // of the factors that use it
}

// BlendTerms define the result for a channel: source times Src and target times Dst, combined by Op.
type BlendTerms struct {
	Op       BlendOp
	Src, Dst Factor
}

// AlphaBlend is the usual blending of transparent objects: source times its alpha plus target times the rest.
var AlphaBlend = Blend{On: true, Color: BlendTerms{BlendAdd, SrcAlpha, OneMinusSrcAlpha}, Alpha: BlendTerms{BlendAdd, One, OneMinusSrcAlpha}}

// BlendOp combines the two terms. Minimum and maximum use the colours without factors.
type BlendOp uint8

const (
	BlendAdd BlendOp = iota
	BlendSubtract
	BlendReverse // target minus source
	BlendMin
	BlendMax
)

// BlendOpNames are the names of the operations in scenes.
var BlendOpNames = [...]string{"add", "subtract", "reverse_subtract", "min", "max"}

// Factor is what a colour is multiplied by, channel by channel.
type Factor uint8

const (
	Zero Factor = iota
	One
	SrcColor
	OneMinusSrcColor
	DstColor
	OneMinusDstColor
	SrcAlpha
	OneMinusSrcAlpha
	DstAlpha
	OneMinusDstAlpha
	ConstantColor
	OneMinusConstantColor
	ConstantAlpha
	OneMinusConstantAlpha
	SrcAlphaSaturate // for colours the lesser of source alpha and 1 - target alpha, for alpha 1
)

// FactorNames are the names of the factors in scenes.
var FactorNames = [...]string{"zero", "one", "src_color", "one_minus_src_color", "dst_color", "one_minus_dst_color",
	"src_alpha", "one_minus_src_alpha", "dst_alpha", "one_minus_dst_alpha", "constant_color", "one_minus_constant_color",
	"constant_alpha", "one_minus_constant_alpha", "src_alpha_saturate"}

// value is the factor of channel k.
func (f Factor) value(src, dst, constant *Vec4, k int) float32 {
	switch f {
	case One:
		return 1
	case SrcColor:
		return src[k]
	case OneMinusSrcColor:
		return 1 - src[k]
	case DstColor:
		return dst[k]
	case OneMinusDstColor:
		return 1 - dst[k]
	case SrcAlpha:
		return src[3]
	case OneMinusSrcAlpha:
		return 1 - src[3]
	case DstAlpha:
		return dst[3]
	case OneMinusDstAlpha:
		return 1 - dst[3]
	case ConstantColor:
		return constant[k]
	case OneMinusConstantColor:
		return 1 - constant[k]
	case ConstantAlpha:
		return constant[3]
	case OneMinusConstantAlpha:
		return 1 - constant[3]
	case SrcAlphaSaturate:
		if k == 3 {
			return 1
		}
		return min(src[3], 1-dst[3])
	}
	return 0
}

// mix returns the colour for a target of numbers from 0 to 1. The source is clamped to that range first.
func (b *Blend) mix(src, dst Vec4) (out Vec4) {
	if !b.On {
		return src
	}
	for k := range src {
		src[k] = clamp01(src[k])
	}
	return b.sum(src, dst)
}

// sum combines the two terms; each product is rounded, then the sum.
func (b *Blend) sum(src, dst Vec4) (out Vec4) {
	for k := range out {
		t := &b.Color
		if k == 3 {
			t = &b.Alpha
		}
		s := float32(src[k] * t.Src.value(&src, &dst, &b.Constant, k))
		d := float32(dst[k] * t.Dst.value(&src, &dst, &b.Constant, k))
		switch t.Op {
		case BlendAdd:
			out[k] = s + d
		case BlendSubtract:
			out[k] = s - d
		case BlendReverse:
			out[k] = d - s
		case BlendMin:
			out[k] = min(src[k], dst[k])
		case BlendMax:
			out[k] = max(src[k], dst[k])
		}
	}
	return out
}

// clamp01 clamps x to 0 to 1; NaN is 0.
func clamp01(x float32) float32 {
	if !(x > 0) {
		return 0
	}
	return min(x, 1)
}
