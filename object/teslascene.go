package object

import (
	"fmt"
	"io"
	"slices"

	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/internal/spell"
)

// TeslaSceneFormat is the value of the key format in every recorded draw of Tesla.
const TeslaSceneFormat = "heddle-tesla-scene-1"

// A TeslaScene is a draw that a driver recorded: code of the vertex and fragment program for several chips, their
// inputs, and the expected pixels. Row 0 is the bottom. File names in it are relative to its folder and do not leave
// it.
type TeslaScene struct {
	File       string // its own path, as given
	Name       string
	Programs   []TeslaPrograms
	Constants  [2][]TeslaConstants // by stage: vertex, fragment
	Inputs     []TeslaInput
	Attributes []TeslaAttribute
	Position   [4]int // words of o[] that hold x, y, z, w in clip space
	Varyings   []TeslaVarying
	Textures   []TeslaTexture
	Samplers   []TeslaSampler
	First      int    // vertex of the draw
	Count      int    // vertices: a list of triangles
	Viewport   [4]int // x, y, width, height; the picture ends where the viewport ends
	Targets    []TeslaTarget
	Mask       string // file: one byte per pixel, see MaskSkip
	Fragments  string // file of recorded fragments; empty: none

	// AllowOutside lets names, and links at them, lead out of the scene's folder. It is not a key of scenes.
	AllowOutside bool
}

// Stages of a TeslaScene.
const (
	TeslaVertex = iota
	TeslaFragment
)

// TeslaPrograms are the programs of chips that share the same code.
type TeslaPrograms struct {
	Variants []string
	Code     [2][]byte // by stage
}

// TeslaConstants are bytes of c[] of a stage.
type TeslaConstants struct {
	Bank int
	Addr uint64
	Data []byte
}

// A TeslaInput is a vertex input: four words per vertex, bits of floats or integers. Missing components are 0, 0, 0, 1.
type TeslaInput struct {
	Location   int
	Components int
	Type       string // f32, u32, i32
	Values     [][4]uint32
	numbers    [][]float64
}

// A TeslaAttribute is the source of a word of a[].
type TeslaAttribute struct {
	Word             int // of a[]
	Input, Component int // Input is a location
}

// A TeslaVarying is the source of a word of v[].
type TeslaVarying struct {
	Word int
	InvW bool // 1/w; otherwise Out, a word of o[], interpolated
	Out  int
	Flat bool // the bits of the last vertex; otherwise o/w, linear in screen space
}

// A TeslaTexture is the texture of a $t.
type TeslaTexture struct {
	Number                int
	Kind                  string // 2d, cube, 2darray
	Format                string // rgba8, rgba8ui, d32f
	Width, Height, Layers int    // layers of a cube are its faces
	Levels                int
	Texels                string // file: levels from 0, each its layers, rows from t = 0 up
}

// A TeslaSampler is the sampler of a $s.
type TeslaSampler struct {
	Number               int
	Min, Mag             string // nearest, linear; Min also such as nearest_mip_linear
	Wrap                 [3]string
	Compare              string // none, or a comparison of the reference with the texel
	MinLod, MaxLod, Bias float64
}

// A TeslaTarget is a colour target.
type TeslaTarget struct {
	Index       int
	Format      string // rgba32f, rgba32ui, rgba32i
	Registers   []int  // $r that hold its components as the program ends
	Components  int
	Clear       [4]float64
	Expect      string // file: 16 bytes per pixel
	Abs, Rel    float64
	ExpectBytes string // file: 4 bytes per pixel; empty: none
	BytesAbs    float64
}

// Integer reports whether the target holds integers.
func (t *TeslaTarget) Integer() bool { return t.Format != "rgba32f" }

// TeslaFragments are recorded fragments: quads with their initial state and the expected results.
type TeslaFragments struct {
	Launch  CaseLaunch `json:"launch"`
	Pixels  [][2]int   `json:"pixels" range:"0..8192" of:"x and y"` // by lane
	Initial *State     `json:"initial" need:"true"`
	Final   *State     `json:"final" need:"true"`
	Compare Compare    `json:"compare"`
}

