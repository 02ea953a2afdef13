package valhall

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/jsonfile"
	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/internal/spell"
)

// A Scene is a draw that a driver recorded: the memory that it set up, the descriptor of the draw in it or the
// registers of a command stream, and the expected pixels. Row 0 is y = 0 of the programs. The decoded form of the
// memory that a scene also holds is not read: only the bytes count. File names in it are relative to its folder and do
// not leave it.
type Scene struct {
	File       string `json:"-"` // its own path, as given
	Format     string `json:"format" one:"heddle-valhall-scene-1"`
	Name       string `json:"name" need:"some"`
	What       string `json:"what"`
	ISA        string `json:"isa" one:"valhall"`
	Variant    string `json:"variant" need:"some"`
	Picture    `json:"target" need:"true"`
	Mask       string `json:"mask" need:"some" is:"file"` // one byte per pixel; pixels of value maskCompared are compared
	MemoryFile `json:"memory" need:"true"`
	DrawJob    `json:"draw_job"`
	Stream     *Stream        `json:"draw_csf"` // v10 and later
	Vertices   []VertexOutput `json:"vertex_outputs"`
	_          struct{}       `ignore:"tool source compared_pixels textures_plain checked"`

	// AllowOutside lets names, and links at them, lead out of the scene's folder. It is not a key of scenes.
	AllowOutside bool `json:"-"`
}

// maskCompared is the mask value of a pixel that is away from edges and whose value is robust.
const maskCompared = 3

// A Picture is the size of a scene and its targets.
type Picture struct {
	Width   int      `json:"width" need:"true" range:"1..8192"`
	Height  int      `json:"height" need:"true" range:"1..8192"`
	Targets []Target `json:"colour" need:"some"`
	Depth   *Depth   `json:"depth" null:"true"`
}

// Depth is the depth buffer; the depth test is in memory.
type Depth struct {
	Clear float64  `json:"clear" default:"1"`
	_     struct{} `ignore:"*"`
}

// clearDepth returns the initial contents of the depth buffer.
func (p *Picture) clearDepth() float32 {
	if p.Depth == nil {
		return 1
	}
	return float32(p.Depth.Clear)
}

// A Target is a render target.
type Target struct {
	Index          int        `json:"index" range:"0..7"`
	Format         string     `json:"format" need:"some"` // such as rgba8_unorm
	Clear          [4]float64 `json:"clear"`
	Expect         string     `json:"expect" need:"some" is:"file"` // 4 bytes per pixel of rgba8_unorm; 16 of integers, and of floats
	Tolerance      float64    `json:"tolerance"`
	ExpectFloats   string     `json:"expect_f32" is:"file" null:"true"` // the colours before conversion, 16 bytes per pixel; empty: none
	ToleranceFloat float64    `json:"tolerance_f32" null:"true"`
}

// MemoryFile is the memory of a scene, and the file with its contents.
type MemoryFile struct {
	Contents string   `json:"file" need:"some" is:"file"`
	Memory   []Region `json:"regions" most:"1024"`
}

// A Region is a range of memory: Bytes bytes at Offset of the memory file, then zeros up to Size.
type Region struct {
	Name   string `json:"name"` // may be empty
	Addr   uint64 `json:"addr"`
	Size   int    `json:"size" range:"0..0x10000000"`
	Offset int    `json:"offset" range:"0..0x10000000"`
	Bytes  int    `json:"bytes" range:"0..0x10000000"`
	Data   []byte `json:"-"` // of Size bytes, by ReadMemory
}

// A DrawJob is the draw of v9. Keys besides the address duplicate the bytes of memory.
type DrawJob struct {
	Job uint64   `json:"job"` // address of its descriptor; 0: none
	_   struct{} `ignore:"*"`
}

// A Stream is the instruction of a command stream that starts the draw, and the contents of its registers at that
// point.
type Stream struct {
	Instruction uint64          `json:"instruction" need:"true"`
	Registers   StreamRegisters `json:"registers" need:"true"`
}

// StreamRegisters are registers of a command stream by number; missing ones are unknown.
type StreamRegisters map[int]uint32

// streamRegisters is how many registers the largest command stream has.
const streamRegisters = 256

// UnmarshalJSON reads registers: r33, a word, or d16, r16 and r17 as one number.
func (s *StreamRegisters) UnmarshalJSON(v []byte) error {
	*s = StreamRegisters{}
	return jsonfile.EachMember(v, s.register)
}

func (s *StreamRegisters) register(name string, v []byte) error {
	number, wide := strings.CutPrefix(name, "d")
	number, word := strings.CutPrefix(number, "r")
	n, err := strconv.Atoi(number)
	switch {
	case wide == word || err != nil || strconv.Itoa(n) != number || n < 0 || n >= streamRegisters:
		return jsonfile.Bad("no register; they are r0 to r%d, or d0, d2 and so on: two as one number", streamRegisters-1)
	case wide && n%2 != 0:
		return jsonfile.Bad("no register; d%d and d%d are pairs of them", n-1, n+1)
	}
	x, err := jsonfile.Word(v)
	if err == nil && word && x > math.MaxUint32 {
		err = jsonfile.Bad("%#x, and a register has 32 bits", x)
	}
	for i := n; i <= n || wide && i == n+1; i++ {
		if _, twice := (*s)[i]; twice && err == nil {
			err = jsonfile.Bad("r%d is given twice", i)
		}
		(*s)[i] = uint32(x >> (32 * (i - n)))
	}
	return err
}

