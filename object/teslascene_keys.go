package object

import (
	"fmt"
	"github.com/heddle-gpu/heddle/internal/jsonfile"
	"maps"
	"math"
	"slices"
	"strings"
)

var teslaSceneKeys = keyTable[TeslaScene]{rows: func() keys[TeslaScene] {
	return keys[TeslaScene]{
		"format": func(_ *TeslaScene, v []byte) error {
			_, err := oneOf(v, TeslaSceneFormat)
			return err
		},
		"name":     asString(func(s *TeslaScene) *string { return &s.Name }),
		"programs": asObjects(&teslaProgramsKeys, func(s *TeslaScene) *[]TeslaPrograms { return &s.Programs }),
		"constants": func(s *TeslaScene, v []byte) error {
			return eachStage(v, func(stage int, v []byte) error {
				return asObjects(&teslaConstantsKeys, func(s *TeslaScene) *[]TeslaConstants { return &s.Constants[stage] })(s, v)
			})
		},
		"inputs":     asObjects(&teslaInputKeys, func(s *TeslaScene) *[]TeslaInput { return &s.Inputs }),
		"attributes": asObjects(&teslaAttributeKeys, func(s *TeslaScene) *[]TeslaAttribute { return &s.Attributes }),
		"varyings":   func(s *TeslaScene, v []byte) error { return readObject(s, v, &teslaVaryingsKeys, nil) },
		"textures":   asObjects(&teslaTextureKeys, func(s *TeslaScene) *[]TeslaTexture { return &s.Textures }),
		"samplers":   asObjects(&teslaSamplerKeys, func(s *TeslaScene) *[]TeslaSampler { return &s.Samplers }),
		"draw":       func(s *TeslaScene, v []byte) error { return readObject(s, v, &teslaDrawKeys, nil) },
		"targets":    asObjects(&teslaTargetKeys, func(s *TeslaScene) *[]TeslaTarget { return &s.Targets }),
		"mask":       func(s *TeslaScene, v []byte) error { return readObject(s, v, &teslaMaskKeys, nil) },
		"fragments":  asFile(func(s *TeslaScene) *string { return &s.Fragments }),
		"tool":       aside[TeslaScene], "source": aside[TeslaScene], "reference": aside[TeslaScene],
	}
}}

// eachStage reads the values of vertex and fragment.
func eachStage(v []byte, read func(stage int, v []byte) error) error {
	return eachMember(v, func(name string, v []byte) error {
		switch name {
		case "vertex":
			return read(TeslaVertex, v)
		case "fragment":
			return read(TeslaFragment, v)
		}
		return badValue("unknown key")
	})
}

var teslaProgramsKeys = keyTable[TeslaPrograms]{rows: func() keys[TeslaPrograms] {
	code := func(stage int) func(*TeslaPrograms, []byte) error {
		return func(p *TeslaPrograms, v []byte) error {
			return readObject(&teslaProgram{&p.Code[stage]}, v, &teslaProgramKeys, nil)
		}
	}
	return keys[TeslaPrograms]{
		"variants": asStrings(func(p *TeslaPrograms) *[]string { return &p.Variants }),
		"vertex":   code(TeslaVertex),
		"fragment": code(TeslaFragment),
	}
}}

type teslaProgram struct{ code *[]byte }

var teslaProgramKeys = keyTable[teslaProgram]{rows: func() keys[teslaProgram] {
	return keys[teslaProgram]{
		"code": func(p *teslaProgram, v []byte) (err error) {
			if *p.code, err = readBytes(v); err == nil && len(*p.code) > maxTeslaCode {
				err = badValue("%d bytes, at most %d", len(*p.code), maxTeslaCode)
			}
			return err
		},
		"asm": aside[teslaProgram], "nv50ir": aside[teslaProgram],
	}
}}

var teslaConstantsKeys = keyTable[TeslaConstants]{rows: func() keys[TeslaConstants] {
	return keys[TeslaConstants]{
		"bank": asInt(0, 15, func(c *TeslaConstants) *int { return &c.Bank }),
		"addr": func(c *TeslaConstants, v []byte) (err error) { c.Addr, err = readWord(v); return err },
		"hex":  func(c *TeslaConstants, v []byte) (err error) { c.Data, err = readBytes(v); return err },
	}
}}

