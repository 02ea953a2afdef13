package object

import (
	"strconv"
	"strings"
)

// aside ignores a value that is for human readers only.
func aside[T any](*T, []byte) error { return nil }

var gcnSceneKeys = keyTable[GCNScene]{rows: func() keys[GCNScene] {
	return keys[GCNScene]{
		"format": func(_ *GCNScene, v []byte) error {
			_, err := oneOf(v, GCNSceneFormat)
			return err
		},
		"name": asString(func(s *GCNScene) *string { return &s.Name }),
		"what": asString(func(s *GCNScene) *string { return &s.What }),
		"size": func(s *GCNScene, v []byte) error {
			n := 0
			err := eachElement(v, func(i int, v []byte) error {
				x, err := jsonInt(v, 1, maxSceneSide)
				switch i {
				case 0:
					s.Width = int(x)
				case 1:
					s.Height = int(x)
				}
				n++
				return err
			})
			if err == nil && n != 2 {
				err = badValue("%d numbers, want width and height", n)
			}
			return err
		},
		"targets": func(s *GCNScene, v []byte) error {
			err := asObjects(&gcnTargetKeys, func(s *GCNScene) *[]GCNTarget { return &s.Targets })(s, v)
			if err == nil && len(s.Targets) > maxGCNTargets {
				err = badValue("%d, at most %d", len(s.Targets), maxGCNTargets)
			}
			return err
		},
		"mask": asFile(func(s *GCNScene) *string { return &s.Mask }),
		"depth": func(s *GCNScene, v []byte) error {
			if string(v) == "null" {
				return nil
			}
			s.Depth = &GCNDepth{Clear: 1}
			return readObject(s.Depth, v, &gcnDepthKeys, nil)
		},
		"buffers_after": asObjects(&gcnAfterKeys, func(s *GCNScene) *[]GCNAfter { return &s.After }),
		"variants": func(s *GCNScene, v []byte) error {
			return eachMember(v, func(name string, v []byte) error {
				if len(s.Variants) == 8 {
					return badValue("more than 8 variants")
				}
				x := &GCNVariant{Name: name, Pixel: GCNShader{PrimMask: -1}, Vertex: GCNShader{PrimMask: -1}, Draw: GCNDraw{Instances: 1}}
				s.Variants = append(s.Variants, x)
				return readObject(x, v, &gcnVariantKeys, nil)
			})
		},
		"source": aside[GCNScene], "blend": aside[GCNScene], "textures": aside[GCNScene], "vertex_expect": aside[GCNScene],
		"checked": aside[GCNScene], "compared_pixels": aside[GCNScene], "background_pixels": aside[GCNScene], "covered_pixels": aside[GCNScene],
	}
}}

var gcnTargetKeys = keyTable[GCNTarget]{rows: func() keys[GCNTarget] {
	return keys[GCNTarget]{
		"index":  asInt(0, maxGCNTargets-1, func(t *GCNTarget) *int { return &t.Index }),
		"format": asString(func(t *GCNTarget) *string { return &t.Format }),
		"clear":  asFloats(4, func(t *GCNTarget, i int) *float64 { return &t.Clear[i] }),
		"compare": func(t *GCNTarget, v []byte) (err error) {
			t.Compare, err = oneOf(v, "rgba8", "f32", "u32")
			return err
		},
		"tolerance":     asFloat(func(t *GCNTarget) *float64 { return &t.Tolerance }),
		"tolerance_rel": asFloat(func(t *GCNTarget) *float64 { return &t.ToleranceRel }),
		"expect":        asFile(func(t *GCNTarget) *string { return &t.Expect }),
		"expect_f32":    aside[GCNTarget], "expect_rgba8": aside[GCNTarget],
	}
}}