// A VertexOutput is the expected output of the vertex programs for a vertex of an instance.
type VertexOutput struct {
	Instance int       `json:"instance" range:"0..0x10000"`
	Vertex   int       `json:"vertex" range:"0..0x10000"`
	Position [4]uint32 `json:"position" of:"x, y, z, 1/w"`
	Varyings []byte    `json:"varyings" most:"0x1000" null:"true"` // the record of attributes; empty: none
}

// maxRegions limits the bytes of all regions, far above any recorded draw.
const maxRegions = 1 << 28

// ReadScene reads a recorded draw and checks its shape. file is its path, for errors and for the files that it names,
// which are not opened. The error is an *casefile.Error with the position and the path of keys.
func ReadScene(r io.Reader, file string) (*Scene, error) {
	s := &Scene{File: file}
	if err := casefile.ReadDocument(r, file, limit.Scene, s, s.check); err != nil {
		return nil, err
	}
	return s, nil
}

// ReadSceneFile reads the recorded draw at path.
func ReadSceneFile(path string) (*Scene, error) {
	return limit.ReadWith(path, ReadScene)
}

// ReadMemory reads the memory: its ranges with their Data, which the caller may change.
func (s *Scene) ReadMemory() ([]Region, error) {
	file, err := s.read("memory.file", s.Contents)
	if err != nil {
		return nil, err
	}
	list := make([]Region, len(s.Memory))
	for i, m := range s.Memory {
		if m.Offset > len(file) || m.Bytes > len(file)-m.Offset {
			return nil, s.fail(fmt.Sprintf("memory.regions[%d]", i), fmt.Sprintf("bytes %d to %d of %s, which has %d", m.Offset, m.Offset+m.Bytes, s.Contents, len(file)))
		}
		m.Data = make([]byte, m.Size)
		copy(m.Data, file[m.Offset:m.Offset+m.Bytes])
		list[i] = m
	}
	return list, nil
}

// ReadMask reads the mask: one byte per pixel.
func (s *Scene) ReadMask() ([]byte, error) { return s.readPixels("mask", s.Mask, 1) }

// ReadExpect reads the expected contents of target i of the list: size bytes per pixel.
func (s *Scene) ReadExpect(i, size int) ([]byte, error) {
	return s.readPixels(fmt.Sprintf("target.colour[%d].expect", i), s.Targets[i].Expect, size)
}

// ReadExpectFloats reads the colours of target i of the list before conversion: four floats per pixel.
func (s *Scene) ReadExpectFloats(i int) ([]byte, error) {
	return s.readPixels(fmt.Sprintf("target.colour[%d].expect_f32", i), s.Targets[i].ExpectFloats, 16)
}

func (s *Scene) readPixels(key, name string, size int) ([]byte, error) {
	data, err := s.read(key, name)
	if want := size * s.Width * s.Height; err == nil && len(data) != want {
		err = s.fail(key, fmt.Sprintf("%s has %s, want %d", name, spell.Count(len(data), "byte"), want))
	}
	return data, err
}

func (s *Scene) read(key, name string) ([]byte, error) {
	data, err := limit.Folder{Of: s.File, What: "scene", Outside: s.AllowOutside}.Read(name, limit.Parts)
	if err != nil {
		return nil, s.fail(key, err.Error())
	}
	return data, nil
}

// fail returns an error of a key.
func (s *Scene) fail(key, msg string) error {
	return &casefile.Error{Code: "value", File: s.File, Key: key, Msg: msg}
}

// check rejects a draw that is inconsistent.
func (s *Scene) check() error {
	switch {
	case s.Width*s.Height*len(s.Targets) > limit.Pixels:
		return jsonfile.At(jsonfile.Bad("%dx%d pixels of %d targets, at most %d", s.Width, s.Height, len(s.Targets), limit.Pixels), "target")
	case (s.Job != 0) == (s.Stream != nil):
		return jsonfile.Bad("want a draw_job with its job, of v9, or a draw_csf, of v10 and later")
	case s.Stream != nil && (s.Stream.Instruction == 0 || len(s.Stream.Registers) == 0):
		return jsonfile.At(jsonfile.Bad("no instruction or no registers"), "draw_csf")
	}
	seen := map[int]bool{}
	for i := range s.Targets {
		t := &s.Targets[i]
		if seen[t.Index] {
			return jsonfile.At(jsonfile.Bad("%d is given twice", t.Index), "target", "colour", jsonfile.Index(i), "index")
		}
		seen[t.Index] = true
	}
	total := 0
	for i := range s.Memory {
		m := &s.Memory[i]
		if m.Bytes > m.Size {
			return jsonfile.At(jsonfile.Bad("%s of %d", spell.Count(m.Bytes, "byte"), m.Size), "memory", "regions", jsonfile.Index(i))
		}
		if total += m.Size; total > maxRegions {
			return jsonfile.At(jsonfile.Bad("%d bytes up to here, at most %d", total, maxRegions), "memory", "regions", jsonfile.Index(i))
		}
	}
	return nil
}
