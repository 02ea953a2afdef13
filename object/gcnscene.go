package object

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/heddle-gpu/heddle/internal/jsonfile"
	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/internal/spell"
)

// GCNSceneFormat is the value of the key format in every recorded draw of GCN.
const GCNSceneFormat = "heddle-gcn-scene-1"

// A GCNScene is a draw that a driver recorded, once for each variant: code of the vertex and pixel shader, registers,
// memory; and the expected pixels and buffers. Row 0 is the top. File names in it are relative to its folder and do not
// leave it.
type GCNScene struct {
	File          string // its own path, as given
	Name, What    string
	Width, Height int
	Targets       []GCNTarget // by Index
	Mask          string      // file: one byte per pixel, see MaskSkip
	Depth         *GCNDepth   // nil: no depth test
	After         []GCNAfter
	Variants      []*GCNVariant // in the order of the file

	// AllowOutside lets names, and links at them, lead out of the scene's folder. It is not a key of scenes.
	AllowOutside bool
}

// Values of the mask for a pixel.
const (
	MaskSkip       = 0 // do not compare
	MaskDrawn      = 1 // compare
	MaskBackground = 2 // compare: it keeps the clear colour
)

// A GCNTarget is a colour target: MRT Index of the pixel shader.
type GCNTarget struct {
	Index        int
	Format       string // such as rgba8_unorm
	Clear        [4]float64
	Compare      string  // rgba8: in 1/255 after clamp and rounding; f32; u32: exact; empty: not compared
	Tolerance    float64 // absolute
	ToleranceRel float64 // added to Tolerance: this fraction of the value, for f32
	Expect       string  // file: 4 bytes, 4 floats or one word per pixel, as Compare says
}

// A GCNDepth is the depth buffer; test and write are in the registers.
type GCNDepth struct {
	Test  string
	Write bool
	Clear float64
}

// A GCNAfter is a buffer to compare with a file after the draw. Its address is in GCNVariant.Buffers.
type GCNAfter struct{ Name, Expect string }

// A GCNVariant is the draw for one generation.
type GCNVariant struct {
	Name          string // gfx6, gfx7, gfx8
	Vertex, Pixel GCNShader
	Registers     map[string]uint32 // context registers by name; missing ones are 0
	Draw          GCNDraw
	MemoryFile    string
	Memory        []GCNMemory
	Buffers       map[string]uint64 // addresses by name
	Sample        *GCNSample        // nil: none
}

// A GCNShader is code and the initial state of its waves.
type GCNShader struct {
	Addr         uint64
	Code         []byte
	Rsrc1, Rsrc2 uint32 // SPI_SHADER_PGM_RSRC1 and 2 of the stage
	UserSGPRs    []GCNUserSGPR
	Users        int // user SGPRs, those without a value included
	PrimMask     int // SGPR of a pixel shader; -1: not given
}

// A GCNUserSGPR is the value of a user SGPR.
type GCNUserSGPR struct {
	SGPR  int
	Value uint32
}

// A GCNDraw is the draw command: a list of triangles.
type GCNDraw struct {
	Count     int // vertices or indices
	Instances int
	IndexBits int // 0: no indices; 16, 32
	IndexAddr uint64
}

// A GCNMemory is a range of guest memory: Bytes bytes at Offset of the memory file, then zeros up to Size.
type GCNMemory struct {
	Addr                uint64
	Size, Offset, Bytes int
	What                string
	Data                []byte // of Size bytes, by ReadMemory
}

// A GCNSample is the initial state of one wave of the pixel shader, and its exports.
type GCNSample struct {
	Pixels  [][2]int // x, y by lane
	Exec    uint64
	VGPRs   map[int][]uint32     // by register and lane; others are undefined
	Params  map[int][3][4]uint32 // by attribute: of the three vertices
	Exports []GCNExport
}

// A GCNExport is one export of a sample wave. If it is compressed, the values are halves.
type GCNExport struct {
	Target                  string // mrt0, mrtz, null
	Enable                  int
	Compressed, Valid, Done bool
	Exec                    uint64
	Values                  [4][]uint32 // by component and lane; nil if not enabled
}

