package object

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/internal/spell"
)

var valhallSceneKeys = keyTable[ValhallScene]{rows: func() keys[ValhallScene] {
	return keys[ValhallScene]{
		"format": func(_ *ValhallScene, v []byte) error {
			_, err := oneOf(v, ValhallSceneFormat)
			return err
		},
		"name":    asString(func(s *ValhallScene) *string { return &s.Name }),
		"what":    asString(func(s *ValhallScene) *string { return &s.What }),
		"isa":     func(_ *ValhallScene, v []byte) error { _, err := oneOf(v, "valhall"); return err },
		"variant": asString(func(s *ValhallScene) *string { return &s.Variant }),
		"target":  func(s *ValhallScene, v []byte) error { return readObject(s, v, &valhallTargetsKeys, nil) },
		"mask":    asFile(func(s *ValhallScene) *string { return &s.Mask }),
		"memory":  func(s *ValhallScene, v []byte) error { return readObject(s, v, &valhallFileKeys, nil) },
		"draw_job": func(s *ValhallScene, v []byte) error { // the rest of it duplicates the bytes of memory
			return eachMember(v, func(key string, v []byte) (err error) {
				if key == "job" {
					s.Job, err = readWord(v)
				}
				return err
			})
		},
		"draw_csf": func(s *ValhallScene, v []byte) error {
			s.Stream = &ValhallStream{}
			if err := readObject(s.Stream, v, &valhallStreamKeys, nil); err != nil {
				return err
			}
			return s.Stream.check()
		},
		"vertex_outputs": asObjects(&valhallVertexKeys, func(s *ValhallScene) *[]ValhallVertex { return &s.Vertices }),
		"tool":           aside[ValhallScene], "source": aside[ValhallScene], "compared_pixels": aside[ValhallScene],
		"textures_plain": aside[ValhallScene], "checked": aside[ValhallScene],
	}
}}

var valhallTargetsKeys = keyTable[ValhallScene]{rows: func() keys[ValhallScene] {
	return keys[ValhallScene]{
		"width":  asInt(1, maxSceneSide, func(s *ValhallScene) *int { return &s.Width }),
		"height": asInt(1, maxSceneSide, func(s *ValhallScene) *int { return &s.Height }),
		"colour": asObjects(&valhallTargetKeys, func(s *ValhallScene) *[]ValhallTarget { return &s.Targets }),
		"depth": func(s *ValhallScene, v []byte) error {
			if string(v) == "null" {
				return nil
			}
			return eachMember(v, func(key string, v []byte) (err error) { // the depth test is in memory
				if key == "clear" {
					s.ClearDepth, err = jsonFloat(v)
				}
				return err
			})
		},
	}
}}

var valhallTargetKeys = keyTable[ValhallTarget]{rows: func() keys[ValhallTarget] {
	return keys[ValhallTarget]{
		"index":         asInt(0, maxValhallTargets-1, func(t *ValhallTarget) *int { return &t.Index }),
		"format":        asString(func(t *ValhallTarget) *string { return &t.Format }),
		"clear":         asFloats(4, func(t *ValhallTarget, i int) *float64 { return &t.Clear[i] }),
		"expect":        asFile(func(t *ValhallTarget) *string { return &t.Expect }),
		"tolerance":     asFloat(func(t *ValhallTarget) *float64 { return &t.Tolerance }),
		"expect_f32":    orNull(asFile(func(t *ValhallTarget) *string { return &t.ExpectFloats })),
		"tolerance_f32": orNull(asFloat(func(t *ValhallTarget) *float64 { return &t.ToleranceFloat })),
	}
}}

// orNull reads a value, and ignores null.
func orNull[T any](read func(*T, []byte) error) func(*T, []byte) error {
	return func(t *T, v []byte) error {
		if string(v) == "null" {
			return nil
		}
		return read(t, v)
	}
}

var valhallFileKeys = keyTable[ValhallScene]{rows: func() keys[ValhallScene] {
	return keys[ValhallScene]{
		"file":    asFile(func(s *ValhallScene) *string { return &s.MemoryFile }),
		"regions": asObjects(&valhallMemoryKeys, func(s *ValhallScene) *[]ValhallMemory { return &s.Memory }),
	}
}}

var valhallMemoryKeys = keyTable[ValhallMemory]{rows: func() keys[ValhallMemory] {
	return keys[ValhallMemory]{
		"addr":   func(m *ValhallMemory, v []byte) (err error) { m.Addr, err = readWord(v); return err },
		"size":   asInt(0, maxValhallMemory, func(m *ValhallMemory) *int { return &m.Size }),
		"offset": asInt(0, maxValhallMemory, func(m *ValhallMemory) *int { return &m.Offset }),
		"bytes":  asInt(0, maxValhallMemory, func(m *ValhallMemory) *int { return &m.Bytes }),
		"name":   asString(func(m *ValhallMemory) *string { return &m.Name }),
	}
}}