var gcnDepthKeys = keyTable[GCNDepth]{rows: func() keys[GCNDepth] {
	return keys[GCNDepth]{
		"test":                       asString(func(d *GCNDepth) *string { return &d.Test }),
		"write":                      asBool(func(d *GCNDepth) *bool { return &d.Write }),
		"clear":                      asFloat(func(d *GCNDepth) *float64 { return &d.Clear }),
		"format":                     func(_ *GCNDepth, v []byte) error { _, err := oneOf(v, "d32_float"); return err },
		"pixel_shader_exports_depth": aside[GCNDepth],
	}
}}

var gcnAfterKeys = keyTable[GCNAfter]{rows: func() keys[GCNAfter] {
	return keys[GCNAfter]{
		"name":    asString(func(a *GCNAfter) *string { return &a.Name }),
		"expect":  asFile(func(a *GCNAfter) *string { return &a.Expect }),
		"compare": func(_ *GCNAfter, v []byte) error { _, err := oneOf(v, "u32 exact"); return err },
	}
}}

var gcnVariantKeys = keyTable[GCNVariant]{rows: func() keys[GCNVariant] {
	return keys[GCNVariant]{
		"vertex_shader": func(x *GCNVariant, v []byte) error { return readObject(&x.Vertex, v, &gcnShaderKeys, nil) },
		"pixel_shader":  func(x *GCNVariant, v []byte) error { return readObject(&x.Pixel, v, &gcnShaderKeys, nil) },
		"registers": func(x *GCNVariant, v []byte) error {
			x.Registers = map[string]uint32{}
			return eachMember(v, func(name string, v []byte) (err error) {
				if len(x.Registers) == maxGCNRegisters {
					return badValue("more than %d registers", maxGCNRegisters)
				}
				x.Registers[name], err = readWord32(v)
				return err
			})
		},
		"draw":        func(x *GCNVariant, v []byte) error { return readObject(&x.Draw, v, &gcnDrawKeys, nil) },
		"memory_file": asFile(func(x *GCNVariant) *string { return &x.MemoryFile }),
		"memory":      asObjects(&gcnMemoryKeys, func(x *GCNVariant) *[]GCNMemory { return &x.Memory }),
		"buffer_addrs": func(x *GCNVariant, v []byte) error {
			x.Buffers = map[string]uint64{}
			return eachMember(v, func(name string, v []byte) (err error) {
				x.Buffers[name], err = readWord(v)
				return err
			})
		},
		"sample_wave": func(x *GCNVariant, v []byte) error {
			x.Sample = &GCNSample{}
			if err := readObject(x.Sample, v, &gcnSampleKeys, nil); err != nil {
				return err
			}
			return x.Sample.check()
		},
		"family": aside[GCNVariant],
	}
}}

var gcnShaderKeys = keyTable[GCNShader]{rows: func() keys[GCNShader] {
	return keys[GCNShader]{
		"addr": func(p *GCNShader, v []byte) (err error) { p.Addr, err = readWord(v); return err },
		"code": func(p *GCNShader, v []byte) (err error) {
			if p.Code, err = readBytes(v); err == nil && len(p.Code) > maxGCNCode {
				err = badValue("%d bytes, at most %d", len(p.Code), maxGCNCode)
			}
			return err
		},
		"rsrc1":           func(p *GCNShader, v []byte) (err error) { p.Rsrc1, err = readWord32(v); return err },
		"rsrc2":           func(p *GCNShader, v []byte) (err error) { p.Rsrc2, err = readWord32(v); return err },
		"user_sgpr_count": asInt(0, maxGCNUsers, func(p *GCNShader) *int { return &p.Users }),
		"user_sgprs":      asObjects(&gcnUserKeys, func(p *GCNShader) *[]GCNUserSGPR { return &p.UserSGPRs }),
		"prim_mask_sgpr":  asInt(0, maxGCNUsers, func(p *GCNShader) *int { return &p.PrimMask }),
		// Decoded fields of rsrc1 and rsrc2, and the code as text.
		"vgprs": aside[GCNShader], "sgprs": aside[GCNShader], "float_mode": aside[GCNShader], "dx10_clamp": aside[GCNShader],
		"ieee": aside[GCNShader], "scratch": aside[GCNShader], "vgpr_comp_cnt": aside[GCNShader], "asm": aside[GCNShader], "mnemonics": aside[GCNShader],
	}
}}

