package casefile

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/heddle-gpu/heddle/internal/jsonfile"
	"github.com/heddle-gpu/heddle/internal/limit"
)

// SceneFormat is the value of the key format in every scene.
const SceneFormat = "heddle-scene-1"

// A Scene is a picture to draw: programs, their inputs, and the draws in their order. File names in it are relative to
// its folder and do not leave it, nor do links that they lead to.
type Scene struct {
	File       string         `json:"-"` // its own path, as given
	Format     string         `json:"format" one:"heddle-scene-1"`
	Name       string         `json:"name"`
	ISA        string         `json:"isa" need:"some" of:"the instruction set of the programs"` // name or name:variant
	Width      int            `json:"width" need:"true" range:"1..8192" of:"the size of the picture"`
	Height     int            `json:"height" need:"true" range:"1..8192" of:"the size of the picture"`
	ClearColor [4]float64     `json:"clear_color"`
	ClearDepth float64        `json:"clear_depth" default:"1"`
	Textures   []SceneTexture `json:"textures"`
	Draws      []SceneDraw    `json:"draws" need:"some" of:"at least one"`

	// AllowOutside lets names, and links at them, lead out of the scene's folder. It is not a key of scenes.
	AllowOutside bool `json:"-"`
}

// A SceneTexture is an image and how it is sampled.
type SceneTexture struct {
	Name    string   `json:"name"`
	File    string   `json:"file"`                  // PNG by its name; else raw texels, level after level and face after face
	Format  string   `json:"format"`                // of raw texels; PNG files are rgba8
	Target  string   `json:"target"`                // 2D if empty
	Width   int      `json:"width" range:"1..8192"` // of raw texels, as are Height and Depth
	Height  int      `json:"height" range:"1..8192"`
	Depth   int      `json:"depth" range:"1..8192"`
	Levels  int      `json:"levels" range:"1..16"` // of raw texels; 0: 1
	Mipmaps bool     `json:"mipmaps"`              // smaller levels are made from the image
	Min     string   `json:"min"`                  // filters: nearest, linear, nearest_mipmap_linear ...
	Mag     string   `json:"mag"`
	Wrap    []string `json:"wrap"`
	Bias    float64  `json:"bias"`
	Aniso   int      `json:"aniso" range:"1..16"`
}

// A SceneDraw is one draw. Package internal/render interprets its strings.
type SceneDraw struct {
	Name string `json:"name"`
	// Vertex and Fragment are program files: text, or machine code if the name ends in .bin. Without a vertex program
	// attributes are passed through.
	Vertex            string            `json:"vertex"`
	Fragment          string            `json:"fragment" need:"some" of:"a program"`
	VertexConstants   []SceneConstant   `json:"vertex_constants" by:"Name"`
	FragmentConstants []SceneConstant   `json:"fragment_constants" by:"Name"`
	Units             map[string]string `json:"textures"` // texture by unit
	Attributes        []SceneAttribute  `json:"attributes"`
	Indices           []uint32          `json:"indices" range:"0..0xffffffff"`
	Count             int               `json:"count" range:"1..0x40000"` // vertices without indices; 0: as many as the attributes have values
	Primitive         string            `json:"primitive"`
	Viewport          []int             `json:"viewport" range:"-8192..8192" len:"4" of:"x, y, width, height"` // none: all of the picture
	DepthRange        [2]float64        `json:"depth_range"`                                                   // both 0: 0 and 1
	Cull              string            `json:"cull"`
	Front             string            `json:"front"`
	DepthFunc         string            `json:"depth_func"`
	DepthWrite        bool              `json:"depth_write"`
	FragmentDepth     bool              `json:"fragment_depth"` // the fragment program writes depth
	Blend             *SceneBlend       `json:"blend"`
	ColorMask         string            `json:"color_mask"`         // channels that are written, such as rgb; empty: all
	Flat              []int             `json:"flat" range:"0..15"` // varyings
	Truncate          bool              `json:"truncate"`
}

// A SceneConstant is the value of one constant of a program, by its name in the instruction set.
type SceneConstant struct {
	Name   string
	Values []float64
}

// UnmarshalJSON reads a number or a list of them.
func (c *SceneConstant) UnmarshalJSON(v []byte) error {
	if len(v) == 0 || v[0] != '[' {
		x, err := jsonfile.Float(v)
		c.Values = []float64{x}
		return err
	}
	return jsonfile.EachElement(v, func(_ int, v []byte) error {
		x, err := jsonfile.Float(v)
		c.Values = append(c.Values, x)
		return err
	})
}

// A SceneAttribute is a vertex buffer: Size components for each vertex.
type SceneAttribute struct {
	Slot   int       `json:"slot" range:"0..15"`
	Size   int       `json:"size" need:"true" range:"1..4"`
	Data   []float64 `json:"data"`
	File   string    `json:"file"`                          // little-endian float32, in place of Data
	Offset int       `json:"offset" range:"0..BufferBytes"` // of the first vertex, in bytes; for File
	Stride int       `json:"stride" range:"1..BufferBytes"` // from vertex to vertex, in bytes; 0: 4*Size; for File
}

// A SceneBlend blends colours. Empty strings select alpha blending.
type SceneBlend struct {
	Src      string     `json:"src"`
	Dst      string     `json:"dst"`
	Op       string     `json:"op"`
	AlphaSrc string     `json:"alpha_src"` // empty: as of the colours, and so the next two
	AlphaDst string     `json:"alpha_dst"`
	AlphaOp  string     `json:"alpha_op"`
	Constant [4]float64 `json:"constant"`
}

// ReadSceneFile reads a scene from a file and checks its shape.
func ReadSceneFile(path string) (*Scene, error) {
	return limit.ReadWith(path, ReadScene)
}

// ReadScene reads a scene. file is its path, for errors and for the files that it names.
func ReadScene(r io.Reader, file string) (*Scene, error) {
	s := &Scene{File: file}
	if err := ReadDocument(r, file, limit.Scene, s, s.check); err != nil {
		return nil, err
	}
	return s, nil
}

// maxSceneVertices limits the vertices of an attribute.
const maxSceneVertices = 1 << 18

func (s *Scene) check() error {
	if s.Width*s.Height > limit.Pixels {
		return jsonfile.At(jsonfile.Bad("%dx%d pixels, at most %d", s.Width, s.Height, limit.Pixels), "width")
	}
	for i := range s.Draws {
		d := &s.Draws[i]
		for k, a := range d.Attributes {
			if len(a.Data) == 0 && a.File == "" {
				return jsonfile.At(jsonfile.Bad("no data or file"), "draws", jsonfile.Index(i), "attributes", jsonfile.Index(k))
			}
		}
		if d.Name == "" {
			d.Name = fmt.Sprint(i)
		}
		if len(d.Attributes) == 0 && d.Count == 0 && len(d.Indices) == 0 {
			return jsonfile.At(jsonfile.Bad("no vertices; give attributes, indices or count"), "draws", jsonfile.Index(i))
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