var valhallStreamKeys = keyTable[ValhallStream]{rows: func() keys[ValhallStream] {
	return keys[ValhallStream]{
		"instruction": func(s *ValhallStream, v []byte) (err error) { s.Instruction, err = readWord(v); return err },
		"registers": func(s *ValhallStream, v []byte) error {
			s.Registers = map[int]uint32{}
			return eachMember(v, s.register)
		},
	}
}}

// register reads r33, a word, or d16, r16 and r17 as one number.
func (s *ValhallStream) register(name string, v []byte) error {
	number, wide := strings.CutPrefix(name, "d")
	number, word := strings.CutPrefix(number, "r")
	n, err := strconv.Atoi(number)
	switch {
	case wide == word || err != nil || strconv.Itoa(n) != number || n < 0 || n >= maxValhallRegisters:
		return badValue("no register; they are r0 to r%d, or d0, d2 and so on: two as one number", maxValhallRegisters-1)
	case wide && n%2 != 0:
		return badValue("no register; d%d and d%d are pairs of them", n-1, n+1)
	}
	x, err := readWord(v)
	if err == nil && word && x > math.MaxUint32 {
		err = badValue("%#x, and a register has 32 bits", x)
	}
	for i := n; i <= n || wide && i == n+1; i++ {
		if _, twice := s.Registers[i]; twice && err == nil {
			err = badValue("r%d stands twice", i)
		}
		s.Registers[i] = uint32(x >> (32 * (i - n)))
	}
	return err
}

func (s *ValhallStream) check() error {
	if s.Instruction == 0 || len(s.Registers) == 0 {
		return badValue("no instruction or no registers")
	}
	return nil
}

var valhallVertexKeys = keyTable[ValhallVertex]{rows: func() keys[ValhallVertex] {
	return keys[ValhallVertex]{
		"instance": asInt(0, maxValhallVertices, func(x *ValhallVertex) *int { return &x.Instance }),
		"vertex":   asInt(0, maxValhallVertices, func(x *ValhallVertex) *int { return &x.Vertex }),
		"position": func(x *ValhallVertex, v []byte) error {
			n := 0
			err := eachElement(v, func(i int, v []byte) (err error) {
				if n++; i >= len(x.Position) {
					return badValue("more than x, y, z, 1/w")
				}
				x.Position[i], err = readWord32(v)
				return err
			})
			if err == nil && n != len(x.Position) {
				err = badValue("%d words, want x, y, z, 1/w", n)
			}
			return err
		},
		"varyings": orNull(func(x *ValhallVertex, v []byte) (err error) {
			if x.Varyings, err = readBytes(v); err == nil && len(x.Varyings) > maxValhallRecord {
				err = badValue("%d bytes, at most %d", len(x.Varyings), maxValhallRecord)
			}
			return err
		}),
	}
}}

// check rejects a draw that lacks a required key, or that is inconsistent.
func (s *ValhallScene) check() error {
	switch {
	case s.Name == "":
		return badValue("no name")
	case s.Variant == "":
		return badValue("no variant")
	case s.Width == 0 || s.Height == 0:
		return under("target", badValue("no width or height"))
	case len(s.Targets) == 0:
		return under("target", badValue("no colour"))
	case s.Width*s.Height*len(s.Targets) > limit.Pixels:
		return under("target", badValue("%dx%d pixels of %d targets, at most %d", s.Width, s.Height, len(s.Targets), limit.Pixels))
	case s.Mask == "":
		return badValue("no mask")
	case s.MemoryFile == "" || len(s.Memory) > maxValhallRuns:
		return under("memory", badValue("no file, or %d regions, at most %d", len(s.Memory), maxValhallRuns))
	case (s.Job != 0) == (s.Stream != nil):
		return badValue("want a draw_job with its job, of v9, or a draw_csf, of v10 and later")
	case len(s.Vertices) > maxValhallVertices:
		return under("vertex_outputs", badValue("%d, at most %d", len(s.Vertices), maxValhallVertices))
	}
	seen := map[int]bool{}
	for i := range s.Targets {
		t := &s.Targets[i]
		at := fmt.Sprintf("target.colour[%d]", i)
		switch {
		case seen[t.Index]:
			return under(at, under("index", badValue("%d stands twice", t.Index)))
		case t.Format == "" || t.Expect == "":
			return under(at, badValue("no format or expect"))
		}
		seen[t.Index] = true
	}
	total := 0
	for i := range s.Memory {
		m := &s.Memory[i]
		at := fmt.Sprintf("memory.regions[%d]", i)
		if m.Bytes > m.Size {
			return under(at, badValue("%s of %d", spell.Count(m.Bytes, "byte"), m.Size))
		}
		if total += m.Size; total > maxValhallMemory {
			return under(at, badValue("%d bytes up to here, at most %d", total, maxValhallMemory))
		}
	}
	return nil
}
