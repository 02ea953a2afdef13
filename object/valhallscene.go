package object

import (
	"fmt"
	"io"

	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/internal/spell"
)

// ValhallSceneFormat is the value of the key format in every recorded draw of Valhall.
const ValhallSceneFormat = "heddle-valhall-scene-1"

// A ValhallScene is a draw that a driver recorded: the memory that it set up, the descriptor of the draw in it or the
// registers of a command stream, and the expected pixels. Row 0 is y = 0 of the programs. The decoded form of the
// memory that a scene also holds is not read: only the bytes count. File names in it are relative to its folder and do
// not leave it.
type ValhallScene struct {
	File          string // its own path, as given
	Name, What    string
	Variant       string
	Width, Height int
	Targets       []ValhallTarget
	ClearDepth    float64
	Mask          string // file: one byte per pixel; pixels of value ValhallMask are compared
	MemoryFile    string
	Memory        []ValhallMemory
	Job           uint64         // address of the descriptor of the draw: v9; 0: none
	Stream        *ValhallStream // v10 and later
	Vertices      []ValhallVertex

	// AllowOutside lets names, and links at them, lead out of the scene's folder. It is not a key of scenes.
	AllowOutside bool
}

// ValhallMask is the mask value of a pixel that is away from edges and whose value is robust.
const ValhallMask = 3

// A ValhallTarget is a render target.
type ValhallTarget struct {
	Index          int
	Format         string // such as rgba8_unorm
	Clear          [4]float64
	Expect         string // file: 4 bytes per pixel of rgba8_unorm; 16 of integers, and of floats
	Tolerance      float64
	ExpectFloats   string // file: the colours before conversion, 16 bytes per pixel; empty: none
	ToleranceFloat float64
}

// A ValhallMemory is a range of memory: Bytes bytes at Offset of the memory file, then zeros up to Size.
type ValhallMemory struct {
	Name                string // may be empty
	Addr                uint64
	Size, Offset, Bytes int
	Data                []byte // of Size bytes, by ReadMemory
}

// A ValhallStream is the instruction of a command stream that starts the draw, and the contents of its registers at
// that point.
type ValhallStream struct {
	Instruction uint64
	Registers   map[int]uint32 // by number; missing ones are unknown
}

// maxValhallRegisters is how many registers the largest command stream has.
const maxValhallRegisters = 256

// A ValhallVertex is the expected output of the vertex programs for a vertex of an instance.
type ValhallVertex struct {
	Instance, Vertex int
	Position         [4]uint32
	Varyings         []byte // the record of attributes; empty: none
}

// Limits of a recorded draw, far above any recorded one.
const (
	maxValhallMemory   = 1 << 28 // bytes of all ranges
	maxValhallRuns     = 1 << 10
	maxValhallTargets  = 8
	maxValhallVertices = 1 << 16
	maxValhallRecord   = 1 << 12 // bytes
)

// ReadValhallScene reads a recorded draw and checks its shape. file is its path, for errors and for the files that it
// names, which are not opened. The error is an *Error with file and key.
func ReadValhallScene(r io.Reader, file string) (*ValhallScene, error) {
	s := &ValhallScene{File: file, ClearDepth: 1}
	if err := readDocument(r, file, limit.Scene, s, &valhallSceneKeys, s.check); err != nil {
		return nil, err
	}
	return s, nil
}

// ReadValhallSceneFile reads the recorded draw at path.
func ReadValhallSceneFile(path string) (*ValhallScene, error) {
	f, err := limit.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadValhallScene(f, path)
}

// ReadMemory reads the memory: its ranges with their Data, which the caller may change.
func (s *ValhallScene) ReadMemory() ([]ValhallMemory, error) {
	file, err := s.read("memory.file", s.MemoryFile)
	if err != nil {
		return nil, err
	}
	list := make([]ValhallMemory, len(s.Memory))
	for i, m := range s.Memory {
		if m.Offset > len(file) || m.Bytes > len(file)-m.Offset {
			return nil, s.Fail(fmt.Sprintf("memory.regions[%d]", i), fmt.Sprintf("bytes %d to %d of %s, which has %d", m.Offset, m.Offset+m.Bytes, s.MemoryFile, len(file)))
		}
		m.Data = make([]byte, m.Size)
		copy(m.Data, file[m.Offset:m.Offset+m.Bytes])
		list[i] = m
	}
	return list, nil
}

// ReadMask reads the mask: one byte per pixel.
func (s *ValhallScene) ReadMask() ([]byte, error) { return s.readPixels("mask", s.Mask, 1) }

// ReadExpect reads the expected contents of target i of the list: size bytes per pixel.
func (s *ValhallScene) ReadExpect(i, size int) ([]byte, error) {
	return s.readPixels(fmt.Sprintf("target.colour[%d].expect", i), s.Targets[i].Expect, size)
}

// ReadExpectFloats reads the colours of target i of the list before conversion: four floats per pixel.
func (s *ValhallScene) ReadExpectFloats(i int) ([]byte, error) {
	return s.readPixels(fmt.Sprintf("target.colour[%d].expect_f32", i), s.Targets[i].ExpectFloats, 16)
}

func (s *ValhallScene) readPixels(key, name string, size int) ([]byte, error) {
	data, err := s.read(key, name)
	if want := size * s.Width * s.Height; err == nil && len(data) != want {
		err = s.Fail(key, fmt.Sprintf("%s has %s, want %d", name, spell.Count(len(data), "byte"), want))
	}
	return data, err
}

func (s *ValhallScene) read(key, name string) ([]byte, error) {
	data, err := limit.Folder{Of: s.File, What: "scene", Outside: s.AllowOutside}.Read(name, limit.Parts)
	if err != nil {
		return nil, s.Fail(key, err.Error())
	}
	return data, nil
}

// Fail returns an error of a key.
func (s *ValhallScene) Fail(key, msg string) error {
	return &Error{Code: "value", File: s.File, Key: key, Msg: msg}
}