var teslaInputKeys = keyTable[TeslaInput]{rows: func() keys[TeslaInput] {
	return keys[TeslaInput]{
		"location":   asInt(0, maxTeslaWords, func(i *TeslaInput) *int { return &i.Location }),
		"components": asInt(1, 4, func(i *TeslaInput) *int { return &i.Components }),
		"type":       func(i *TeslaInput, v []byte) (err error) { i.Type, err = oneOf(v, "f32", "u32", "i32"); return err },
		"values": func(i *TeslaInput, v []byte) error {
			i.numbers = nil
			return eachElement(v, func(n int, v []byte) error {
				if n >= maxTeslaCount {
					return badValue("more than %d", maxTeslaCount)
				}
				i.numbers = append(i.numbers, nil)
				return asNumbers(func(i *TeslaInput) *[]float64 { return &i.numbers[n] })(i, v)
			})
		},
	}
}}

// wordAt reads the address of a word and stores its index.
func wordAt[T any](at func(*T) *int) func(*T, []byte) error {
	return func(t *T, v []byte) error {
		x, err := readWord(v)
		if err == nil && (x%4 != 0 || x/4 >= maxTeslaWords) {
			err = badValue("%#x: want a multiple of 4 below %#x", x, 4*maxTeslaWords)
		}
		*at(t) = int(x / 4)
		return err
	}
}

var teslaAttributeKeys = keyTable[TeslaAttribute]{rows: func() keys[TeslaAttribute] {
	return keys[TeslaAttribute]{
		"a":         wordAt(func(a *TeslaAttribute) *int { return &a.Word }),
		"input":     asInt(0, maxTeslaWords, func(a *TeslaAttribute) *int { return &a.Input }),
		"component": asInt(0, 3, func(a *TeslaAttribute) *int { return &a.Component }),
	}
}}

var teslaVaryingsKeys = keyTable[TeslaScene]{rows: func() keys[TeslaScene] {
	return keys[TeslaScene]{
		"position": func(s *TeslaScene, v []byte) error {
			n := 0
			err := eachElement(v, func(i int, v []byte) error {
				if n++; i >= len(s.Position) {
					return badValue("more than x, y, z, w")
				}
				return wordAt(func(s *TeslaScene) *int { return &s.Position[i] })(s, v)
			})
			if err == nil && n != len(s.Position) {
				err = badValue("%d words, want those of x, y, z, w", n)
			}
			return err
		},
		"words": asObjects(&teslaVaryingKeys, func(s *TeslaScene) *[]TeslaVarying { return &s.Varyings }),
	}
}}

var teslaVaryingKeys = keyTable[TeslaVarying]{rows: func() keys[TeslaVarying] {
	return keys[TeslaVarying]{
		"v": wordAt(func(w *TeslaVarying) *int { return &w.Word }),
		"o": wordAt(func(w *TeslaVarying) *int { return &w.Out }),
		"source": func(w *TeslaVarying, v []byte) error {
			_, err := oneOf(v, "1/w")
			w.InvW = true
			return err
		},
		"interp": func(w *TeslaVarying, v []byte) error {
			how, err := oneOf(v, "perspective", "flat")
			w.Flat = how == "flat"
			return err
		},
	}
}}

var teslaTextureKeys = keyTable[TeslaTexture]{rows: func() keys[TeslaTexture] {
	return keys[TeslaTexture]{
		"t": asInt(0, maxTeslaSamples-1, func(t *TeslaTexture) *int { return &t.Number }),
		"kind": func(t *TeslaTexture, v []byte) (err error) {
			t.Kind, err = oneOf(v, "2d", "cube", "2darray")
			return err
		},
		"format": func(t *TeslaTexture, v []byte) (err error) {
			t.Format, err = oneOf(v, "rgba8", "rgba8ui", "d32f")
			return err
		},
		"width":  asInt(1, maxSceneSide, func(t *TeslaTexture) *int { return &t.Width }),
		"height": asInt(1, maxSceneSide, func(t *TeslaTexture) *int { return &t.Height }),
		"layers": asInt(1, maxSceneSide, func(t *TeslaTexture) *int { return &t.Layers }),
		"levels": asInt(1, maxTeslaLod, func(t *TeslaTexture) *int { return &t.Levels }),
		"file":   asFile(func(t *TeslaTexture) *string { return &t.Texels }),
	}
}}