var gcnUserKeys = keyTable[GCNUserSGPR]{rows: func() keys[GCNUserSGPR] {
	return keys[GCNUserSGPR]{
		"sgpr":  asInt(0, maxGCNUsers-1, func(u *GCNUserSGPR) *int { return &u.SGPR }),
		"value": func(u *GCNUserSGPR, v []byte) (err error) { u.Value, err = readWord32(v); return err },
		"what":  aside[GCNUserSGPR],
	}
}}

var gcnDrawKeys = keyTable[GCNDraw]{rows: func() keys[GCNDraw] {
	return keys[GCNDraw]{
		"primitive": func(_ *GCNDraw, v []byte) error { _, err := oneOf(v, "triangle list"); return err },
		"count":     asInt(0, maxGCNDraw, func(d *GCNDraw) *int { return &d.Count }),
		"instances": asInt(1, maxGCNDraw, func(d *GCNDraw) *int { return &d.Instances }),
		"index_type": func(d *GCNDraw, v []byte) error {
			name, err := oneOf(v, "none", "u16", "u32")
			d.IndexBits = map[string]int{"u16": 16, "u32": 32}[name]
			return err
		},
		"index_addr": func(d *GCNDraw, v []byte) (err error) { d.IndexAddr, err = readWord(v); return err },
	}
}}

var gcnMemoryKeys = keyTable[GCNMemory]{rows: func() keys[GCNMemory] {
	return keys[GCNMemory]{
		"addr":   func(m *GCNMemory, v []byte) (err error) { m.Addr, err = readWord(v); return err },
		"size":   asInt(0, maxGCNMemory, func(m *GCNMemory) *int { return &m.Size }),
		"offset": asInt(0, maxGCNMemory, func(m *GCNMemory) *int { return &m.Offset }),
		"bytes":  asInt(0, maxGCNMemory, func(m *GCNMemory) *int { return &m.Bytes }),
		"what":   asString(func(m *GCNMemory) *string { return &m.What }),
	}
}}

var gcnSampleKeys = keyTable[GCNSample]{rows: func() keys[GCNSample] {
	return keys[GCNSample]{
		"pixels": func(s *GCNSample, v []byte) error { return s.readPixels(v) },
		"exec":   func(s *GCNSample, v []byte) (err error) { s.Exec, err = readWord(v); return err },
		"vgprs": func(s *GCNSample, v []byte) error {
			s.VGPRs = map[int][]uint32{}
			return eachMember(v, func(name string, v []byte) error {
				n, err := numbered(name, "v", 255)
				if err == nil {
					s.VGPRs[n], err = readLanes(v)
				}
				return err
			})
		},
		"parameters": func(s *GCNSample, v []byte) error {
			s.Params = map[int][3][4]uint32{}
			return eachMember(v, func(name string, v []byte) error {
				n, err := numbered(name, "attr", 63)
				if err == nil {
					s.Params[n], err = readCorners(v)
				}
				return err
			})
		},
		"exports": func(s *GCNSample, v []byte) error {
			return eachElement(v, func(i int, v []byte) error {
				if i >= maxGCNExports {
					return badValue("more than %d exports", maxGCNExports)
				}
				s.Exports = append(s.Exports, GCNExport{})
				return readObject(&s.Exports[i], v, &gcnExportKeys, nil)
			})
		},
		"instance": aside[GCNSample], "first_index": aside[GCNSample], "vertices": aside[GCNSample],
	}
}}

