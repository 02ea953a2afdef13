package tesla

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// interpRows are the inputs of fragment programs. docs/reference/tesla.md 9.4.
func interpRows() (rows []row) {
	for mode, m := range [...]struct {
		words      []operand
		multiplied bool
		mean       isa.Meaning
		option     string
		doc        string
	}{
		{nil, false, interp(ir.HowLinear), choiceInterp, "an input of the fragment"},
		{[]operand{text("cent")}, false, interp(ir.HowLinear | ir.AtCentroid), choiceInterp, "an input at the centroid"},
		{nil, true, interpTimes(ir.HowLinear), choiceInterp, "an input of the fragment, times b"},
		{[]operand{text("cent")}, true, interpTimes(ir.HowLinear | ir.AtCentroid), choiceInterp, "an input at the centroid, times b"},
		{[]operand{text("flat")}, false, interp(ir.HowFlat), "", "an input that is not interpolated"},
	} {
		ops := func(dst, in operand, by operand) []operand {
			list := append(append([]operand{dst}, m.words...), in)
			if m.multiplied {
				list = append(list, by)
			}
			return list
		}
		in := func(k *isa.Kind) operand {
			return operand{arg: isa.Arg{Name: "varying", At: span(16, 23), Kind: k}, uses: []string{"addr"}}
		}
		fix := fixed(24, 25, mode&3, 8, 8, mode>>2)
		rows = append(rows,
			row{name: "interp", op: 8, fix: fix, stages: 1 << FP, mean: m.mean, doc: m.doc, ref: "9.4", option: m.option, traits: isa.TraitVaries, form: newForm(short, ops(sDst, in(shortVarying), src1)...)},
			row{name: "interp", op: 8, fix: fixed(48, 50, mode), stages: 1 << FP, mean: m.mean, doc: m.doc, ref: "9.4", option: m.option, traits: isa.TraitVaries, form: newForm(long, ops(lDst, in(varying), src1.having(neg1(58)))...)})
	}
	return rows
}

// texRows are reads of textures. docs/reference/tesla.md 9.5.
func texRows() (rows []row) {
	docs := texDocs()
	unit := pick("tex", 9, 16, texture)
	smp := pick("samp", 17, 21, sampler)
	shortDst := operand{arg: define("elements", nothing, wholeElements, 128)}
	dst := operand{arg: define("mask", maskBits, elements, 128)}
	dst.arg.Default = 15 // in words that show the instruction
	src := operand{arg: use("count", span(22, 23), coordinates, 128)}
	base := isa.Arg{Name: "dst", At: span(2, 8), Kind: hidden, Place: isa.Hidden}
	live := pick("live", 34, 34, liveOrAll)
	live = live.after(behind("deriv"), "deriv", 35)
	offset := func(name string, lo int) operand {
		return operand{arg: isa.Arg{Name: name, At: span(lo, lo+3), Kind: texelOffset}}
	}
	x, y, z := offset("x", 56), offset("y", 52), offset("z", 48)

	for b24, name := range [...]string{"texauto", "texfetch"} {
		mean := [...]isa.Meaning{texauto, isa.Effect(texfetch)}[b24]
		rows = append(rows, row{name: name, op: 15, fix: fixed(24, 24, b24), mean: mean, option: [...]string{choiceFilter, ""}[b24], doc: docs[name], ref: "9.5",
			form: newForm(short, pick("live", 8, 8, liveOrAll), shortDst, unit, smp, src).with(isa.Arg{Name: "dst", At: span(2, 7), Kind: hidden, Place: isa.Hidden})})
	}
	plain := newForm(long, live, dst, unit, smp, src, x, y, z).with(base)
	cube := newForm(long, text("cube"), live, dst, unit, smp, src).with(base)
	bare := newForm(long, live, dst, unit, smp, src).with(base)
	size := newForm(long, live, dst, unit, smp, operand{arg: use("lod", nothing, firstCoordinate, 32)}).with(base)
	for _, t := range [...]struct {
		name     string
		fix      []int
		f        *form
		variants uint32
		mean     isa.Meaning
		option   string
	}{
		{"texauto", []int{60, 63, 0, 24, 24, 0, 27, 27, 0}, plain, 0, texauto, choiceFilter},
		{"texauto", []int{60, 63, 0, 24, 24, 0, 27, 27, 1}, cube, 0, texautoCube, choiceFilter},
		{"texfetch", []int{60, 63, 0, 24, 24, 1}, plain, 0, isa.Effect(texfetch), ""},
		{"texbias", []int{60, 63, 2, 27, 27, 0}, plain, 0, texbias, choiceFilter},
		{"texbias", []int{60, 63, 2, 27, 27, 1}, cube, 0, texbiasCube, choiceFilter},
		{"texlod", []int{60, 63, 4, 27, 27, 0}, plain, 0, texlod, choiceFilter},
		{"texlod", []int{60, 63, 4, 27, 27, 1}, cube, 0, texlodCube, choiceFilter},
		{"texsize", []int{60, 63, 6, 48, 51, 0}, size, 0, isa.Effect(texsize), ""},
		{"texprep", []int{60, 63, 6, 48, 51, 1, 27, 27, 1}, cube, onlyGT215, nil, ""},
		{"texquerylod", []int{60, 63, 6, 48, 51, 2, 27, 27, 0}, bare, onlyGT215, texquerylod, choiceFilter},
		{"texquerylod", []int{60, 63, 6, 48, 51, 2, 27, 27, 1}, cube, onlyGT215, texquerylodCube, choiceFilter},
		{"texcsaa", []int{60, 63, 8, 24, 24, 0}, plain, 0, nil, ""},
		{"texgather", []int{60, 63, 8, 24, 24, 1, 27, 27, 0}, plain, onlyGT215, texgather, choiceFilter},
		{"texgather", []int{60, 63, 8, 24, 24, 1, 27, 27, 1}, cube, onlyGT215, texgatherCube, choiceFilter},
	} {
		rows = append(rows, row{name: t.name, op: 15, fix: fixed(t.fix...), variants: t.variants, mean: t.mean, lack: isa.LackUndefined, option: t.option, doc: docs[t.name], ref: "9.5", form: t.f})
	}
	return rows
}

// texDocs are what instructions do, by name.
func texDocs() map[string]string {
	return map[string]string{
		"texauto":     "samples a texture",
		"texfetch":    "reads one texel, by integer coordinates",
		"texbias":     "samples a texture; the last coordinate is added to the level of detail",
		"texlod":      "samples a texture; the last coordinate is the level of detail",
		"texsize":     "width, height, depth and levels of a texture",
		"texprep":     "coordinates of a cube as those of an array of its faces",
		"texquerylod": "the level of detail that would be sampled, in 64ths",
		"texcsaa":     "samples a texture with coverage samples",
		"texgather":   "one component of four texels",
	}
}