// teslaFilters and teslaCompares are names in samplers.
var (
	teslaFilters  = []string{"nearest", "linear", "nearest_mip_nearest", "linear_mip_nearest", "nearest_mip_linear", "linear_mip_linear"}
	teslaWraps    = []string{"repeat", "mirrored_repeat", "clamp_to_edge"}
	teslaCompares = []string{"none", "never", "less", "equal", "less_equal", "greater", "not_equal", "greater_equal", "always"}
)

var teslaSamplerKeys = keyTable[TeslaSampler]{rows: func() keys[TeslaSampler] {
	return keys[TeslaSampler]{
		"s":   asInt(0, maxTeslaSamples-1, func(s *TeslaSampler) *int { return &s.Number }),
		"min": func(s *TeslaSampler, v []byte) (err error) { s.Min, err = oneOf(v, teslaFilters...); return err },
		"mag": func(s *TeslaSampler, v []byte) (err error) { s.Mag, err = oneOf(v, teslaFilters[:2]...); return err },
		"wrap": func(s *TeslaSampler, v []byte) error {
			n := 0
			err := eachElement(v, func(i int, v []byte) (err error) {
				if n++; i >= len(s.Wrap) {
					return badValue("more than s, t, r")
				}
				s.Wrap[i], err = oneOf(v, teslaWraps...)
				return err
			})
			if err == nil && n != len(s.Wrap) {
				err = badValue("%d modes, want those of s, t, r", n)
			}
			return err
		},
		"compare":  func(s *TeslaSampler, v []byte) (err error) { s.Compare, err = oneOf(v, teslaCompares...); return err },
		"min_lod":  asFloat(func(s *TeslaSampler) *float64 { return &s.MinLod }),
		"max_lod":  asFloat(func(s *TeslaSampler) *float64 { return &s.MaxLod }),
		"lod_bias": asFloat(func(s *TeslaSampler) *float64 { return &s.Bias }),
	}
}}

// only reads a key that has only one valid value.
func only(legal, what string) func(*TeslaScene, []byte) error {
	return func(_ *TeslaScene, v []byte) error {
		if got := strings.Trim(string(v), `"`); got != legal {
			return badValue("%s: %s not built", clip(got), what)
		}
		return nil
	}
}

var teslaDrawKeys = keyTable[TeslaScene]{rows: func() keys[TeslaScene] {
	return keys[TeslaScene]{
		"primitive":  only("triangles", "primitives other than triangles are"),
		"provoking":  only("last", "a provoking vertex other than the last is"),
		"cull":       only("none", "culling is"),
		"blend":      only("false", "blending is"),
		"depth_test": only("false", "a depth test is"),
		"first":      asInt(0, maxTeslaCount, func(s *TeslaScene) *int { return &s.First }),
		"count":      asInt(1, maxTeslaCount, func(s *TeslaScene) *int { return &s.Count }),
		"viewport": func(s *TeslaScene, v []byte) error {
			n := 0
			err := eachElement(v, func(i int, v []byte) error {
				if n++; i >= len(s.Viewport) {
					return badValue("more than x, y, width, height")
				}
				return asInt(int64(i/2), maxSceneSide, func(s *TeslaScene) *int { return &s.Viewport[i] })(s, v)
			})
			if err == nil && n != len(s.Viewport) {
				err = badValue("%d numbers, want x, y, width, height", n)
			}
			return err
		},
	}
}}

