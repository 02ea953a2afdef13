package render

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/mem"
)

// loadScene reads the parts that all draws share.
func loadScene(ctx context.Context, s *casefile.Scene) (*target, error) {
	t, err := newTarget(s.ISA)
	if err != nil {
		return nil, fmt.Errorf("%s: isa: %w", s.File, err)
	}
	t.scene, t.files, t.texels = s, newBudget(limit.Parts), newBudget(limit.Texels)
	for i := range s.Textures {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		x := &s.Textures[i]
		u, err := t.loadTexture(x)
		if err != nil {
			return nil, fmt.Errorf("%s: texture %q: %w", s.File, x.Name, err)
		}
		t.textures[x.Name] = u
	}
	return t, nil
}

// draw prepares a draw.
func (t *target) draw(d *casefile.SceneDraw, o Options) (*draw.Call, error) {
	r := &draw.Call{Name: d.Name, Count: d.Count, Indices: d.Indices, Truncate: d.Truncate, LateDepth: true}
	if err := t.programs(d, r, o); err != nil {
		return nil, err
	}
	if err := t.vertices(d, r); err != nil {
		return nil, err
	}
	r.Viewport = draw.Viewport{W: t.scene.Width, H: t.scene.Height, Near: float32(d.DepthRange[0]), Far: float32(d.DepthRange[1])}
	if v := d.Viewport; v != nil {
		r.Viewport.X, r.Viewport.Y, r.Viewport.W, r.Viewport.H = v[0], v[1], v[2], v[3]
	}
	for _, n := range d.Flat {
		r.Flat |= 1 << n
	}
	for i, c := range "rgba" {
		if d.ColorMask != "" && !strings.ContainsRune(d.ColorMask, c) {
			r.Mask |= 1 << i
		}
	}
	return r, fixedSteps(d, r)
}

// programs loads both programs and binds their constants and textures.
func (t *target) programs(d *casefile.SceneDraw, r *draw.Call, o Options) error {
	units := map[int]*mem.Unit{}
	for unit, name := range d.Units {
		n, err := strconv.ParseUint(unit, 10, 8)
		u := t.textures[name]
		if err != nil || u == nil {
			return fmt.Errorf("textures: unit %q, texture %q: want a number and a texture of the scene", unit, name)
		}
		units[int(n)] = u
	}
	load := func(name, stage string, constants []casefile.SceneConstant) (*draw.Stage, draw.Components, error) {
		source, err := t.read(name)
		if err != nil {
			return nil, draw.Components{}, err
		}
		return t.stage(name, source, stage, constants, units)
	}
	fragment, read, err := load(d.Fragment, "fragment", d.FragmentConstants)
	if err != nil {
		return err
	}
	r.Used = read.Varyings()
	var vertex *draw.Stage
	if d.Vertex != "" {
		if vertex, _, err = load(d.Vertex, "vertex", d.VertexConstants); err != nil {
			return err
		}
	}
	r.Shader = t.shader(d.Name, vertex, fragment, read, !d.FragmentDepth, o)
	r.LateDepth, r.ByTriangle = d.FragmentDepth, t.graphics.ByTriangle
	if c := t.graphics.Discard; c != nil && !d.FragmentDepth {
		r.EarlyDepth = !fragment.Writes(*c) // if so, depths may be tested at any time
	}
	return nil
}

// vertexBytes is the memory of one attribute of a vertex.
const vertexBytes = 16

// vertices reads the attributes.
func (t *target) vertices(d *casefile.SceneDraw, r *draw.Call) (err error) {
	most := 0
	for i := range d.Attributes {
		a := &d.Attributes[i]
		for len(r.Inputs) <= a.Slot {
			r.Inputs = append(r.Inputs, nil)
		}
		if r.Inputs[a.Slot] != nil {
			return fmt.Errorf("attribute %d is given twice", a.Slot)
		}
		if r.Inputs[a.Slot], err = t.scene.ReadAttribute(a); err != nil {
			return err
		}
		if err := t.files.take(len(r.Inputs[a.Slot]) * vertexBytes); err != nil {
			return err
		}
		most = max(most, len(r.Inputs[a.Slot]))
	}
	if r.Count == 0 {
		r.Count = most
	}
	return nil
}

// fixedSteps reads the settings of the fixed-function steps.
func fixedSteps(d *casefile.SceneDraw, r *draw.Call) (err error) {
	if d.Primitive != "" {
		if r.Primitive, err = draw.ParsePrimitive(d.Primitive); err != nil {
			return err
		}
	}
	cull, err := pick("cull", d.Cull, 0, []string{"none", "front", "back", "both"})
	if err != nil {
		return err
	}
	front, err := pick("front", d.Front, 0, []string{"ccw", "cw"})
	if err != nil {
		return err
	}
	test, err := pick("depth_func", d.DepthFunc, 0, draw.CompareNames[:])
	if err != nil {
		return err
	}
	r.Cull, r.FrontCW = draw.Face(cull), front == 1
	r.Depth = draw.DepthTest{Func: draw.Compare(test), Write: d.DepthWrite}
	if d.Blend != nil {
		r.Blend, err = blend(d.Blend)
	}
	return err
}

// blend reads the settings of a blend; defaults are those of alpha blending.
func blend(b *casefile.SceneBlend) (draw.Blend, error) {
	r := draw.Blend{On: true}
	for i := range b.Constant {
		r.Constant[i] = float32(b.Constant[i])
	}
	var err error
	terms := func(key, src, dst, op string, d draw.BlendTerms) (t draw.BlendTerms) {
		read := func(what, name string, other int, names []string) int {
			n, e := pick("blend."+key+what, name, other, names)
			if err == nil {
				err = e
			}
			return n
		}
		t.Src = draw.Factor(read("src", src, int(d.Src), draw.FactorNames[:]))
		t.Dst = draw.Factor(read("dst", dst, int(d.Dst), draw.FactorNames[:]))
		t.Op = draw.BlendOp(read("op", op, int(d.Op), draw.BlendOpNames[:]))
		return t
	}
	r.Color = terms("", b.Src, b.Dst, b.Op, draw.AlphaBlend.Color)
	other := r.Color
	if b.Src == "" && b.Dst == "" && b.Op == "" {
		other = draw.AlphaBlend.Alpha
	}
	r.Alpha = terms("alpha_", b.AlphaSrc, b.AlphaDst, b.AlphaOp, other)
	return r, err
}

// pick returns the index of a name in a list; other if the name is empty.
func pick(key, name string, other int, names []string) (int, error) {
	if name == "" {
		return other, nil
	}
	if i := slices.Index(names, name); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("%s: no %q; there are %s", key, name, strings.Join(names, ", "))
}