// Limits of a recorded draw, far above any recorded one.
const (
	maxTeslaCode    = 1 << 20
	maxTeslaWords   = 128 // of a[], o[] and v[]
	maxTeslaSamples = 128 // textures, and so samplers
	maxTeslaCount   = 1 << 16
	maxTeslaLod     = 16
	maxTeslaPixels  = limit.Pixels // of all targets
)

// ReadTeslaScene reads a recorded draw and checks its shape. file is its path, for errors and for the files that it
// names, which are not opened. The error is an *Error with file and key.
func ReadTeslaScene(r io.Reader, file string) (*TeslaScene, error) {
	s := &TeslaScene{File: file}
	if err := readDocument(r, file, limit.Scene, s, &teslaSceneKeys, s.check); err != nil {
		return nil, err
	}
	return s, nil
}

// ReadTeslaSceneFile reads the recorded draw at path.
func ReadTeslaSceneFile(path string) (*TeslaScene, error) {
	f, err := limit.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadTeslaScene(f, path)
}

// Variants returns the chips that there are programs for.
func (s *TeslaScene) Variants() (names []string) {
	for i := range s.Programs {
		names = append(names, s.Programs[i].Variants...)
	}
	return names
}

// Program returns the code of a stage for a variant; nil if there is none.
func (s *TeslaScene) Program(variant string, stage int) []byte {
	for i := range s.Programs {
		if p := &s.Programs[i]; slices.Contains(p.Variants, variant) {
			return p.Code[stage]
		}
	}
	return nil
}

// Width and Height are the size of the picture, up to the end of the viewport.
func (s *TeslaScene) Width() int  { return s.Viewport[0] + s.Viewport[2] }
func (s *TeslaScene) Height() int { return s.Viewport[1] + s.Viewport[3] }

// ReadTexels reads the texels of texture i of the list.
func (s *TeslaScene) ReadTexels(i int) ([]byte, error) {
	return s.read(fmt.Sprintf("textures[%d].file", i), s.Textures[i].Texels)
}

// ReadMask reads the mask: one byte per pixel.
func (s *TeslaScene) ReadMask() ([]byte, error) { return s.readPixels("mask.file", s.Mask, 1) }

// ReadExpect reads the expected contents of target i of the list: 16 bytes per pixel, four floats or words.
func (s *TeslaScene) ReadExpect(i int) ([]byte, error) {
	return s.readPixels(fmt.Sprintf("targets[%d].expect", i), s.Targets[i].Expect, 16)
}

// ReadExpectBytes reads the expected bytes of target i of the list: four per pixel.
func (s *TeslaScene) ReadExpectBytes(i int) ([]byte, error) {
	return s.readPixels(fmt.Sprintf("targets[%d].expect_rgba8", i), s.Targets[i].ExpectBytes, 4)
}

// ReadFragments reads the recorded fragments.
func (s *TeslaScene) ReadFragments() (*TeslaFragments, error) {
	f, err := limit.Folder{Of: s.File, What: "scene", Outside: s.AllowOutside}.Open(s.Fragments)
	if err != nil {
		return nil, s.fail("fragments", err.Error())
	}
	defer f.Close()
	t := &TeslaFragments{}
	if err := ReadDocument(f, s.Fragments, limit.Scene, t, t.check); err != nil {
		return nil, err
	}
	return t, nil
}

func (s *TeslaScene) readPixels(key, name string, size int) ([]byte, error) {
	data, err := s.read(key, name)
	if want := size * s.Width() * s.Height(); err == nil && len(data) != want {
		err = s.fail(key, fmt.Sprintf("%s has %s, want %d", name, spell.Count(len(data), "byte"), want))
	}
	return data, err
}

func (s *TeslaScene) read(key, name string) ([]byte, error) {
	data, err := limit.Folder{Of: s.File, What: "scene", Outside: s.AllowOutside}.Read(name, limit.Parts)
	if err != nil {
		return nil, s.fail(key, err.Error())
	}
	return data, nil
}

func (s *TeslaScene) fail(key, msg string) error {
	return &Error{Code: "value", File: s.File, Key: key, Msg: msg}
}