var teslaTargetKeys = keyTable[TeslaTarget]{rows: func() keys[TeslaTarget] {
	return keys[TeslaTarget]{
		"index": asInt(0, maxGCNTargets-1, func(t *TeslaTarget) *int { return &t.Index }),
		"format": func(t *TeslaTarget, v []byte) (err error) {
			t.Format, err = oneOf(v, "rgba32f", "rgba32ui", "rgba32i")
			return err
		},
		"registers": func(t *TeslaTarget, v []byte) error {
			return eachElement(v, func(i int, v []byte) error {
				name, err := jsonString(v)
				if err != nil {
					return err
				}
				n, err := numbered(name, "r", 127)
				if t.Registers = append(t.Registers, n); i >= 4 {
					return badValue("more than 4")
				}
				return err
			})
		},
		"components": asInt(1, 4, func(t *TeslaTarget) *int { return &t.Components }),
		"clear":      asFloats(4, func(t *TeslaTarget, i int) *float64 { return &t.Clear[i] }),
		"expect":     asFile(func(t *TeslaTarget) *string { return &t.Expect }),
		"compare": func(t *TeslaTarget, v []byte) error {
			return readObject(t, v, &teslaCompareKeys, nil)
		},
		"expect_rgba8": asFile(func(t *TeslaTarget) *string { return &t.ExpectBytes }),
		"compare_rgba8": func(t *TeslaTarget, v []byte) error {
			return eachMember(v, func(name string, v []byte) (err error) {
				if name != "abs" {
					return badValue("unknown key")
				}
				t.BytesAbs, err = jsonFloat(v)
				return err
			})
		},
	}
}}

var teslaCompareKeys = keyTable[TeslaTarget]{rows: func() keys[TeslaTarget] {
	return keys[TeslaTarget]{
		"abs": asFloat(func(t *TeslaTarget) *float64 { return &t.Abs }),
		"rel": asFloat(func(t *TeslaTarget) *float64 { return &t.Rel }),
		"exact": func(_ *TeslaTarget, v []byte) error {
			if string(v) != "true" {
				return want("true", v)
			}
			return nil
		},
	}
}}

var teslaMaskKeys = keyTable[TeslaScene]{rows: func() keys[TeslaScene] {
	return keys[TeslaScene]{
		"file":   asFile(func(s *TeslaScene) *string { return &s.Mask }),
		"inside": aside[TeslaScene], "background": aside[TeslaScene],
	}
}}