// Limits of a recorded draw, far above any recorded one.
const (
	maxGCNMemory    = 1 << 28 // bytes of all ranges
	maxGCNCode      = 1 << 20
	maxGCNDraw      = 1 << 18 // vertices, indices or instances
	maxGCNUsers     = 16
	maxGCNRegisters = 1 << 12
	maxGCNTargets   = 8
	maxGCNExports   = 64
	gcnLanes        = 64
)

// ReadGCNScene reads a recorded draw and checks its shape. file is its path, for errors and for the files that it
// names, which are not opened. The error is an *Error with file and key.
func ReadGCNScene(r io.Reader, file string) (*GCNScene, error) {
	s := &GCNScene{File: file}
	if err := readDocument(r, file, limit.Scene, s, &gcnSceneKeys, s.check); err != nil {
		return nil, err
	}
	return s, nil
}

// ReadDocument reads a file that is one JSON object, whose keys the tags of a struct describe, and then calls check for
// what tags cannot say. The error is an *Error with the position and the path of keys.
func ReadDocument(r io.Reader, file string, size limit.Size, to any, check func() error) error {
	b, err := plain(r)
	if err != nil {
		return &Error{Code: "syntax", File: file, Line: 1, Msg: err.Error()}
	}
	v, err := readWhole(b, file, size)
	if err != nil {
		return err
	}
	if err := jsonfile.Read(v, to, check); err != nil {
		return jsonError(file, 1, "", err)
	}
	return nil
}

// readDocument reads a file that is one JSON object described by a table of keys. The error is an *Error with file and
// key.
func readDocument[T any](r io.Reader, file string, size limit.Size, t *T, table *keyTable[T], check func() error) error {
	fail := func(code, key, msg string, line int) error {
		return &Error{Code: code, File: file, Line: line, Key: key, Msg: msg}
	}
	data, err := limit.ReadAll(r, file, size)
	if err != nil {
		return fail("syntax", "", err.Error(), 1)
	}
	v := bytes.TrimSpace(data)
	if e := jsonfile.Valid(v); e != nil {
		return fail("syntax", "", e.Msg, e.Line)
	}
	if err = readObject(t, v, table, nil); err == nil {
		err = check()
	}
	var k *jsonfile.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &k) && k.Path() != "":
		return fail("value", k.Path(), k.Msg, 0)
	}
	return fail("value", "scene", err.Error(), 0)
}

// ReadGCNSceneFile reads the recorded draw at path.
func ReadGCNSceneFile(path string) (*GCNScene, error) {
	f, err := limit.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadGCNScene(f, path)
}

// Variant returns a variant by name; nil if there is none.
func (s *GCNScene) Variant(name string) *GCNVariant {
	i := slices.IndexFunc(s.Variants, func(v *GCNVariant) bool { return v.Name == name })
	if i < 0 {
		return nil
	}
	return s.Variants[i]
}

// ReadMemory reads the memory of a variant: its ranges with their Data, which the caller may change.
func (s *GCNScene) ReadMemory(v *GCNVariant) ([]GCNMemory, error) {
	key := "variants." + v.Name
	file, err := s.read(key+".memory_file", v.MemoryFile)
	if err != nil {
		return nil, err
	}
	list := slices.Clone(v.Memory)
	for i := range list {
		m := &list[i]
		if m.Offset > len(file) || m.Bytes > len(file)-m.Offset {
			return nil, s.fail(fmt.Sprintf("%s.memory[%d]", key, i), fmt.Sprintf("bytes %d to %d of %s, which has %d", m.Offset, m.Offset+m.Bytes, v.MemoryFile, len(file)))
		}
		m.Data = make([]byte, m.Size)
		copy(m.Data, file[m.Offset:m.Offset+m.Bytes])
	}
	return list, nil
}

