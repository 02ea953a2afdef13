package object

// Limits of a scene.
const (
	maxSceneSide     = 8192
	maxSlot          = 16
	maxSceneVertices = 1 << 18 // of an attribute
)

var sceneKeys = keyTable[Scene]{rows: func() keys[Scene] {
	return keys[Scene]{
		"format": func(_ *Scene, v []byte) error {
			f, err := jsonString(v)
			if err == nil && f != SceneFormat {
				err = badValue("%q, want %q", f, SceneFormat)
			}
			return err
		},
		"name":        asString(func(s *Scene) *string { return &s.Name }),
		"isa":         asString(func(s *Scene) *string { return &s.ISA }),
		"width":       asInt(1, maxSceneSide, func(s *Scene) *int { return &s.Width }),
		"height":      asInt(1, maxSceneSide, func(s *Scene) *int { return &s.Height }),
		"clear_color": asFloats(4, func(s *Scene, i int) *float64 { return &s.ClearColor[i] }),
		"clear_depth": asFloat(func(s *Scene) *float64 { return &s.ClearDepth }),
		"textures":    asObjects(&sceneTextureKeys, func(s *Scene) *[]SceneTexture { return &s.Textures }),
		"draws":       asObjects(&drawKeys, func(s *Scene) *[]SceneDraw { return &s.Draws }),
	}
}}

var sceneTextureKeys = keyTable[SceneTexture]{rows: func() keys[SceneTexture] {
	return keys[SceneTexture]{
		"name":    asString(func(t *SceneTexture) *string { return &t.Name }),
		"file":    asString(func(t *SceneTexture) *string { return &t.File }),
		"format":  asString(func(t *SceneTexture) *string { return &t.Format }),
		"target":  asString(func(t *SceneTexture) *string { return &t.Target }),
		"width":   asInt(1, maxSceneSide, func(t *SceneTexture) *int { return &t.Width }),
		"height":  asInt(1, maxSceneSide, func(t *SceneTexture) *int { return &t.Height }),
		"depth":   asInt(1, maxSceneSide, func(t *SceneTexture) *int { return &t.Depth }),
		"levels":  asInt(1, 16, func(t *SceneTexture) *int { return &t.Levels }),
		"mipmaps": asBool(func(t *SceneTexture) *bool { return &t.Mipmaps }),
		"min":     asString(func(t *SceneTexture) *string { return &t.Min }),
		"mag":     asString(func(t *SceneTexture) *string { return &t.Mag }),
		"wrap":    asStrings(func(t *SceneTexture) *[]string { return &t.Wrap }),
		"bias":    asFloat(func(t *SceneTexture) *float64 { return &t.Bias }),
		"aniso":   asInt(1, 16, func(t *SceneTexture) *int { return &t.Aniso }),
	}
}}

var drawKeys = keyTable[SceneDraw]{rows: func() keys[SceneDraw] {
	return keys[SceneDraw]{
		"name":               asString(func(d *SceneDraw) *string { return &d.Name }),
		"vertex":             asString(func(d *SceneDraw) *string { return &d.Vertex }),
		"fragment":           asString(func(d *SceneDraw) *string { return &d.Fragment }),
		"vertex_constants":   asConstants(func(d *SceneDraw) *[]SceneConstant { return &d.VertexConstants }),
		"fragment_constants": asConstants(func(d *SceneDraw) *[]SceneConstant { return &d.FragmentConstants }),
		"textures": func(d *SceneDraw, v []byte) error {
			d.Units = map[string]string{}
			return eachMember(v, func(unit string, v []byte) (err error) {
				d.Units[unit], err = jsonString(v)
				return err
			})
		},
		"attributes": asObjects(&attributeKeys, func(d *SceneDraw) *[]SceneAttribute { return &d.Attributes }),
		"indices": func(d *SceneDraw, v []byte) error {
			return eachElement(v, func(_ int, v []byte) error {
				n, err := jsonInt(v, 0, 1<<32-1)
				d.Indices = append(d.Indices, uint32(n))
				return err
			})
		},
		"count":     asInt(1, maxSceneVertices, func(d *SceneDraw) *int { return &d.Count }),
		"primitive": asString(func(d *SceneDraw) *string { return &d.Primitive }),
		"viewport": func(d *SceneDraw, v []byte) error {
			err := eachElement(v, func(_ int, v []byte) error {
				n, err := jsonInt(v, -maxSceneSide, maxSceneSide)
				d.Viewport = append(d.Viewport, int(n))
				return err
			})
			if err == nil && len(d.Viewport) != 4 {
				err = badValue("%d numbers, want x, y, width, height", len(d.Viewport))
			}
			return err
		},
		"depth_range":    asFloats(2, func(d *SceneDraw, i int) *float64 { return &d.DepthRange[i] }),
		"cull":           asString(func(d *SceneDraw) *string { return &d.Cull }),
		"front":          asString(func(d *SceneDraw) *string { return &d.Front }),
		"depth_func":     asString(func(d *SceneDraw) *string { return &d.DepthFunc }),
		"depth_write":    asBool(func(d *SceneDraw) *bool { return &d.DepthWrite }),
		"fragment_depth": asBool(func(d *SceneDraw) *bool { return &d.FragmentDepth }),
		"blend": func(d *SceneDraw, v []byte) error {
			d.Blend = &SceneBlend{}
			return readObject(d.Blend, v, &blendKeys, nil)
		},
		"color_mask": asString(func(d *SceneDraw) *string { return &d.ColorMask }),
		"flat": func(d *SceneDraw, v []byte) error {
			return eachElement(v, func(_ int, v []byte) error {
				n, err := jsonInt(v, 0, maxSlot-1)
				d.Flat = append(d.Flat, int(n))
				return err
			})
		},
		"truncate": asBool(func(d *SceneDraw) *bool { return &d.Truncate }),
	}
}}

