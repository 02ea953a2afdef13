package object

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/heddle-gpu/heddle/internal/limit"
)

// SceneFormat is the value of the key format in every scene.
const SceneFormat = "heddle-scene-1"

// A Scene is a picture to draw: programs, their inputs, and the draws in their order. File names in it are relative to
// its folder and do not leave it, nor do links that they lead to.
type Scene struct {
	File          string // its own path, as given
	Name          string
	ISA           string // name or name:variant
	Width, Height int
	ClearColor    [4]float64
	ClearDepth    float64
	Textures      []SceneTexture
	Draws         []SceneDraw

	// AllowOutside lets names, and links at them, lead out of the scene's folder. It is not a key of scenes.
	AllowOutside bool
}

// A SceneTexture is an image and how it is sampled.
type SceneTexture struct {
	Name          string
	File          string // PNG by its name; else raw texels, level after level and face after face
	Format        string // of raw texels; PNG files are rgba8
	Target        string // 2D if empty
	Width, Height int    // of raw texels
	Depth         int
	Levels        int    // of raw texels; 0: 1
	Mipmaps       bool   // smaller levels are made from the image
	Min, Mag      string // filters: nearest, linear, nearest_mipmap_linear ...
	Wrap          []string
	Bias          float64
	Aniso         int
}

// A SceneDraw is one draw. Package launch interprets its strings.
type SceneDraw struct {
	Name              string
	Vertex, Fragment  string // program files: text, or machine code if the name ends in .bin; without a vertex program attributes are passed through
	VertexConstants   []SceneConstant
	FragmentConstants []SceneConstant
	Units             map[string]string // texture by unit
	Attributes        []SceneAttribute
	Indices           []uint32
	Count             int // vertices without indices; 0: as many as the attributes have values
	Primitive         string
	Viewport          []int      // x, y, width, height; none: all of the picture
	DepthRange        [2]float64 // both 0: 0 and 1
	Cull, Front       string
	DepthFunc         string
	DepthWrite        bool
	FragmentDepth     bool // the fragment program writes depth
	Blend             *SceneBlend
	ColorMask         string // channels that are written, such as rgb; empty: all
	Flat              []int  // varyings
	Truncate          bool
}

// A SceneConstant is the value of one constant of a program, by its name in the instruction set.
type SceneConstant struct {
	Name   string
	Values []float64
}

// A SceneAttribute is a vertex buffer: Size components for each vertex.
type SceneAttribute struct {
	Slot, Size int
	Data       []float64
	File       string // little-endian float32, in place of Data
	Offset     int    // of the first vertex, in bytes; for File
	Stride     int    // from vertex to vertex, in bytes; 0: 4*Size; for File
}

// A SceneBlend blends colours. Empty strings select alpha blending.
type SceneBlend struct {
	Src, Dst, Op                string
	AlphaSrc, AlphaDst, AlphaOp string // empty: as of the colours
	Constant                    [4]float64
}

// ReadSceneFile reads a scene from a file and checks its shape.
func ReadSceneFile(path string) (*Scene, error) {
	f, err := limit.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadScene(f, path)
}

// ReadScene reads a scene. file is its path, for errors and for the files that it names.
func ReadScene(r io.Reader, file string) (*Scene, error) {
	data, err := limit.ReadAll(r, file, limit.Scene)
	if err != nil {
		return nil, err
	}
	if e := validJSON(data); e != nil {
		return nil, fmt.Errorf("%s:%d: %s", file, 1+e.line, e.msg)
	}
	s := &Scene{File: file, ClearDepth: 1}
	if err := readObject(s, bytes.TrimSpace(data), &sceneKeys, nil); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

func (s *Scene) check() error {
	switch {
	case s.ISA == "":
		return errors.New("isa: missing, want the instruction set of the programs")
	case s.Width == 0 || s.Height == 0:
		return errors.New("width, height: missing, want the size of the picture")
	case s.Width*s.Height > limit.Pixels:
		return fmt.Errorf("width, height: %dx%d pixels, at most %d", s.Width, s.Height, limit.Pixels)
	case len(s.Draws) == 0:
		return errors.New("draws: missing, want at least one")
	}
	for i := range s.Draws {
		d := &s.Draws[i]
		for k, a := range d.Attributes {
			if a.Size == 0 || a.Data == nil && a.File == "" {
				return fmt.Errorf("draws[%d].attributes[%d]: want size, and data or file", i, k)
			}
		}
		if d.Name == "" {
			d.Name = fmt.Sprint(i)
		}
		if d.Fragment == "" {
			return fmt.Errorf("draws[%d].fragment: missing, want a program", i)
		}
		if len(d.Attributes) == 0 && d.Count == 0 && len(d.Indices) == 0 {
			return fmt.Errorf("draws[%d]: no vertices; give attributes, indices or count", i)
		}
	}
	return nil
}

// ReadProgram reads the file of a program that the scene names.
func (s *Scene) ReadProgram(name string) ([]byte, error) { return s.folder().Read(name, limit.Program) }

// ReadTexture reads the file of a texture that the scene names.
func (s *Scene) ReadTexture(name string) ([]byte, error) { return s.folder().Read(name, limit.Texture) }

// folder returns the folder of the files that the scene names.
func (s *Scene) folder() limit.Folder {
	return limit.Folder{Of: s.File, What: "scene", Outside: s.AllowOutside}
}

// ReadAttribute returns the values of an attribute, one per vertex; missing components are 0, 0, 0, 1.
func (s *Scene) ReadAttribute(a *SceneAttribute) (list [][4]float32, err error) {
	data := a.Data
	if a.File == "" {
		if len(data)%a.Size != 0 {
			return nil, fmt.Errorf("attribute %d: %d numbers are no whole vertices of %d", a.Slot, len(data), a.Size)
		}
		for i := 0; i < len(data); i += a.Size {
			v := [4]float32{3: 1}
			for k := range a.Size {
				v[k] = float32(data[i+k])
			}
			list = append(list, v)
		}
		return list, nil
	}
	raw, err := s.folder().Read(a.File, limit.Vertices)
	if err != nil {
		return nil, err
	}
	stride := a.Stride
	if stride == 0 {
		stride = 4 * a.Size
	}
	if n := len(raw) - a.Offset - 4*a.Size; n >= 0 && stride > 0 {
		list = make([][4]float32, 0, min(n/stride+1, maxSceneVertices))
	}
	for at := a.Offset; at+4*a.Size <= len(raw); at += stride {
		if len(list) == maxSceneVertices {
			return nil, fmt.Errorf("attribute %d: %s holds more than %d vertices", a.Slot, a.File, maxSceneVertices)
		}
		v := [4]float32{3: 1}
		for k := range a.Size {
			v[k] = math.Float32frombits(binary.LittleEndian.Uint32(raw[at+4*k:]))
		}
		list = append(list, v)
	}
	return list, nil
}