var gcnExportKeys = keyTable[GCNExport]{rows: func() keys[GCNExport] {
	return keys[GCNExport]{
		"target":     asString(func(e *GCNExport) *string { return &e.Target }),
		"enable":     asInt(0, 15, func(e *GCNExport) *int { return &e.Enable }),
		"compressed": asBool(func(e *GCNExport) *bool { return &e.Compressed }),
		"valid_mask": asBool(func(e *GCNExport) *bool { return &e.Valid }),
		"done":       asBool(func(e *GCNExport) *bool { return &e.Done }),
		"exec":       func(e *GCNExport, v []byte) (err error) { e.Exec, err = readWord(v); return err },
		"values": func(e *GCNExport, v []byte) error {
			return eachElement(v, func(i int, v []byte) (err error) {
				switch {
				case i >= len(e.Values):
					return badValue("more than 4 components")
				case string(v) == "null":
					return nil
				}
				e.Values[i], err = readLanes(v)
				return err
			})
		},
	}
}}

// readWord32 is readWord for 32 bits.
func readWord32(v []byte) (uint32, error) {
	x, err := readWord(v)
	if err == nil && x>>32 != 0 {
		err = want("a word of 32 bits", v)
	}
	return uint32(x), err
}

// numbered returns the number after a prefix.
func numbered(name, prefix string, most int) (int, error) {
	text, ok := strings.CutPrefix(name, prefix)
	n, err := strconv.ParseUint(text, 10, 16)
	if !ok || err != nil || int(n) > most {
		return 0, badValue("want %s0 to %s%d", prefix, prefix, most)
	}
	return int(n), nil
}

// readLanes reads a word for each lane in one string.
func readLanes(v []byte) (ws []uint32, err error) {
	s, err := jsonString(v)
	if err != nil {
		return nil, err
	}
	for _, w := range strings.Fields(s) {
		n, err := strconv.ParseUint(w, 16, 32)
		if err != nil || len(ws) == gcnLanes {
			return nil, want("64 hexadecimal words in a string", v)
		}
		ws = append(ws, uint32(n))
	}
	if len(ws) != gcnLanes {
		return nil, badValue("%d words, want one for each of %d lanes", len(ws), gcnLanes)
	}
	return ws, nil
}

// readCorners reads four words for each of three vertices.
func readCorners(v []byte) (c [3][4]uint32, err error) {
	n := 0
	err = eachElement(v, func(i int, v []byte) error {
		if i >= len(c) {
			return badValue("more than 3 vertices")
		}
		return eachElement(v, func(k int, v []byte) (err error) {
			if k >= len(c[i]) {
				return badValue("more than 4 components")
			}
			n++
			c[i][k], err = readWord32(v)
			return err
		})
	})
	if err == nil && n != 12 {
		err = badValue("%d words, want 3 vertices of 4", n)
	}
	return c, err
}

// readPixels reads "x,y x,y ...".
func (s *GCNSample) readPixels(v []byte) error {
	text, err := jsonString(v)
	if err != nil {
		return err
	}
	for _, w := range strings.Fields(text) {
		x, y, _ := strings.Cut(w, ",")
		a, e1 := strconv.ParseInt(x, 10, 16)
		b, e2 := strconv.ParseInt(y, 10, 16)
		if e1 != nil || e2 != nil || len(s.Pixels) == gcnLanes {
			return want("x,y of 64 pixels", v)
		}
		s.Pixels = append(s.Pixels, [2]int{int(a), int(b)})
	}
	return nil
}

func (s *GCNSample) check() error {
	if len(s.Pixels) != gcnLanes {
		return under("pixels", badValue("%d, want one for each of %d lanes", len(s.Pixels), gcnLanes))
	}
	for i := range s.Exports {
		e := &s.Exports[i]
		for k := range e.Values {
			if e.Enable>>k&1 != 0 && e.Values[k] == nil {
				return under("exports["+strconv.Itoa(i)+"].values", badValue("none of component %d, which is enabled", k))
			}
		}
	}
	return nil
}