// check rejects a draw that lacks a required key, or that is inconsistent.
func (s *TeslaScene) check() error {
	switch {
	case s.Name == "":
		return badValue("no name")
	case len(s.Variants()) == 0:
		return badValue("no programs")
	case s.Count == 0:
		return under("draw", badValue("no count"))
	case s.Viewport[2] == 0:
		return under("draw", badValue("no viewport"))
	case s.Width() > maxSceneSide || s.Height() > maxSceneSide || s.Width()*s.Height()*max(len(s.Targets), 1) > maxTeslaPixels:
		return under("draw.viewport", badValue("%dx%d pixels of %d targets, at most %d", s.Width(), s.Height(), len(s.Targets), maxTeslaPixels))
	case len(s.Targets) == 0:
		return badValue("no targets")
	case s.Mask == "":
		return badValue("no mask")
	}
	for _, step := range []func() error{s.checkPrograms, s.checkInputs, s.checkSamplers, s.checkTargets} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (s *TeslaScene) checkPrograms() error {
	seen := map[string]bool{}
	for i := range s.Programs {
		at := fmt.Sprintf("programs[%d]", i)
		for stage, name := range []string{"vertex", "fragment"} {
			if len(s.Programs[i].Code[stage]) == 0 {
				return under(at, under(name, badValue("no code")))
			}
		}
		for _, v := range s.Programs[i].Variants {
			if seen[v] {
				return under(at, under("variants", badValue("%s stands twice", clip(v))))
			}
			seen[v] = true
		}
	}
	return nil
}

// checkInputs converts the numbers of inputs to words.
func (s *TeslaScene) checkInputs() error {
	seen := map[int]bool{}
	for i := range s.Inputs {
		in := &s.Inputs[i]
		at := fmt.Sprintf("inputs[%d]", i)
		switch {
		case in.Type == "":
			return under(at, badValue("no type"))
		case seen[in.Location]:
			return under(at, badValue("location %d stands twice", in.Location))
		case len(in.numbers) < s.First+s.Count:
			return under(at, badValue("%d values; the draw takes %d vertices", len(in.numbers), s.First+s.Count))
		}
		seen[in.Location] = true
		for n, list := range in.numbers {
			w, err := in.words(list)
			if err != nil {
				return under(fmt.Sprintf("%s.values[%d]", at, n), err)
			}
			in.Values = append(in.Values, w)
		}
		in.numbers = nil
	}
	for i, a := range s.Attributes {
		if !seen[a.Input] {
			return under(fmt.Sprintf("attributes[%d]", i), badValue("no input of location %d", a.Input))
		}
	}
	return nil
}

// words returns the bits of a vertex's numbers.
func (in *TeslaInput) words(list []float64) (w [4]uint32, err error) {
	if len(list) != in.Components {
		return w, badValue("%d numbers, want %d", len(list), in.Components)
	}
	w[3] = 1
	if in.Type == "f32" {
		w[3] = math.Float32bits(1)
	}
	for k, x := range list {
		switch {
		case in.Type == "f32":
			w[k] = math.Float32bits(float32(x))
		case x != math.Trunc(x) || x < math.MinInt32 || x > math.MaxUint32:
			return w, badValue("%g is no integer of 32 bits", x)
		default:
			w[k] = uint32(int64(x))
		}
	}
	return w, nil
}

func (s *TeslaScene) checkSamplers() error {
	seen := map[string]bool{}
	twice := func(key string, i int, letter string, n int) error {
		name := fmt.Sprintf("%s%d", letter, n)
		if seen[name] {
			return under(fmt.Sprintf("%s[%d]", key, i), badValue("$%s stands twice", name))
		}
		seen[name] = true
		return nil
	}
	for i := range s.Textures {
		t := &s.Textures[i]
		switch {
		case t.Texels == "" || t.Kind == "" || t.Format == "":
			return under(fmt.Sprintf("textures[%d]", i), badValue("no kind, format or file"))
		case t.Kind == "cube" && t.Layers != 6:
			return under(fmt.Sprintf("textures[%d].layers", i), badValue("%d, but a cube has 6 faces", t.Layers))
		}
		if err := twice("textures", i, "t", t.Number); err != nil {
			return err
		}
	}
	for i := range s.Samplers {
		if err := twice("samplers", i, "s", s.Samplers[i].Number); err != nil {
			return err
		}
	}
	return nil
}

func (s *TeslaScene) checkTargets() error {
	seen := map[int]bool{}
	for i := range s.Targets {
		t := &s.Targets[i]
		at := fmt.Sprintf("targets[%d]", i)
		switch {
		case seen[t.Index]:
			return under(at, under("index", badValue("%d stands twice", t.Index)))
		case t.Format == "" || t.Expect == "" || t.Components == 0:
			return under(at, badValue("no format, expect or components"))
		case len(t.Registers) < t.Components:
			return under(at, badValue("%d registers for %d components", len(t.Registers), t.Components))
		}
		seen[t.Index] = true
	}
	return nil
}

func (t *TeslaFragments) check() error {
	lanes := t.Launch.Lanes
	if lanes == 0 || lanes > 64 || lanes%4 != 0 {
		return jsonfile.At(jsonfile.Bad("%d lanes, want quads, up to 64", lanes), "launch")
	}
	for _, part := range []struct {
		name string
		s    *State
	}{{"initial", t.Initial}, {"final", t.Final}} {
		if extra := slices.Sorted(maps.Keys(part.s.Extra)); len(extra) > 0 {
			return jsonfile.At(jsonfile.Bad("unknown key"), part.name, extra[0])
		}
		if err := part.s.check(lanes); err != nil {
			return jsonfile.Under(part.name, err)
		}
	}
	return nil
}