var attributeKeys = keyTable[SceneAttribute]{rows: func() keys[SceneAttribute] {
	return keys[SceneAttribute]{
		"slot":   asInt(0, maxSlot-1, func(a *SceneAttribute) *int { return &a.Slot }),
		"size":   asInt(1, 4, func(a *SceneAttribute) *int { return &a.Size }),
		"data":   asNumbers(func(a *SceneAttribute) *[]float64 { return &a.Data }),
		"file":   asString(func(a *SceneAttribute) *string { return &a.File }),
		"offset": asInt(0, maxBuffer, func(a *SceneAttribute) *int { return &a.Offset }),
		"stride": asInt(1, maxBuffer, func(a *SceneAttribute) *int { return &a.Stride }),
	}
}}

var blendKeys = keyTable[SceneBlend]{rows: func() keys[SceneBlend] {
	return keys[SceneBlend]{
		"src":       asString(func(b *SceneBlend) *string { return &b.Src }),
		"dst":       asString(func(b *SceneBlend) *string { return &b.Dst }),
		"op":        asString(func(b *SceneBlend) *string { return &b.Op }),
		"alpha_src": asString(func(b *SceneBlend) *string { return &b.AlphaSrc }),
		"alpha_dst": asString(func(b *SceneBlend) *string { return &b.AlphaDst }),
		"alpha_op":  asString(func(b *SceneBlend) *string { return &b.AlphaOp }),
		"constant":  asFloats(4, func(b *SceneBlend, i int) *float64 { return &b.Constant[i] }),
	}
}}

// asFloats reads exactly n numbers.
func asFloats[T any](n int, at func(*T, int) *float64) func(*T, []byte) error {
	return func(t *T, v []byte) error {
		found := 0
		err := eachElement(v, func(i int, v []byte) error {
			x, err := jsonFloat(v)
			if i < n {
				*at(t, i) = x
			}
			found++
			return err
		})
		if err == nil && found != n {
			err = badValue("%d numbers, want %d", found, n)
		}
		return err
	}
}

// asNumbers reads a list of numbers.
func asNumbers[T any](at func(*T) *[]float64) func(*T, []byte) error {
	return func(t *T, v []byte) error {
		return eachElement(v, func(_ int, v []byte) error {
			x, err := jsonFloat(v)
			*at(t) = append(*at(t), x)
			return err
		})
	}
}

// asObjects reads a list of objects by a table.
func asObjects[T, E any](keys *keyTable[E], at func(*T) *[]E) func(*T, []byte) error {
	return func(t *T, v []byte) error {
		return eachElement(v, func(i int, v []byte) error {
			if i >= maxManyItems {
				return badValue("more than %d", maxManyItems)
			}
			var e E
			err := readObject(&e, v, keys, nil)
			*at(t) = append(*at(t), e)
			return err
		})
	}
}

// asConstants reads constants by name, each a number or a list of them.
func asConstants[T any](at func(*T) *[]SceneConstant) func(*T, []byte) error {
	return func(t *T, v []byte) error {
		return eachMember(v, func(name string, v []byte) (err error) {
			c := SceneConstant{Name: name}
			if len(v) > 0 && v[0] == '[' {
				err = asNumbers(func(c *SceneConstant) *[]float64 { return &c.Values })(&c, v)
			} else {
				var x float64
				x, err = jsonFloat(v)
				c.Values = []float64{x}
			}
			*at(t) = append(*at(t), c)
			return err
		})
	}
}