// ReadMask reads the mask: one byte per pixel.
func (s *GCNScene) ReadMask() ([]byte, error) {
	return s.readSized("mask", s.Mask, s.Width*s.Height)
}

// ReadExpect reads the expected contents of a target, as its Compare says: 4 bytes per pixel, or 4 floats, or one word.
func (s *GCNScene) ReadExpect(i int) ([]byte, error) {
	t := &s.Targets[i]
	size := map[string]int{"rgba8": 4, "f32": 16, "u32": 4}[t.Compare]
	return s.readSized(fmt.Sprintf("targets[%d].expect", i), t.Expect, size*s.Width*s.Height)
}

// ReadAfter reads the expected contents of a buffer after the draw.
func (s *GCNScene) ReadAfter(i int) ([]byte, error) {
	return s.read(fmt.Sprintf("buffers_after[%d].expect", i), s.After[i].Expect)
}

func (s *GCNScene) readSized(key, name string, size int) ([]byte, error) {
	data, err := s.read(key, name)
	if err == nil && len(data) != size {
		err = s.fail(key, fmt.Sprintf("%s has %s, want %d", name, spell.Count(len(data), "byte"), size))
	}
	return data, err
}

func (s *GCNScene) read(key, name string) ([]byte, error) {
	data, err := limit.Folder{Of: s.File, What: "scene", Outside: s.AllowOutside}.Read(name, limit.Parts)
	if err != nil {
		return nil, s.fail(key, err.Error())
	}
	return data, nil
}

func (s *GCNScene) fail(key, msg string) error {
	return &Error{Code: "value", File: s.File, Key: key, Msg: msg}
}

// check rejects a draw that lacks a required key, or that is inconsistent.
func (s *GCNScene) check() error {
	switch {
	case s.Name == "":
		return badValue("no name")
	case s.Width == 0:
		return badValue("no size")
	case len(s.Targets) == 0:
		return badValue("no targets")
	case s.Width*s.Height*len(s.Targets) > limit.Pixels:
		return under("size", badValue("%dx%d pixels of %d targets, at most %d", s.Width, s.Height, len(s.Targets), limit.Pixels))
	case len(s.Variants) == 0:
		return badValue("no variants")
	}
	seen := map[int]bool{}
	for i := range s.Targets {
		t := &s.Targets[i]
		switch {
		case seen[t.Index]:
			return under(fmt.Sprintf("targets[%d].index", i), badValue("%d stands twice", t.Index))
		case t.Format == "":
			return under(fmt.Sprintf("targets[%d]", i), badValue("no format"))
		case t.Compare != "" && t.Expect == "":
			return under(fmt.Sprintf("targets[%d]", i), badValue("no expect"))
		}
		seen[t.Index] = true
	}
	for _, v := range s.Variants {
		if err := v.check(s); err != nil {
			return under("variants", under(v.Name, err))
		}
	}
	return nil
}

func (v *GCNVariant) check(s *GCNScene) error {
	switch {
	case len(v.Vertex.Code) == 0:
		return under("vertex_shader", badValue("no code"))
	case len(v.Pixel.Code) == 0:
		return under("pixel_shader", badValue("no code"))
	case v.MemoryFile == "":
		return badValue("no memory_file")
	case v.Draw.Count == 0:
		return under("draw", badValue("no count"))
	}
	for i := range s.After {
		if _, ok := v.Buffers[s.After[i].Name]; !ok {
			return under("buffer_addrs", badValue("no %q, which buffers_after names; there are %v", s.After[i].Name, slices.Sorted(maps.Keys(v.Buffers))))
		}
	}
	total := 0
	for i := range v.Memory {
		m := &v.Memory[i]
		at := fmt.Sprintf("memory[%d]", i)
		if m.Bytes > m.Size {
			return under(at, badValue("%s of %d", spell.Count(m.Bytes, "byte"), m.Size))
		}
		if total += m.Size; total > maxGCNMemory {
			return under(at, badValue("%d bytes up to here, at most %d", total, maxGCNMemory))
		}
	}
	return nil
}
