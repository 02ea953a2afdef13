package tesla

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/jsonfile"
	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/internal/spell"
)

// A Scene is a draw that a driver recorded: code of the vertex and fragment program for several chips, their inputs,
// and the expected pixels. Row 0 is the bottom. File names in it are relative to its folder and do not leave it.
type Scene struct {
	File        string         `json:"-"` // its own path, as given
	Format      string         `json:"format" one:"heddle-tesla-scene-1"`
	Name        string         `json:"name" need:"some"`
	Programs    []Programs     `json:"programs" need:"some"`
	Constants   StageConstants `json:"constants"`
	Inputs      []Input        `json:"inputs"`
	Attributes  []Attribute    `json:"attributes"`
	Varyings    Varyings       `json:"varyings"`
	Textures    []Texture      `json:"textures"`
	Samplers    []Sampler      `json:"samplers"`
	DrawCommand `json:"draw" need:"true"`
	Targets     []Target `json:"targets" need:"some"`
	Mask        Mask     `json:"mask" need:"true"`
	Fragments   string   `json:"fragments" is:"file"` // of recorded fragments; empty: none
	_           struct{} `ignore:"tool source reference"`

	// AllowOutside lets names, and links at them, lead out of the scene's folder. It is not a key of scenes.
	AllowOutside bool `json:"-"`
}

// Stages of a Scene.
const (
	vertexStage = iota
	fragmentStage
)

// Programs are the programs of chips that share the same code.
type Programs struct {
	Variants []string `json:"variants" need:"some"`
	Vertex   Program  `json:"vertex" need:"true"`
	Fragment Program  `json:"fragment" need:"true"`
}

// A Program is the code of a stage.
type Program struct {
	Code []byte   `json:"code" need:"some" most:"0x100000"`
	_    struct{} `ignore:"asm nv50ir"`
}

// StageConstants are bytes of c[] of each stage.
type StageConstants struct {
	Vertex   []Constants `json:"vertex"`
	Fragment []Constants `json:"fragment"`
}

// Constants are bytes of c[] of a stage.
type Constants struct {
	Bank int    `json:"bank" range:"0..15"`
	Addr uint64 `json:"addr"`
	Data []byte `json:"hex"`
}

// An Input is a vertex input: four words per vertex, bits of floats or integers. Missing components are 0, 0, 0, 1.
type Input struct {
	Location   int         `json:"location" range:"0..128"`
	Components int         `json:"components" range:"1..4"`
	Type       string      `json:"type" need:"some" one:"f32|u32|i32"`
	Numbers    [][]float64 `json:"values" most:"0x10000"` // as the file has them
	Values     [][4]uint32 `json:"-"`
}

// An Attribute is the source of a word of a[].
type Attribute struct {
	Word      int `json:"a" is:"word" range:"0..508" unit:"4"` // of a[]
	Input     int `json:"input" range:"0..128"`                // a location
	Component int `json:"component" range:"0..3"`
}

// Varyings are the outputs of the vertex program, and where the fragment program has them.
type Varyings struct {
	Position [4]int    `json:"position" is:"word" range:"0..508" unit:"4" of:"those of x, y, z, w"` // words of o[], in clip space
	Words    []Varying `json:"words"`
}

// A Varying is the source of a word of v[].
type Varying struct {
	Word   int    `json:"v" is:"word" range:"0..508" unit:"4"`
	Source string `json:"source" one:"1/w"` // empty: Out, a word of o[], interpolated
	Out    int    `json:"o" is:"word" range:"0..508" unit:"4"`
	Interp string `json:"interp" one:"perspective|flat"` // flat: the bits of the last vertex; otherwise o/w, linear in screen space
}

// A Texture is the texture of a $t.
type Texture struct {
	Number int    `json:"t" range:"0..127"`
	Kind   string `json:"kind" need:"some" one:"2d|cube|2darray"`
	Format string `json:"format" need:"some" one:"rgba8|rgba8ui|d32f"`
	Width  int    `json:"width" range:"1..8192"`
	Height int    `json:"height" range:"1..8192"`
	Layers int    `json:"layers" range:"1..8192"` // those of a cube are its faces
	Levels int    `json:"levels" range:"1..16"`
	Texels string `json:"file" need:"some" is:"file"` // levels from 0, each its layers, rows from t = 0 up
}

// A Sampler is the sampler of a $s.
type Sampler struct {
	Number  int       `json:"s" range:"0..127"`
	Min     string    `json:"min" one:"nearest|linear|nearest_mip_nearest|linear_mip_nearest|nearest_mip_linear|linear_mip_linear"`
	Mag     string    `json:"mag" one:"nearest|linear"`
	Wrap    [3]string `json:"wrap" one:"repeat|mirrored_repeat|clamp_to_edge" of:"those of s, t, r"`
	Compare string    `json:"compare" one:"none|never|less|equal|less_equal|greater|not_equal|greater_equal|always"` // of the reference with the texel
	MinLod  float64   `json:"min_lod"`
	MaxLod  float64   `json:"max_lod"`
	Bias    float64   `json:"lod_bias"`
}

// A DrawCommand is the draw: a list of triangles.
type DrawCommand struct {
	Primitive string `json:"primitive" only:"triangles" else:"primitives other than triangles are not built"`
	Provoking string `json:"provoking" only:"last" else:"a provoking vertex other than the last is not built"`
	Cull      string `json:"cull" only:"none" else:"culling is not built"`
	Blend     bool   `json:"blend" only:"false" else:"blending is not built"`
	DepthTest bool   `json:"depth_test" only:"false" else:"a depth test is not built"`
	First     int    `json:"first" range:"0..0x10000"`             // vertex
	Count     int    `json:"count" need:"true" range:"1..0x10000"` // vertices
	Viewport  [4]int `json:"viewport" need:"true" range:"0..8192" of:"x, y, width, height"`
}

// A Target is a colour target.
type Target struct {
	Index        int        `json:"index" range:"0..7"`
	Format       string     `json:"format" need:"some" one:"rgba32f|rgba32ui|rgba32i"`
	Registers    []int      `json:"registers" name:"r 127" most:"4"` // $r that hold its components as the program ends
	Components   int        `json:"components" need:"true" range:"1..4"`
	Clear        [4]float64 `json:"clear"`
	Expect       string     `json:"expect" need:"some" is:"file"` // 16 bytes per pixel
	Compare      Tolerance  `json:"compare"`
	ExpectBytes  string     `json:"expect_rgba8" is:"file"` // 4 bytes per pixel; empty: none
	CompareBytes Absolute   `json:"compare_rgba8"`
}

// Tolerance is how a target is compared with its expected contents.
type Tolerance struct {
	Abs   float64 `json:"abs"`
	Rel   float64 `json:"rel"`
	Exact bool    `json:"exact" only:"true" else:"want true"`
}

// Absolute is how bytes of a target are compared with their expected contents.
type Absolute struct {
	Abs float64 `json:"abs"`
}

// A Mask says which pixels are compared.
type Mask struct {
	File string   `json:"file" need:"some" is:"file"` // one byte per pixel, see launch.MaskSkip
	_    struct{} `ignore:"inside background"`
}

// Integer reports whether the target holds integers.
func (t *Target) Integer() bool { return t.Format != "rgba32f" }

// Fragments are recorded fragments: quads with their initial state and the expected results.
type Fragments struct {
	Launch  casefile.CaseLaunch `json:"launch"`
	Pixels  [][2]int            `json:"pixels" range:"0..8192" of:"x and y"` // by lane
	Initial *casefile.State     `json:"initial" need:"true"`
	Final   *casefile.State     `json:"final" need:"true"`
	Compare casefile.Compare    `json:"compare"`
}

// maxSide limits the sides of the picture.
const maxSide = 8192

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

// Variants returns the chips that there are programs for.
func (s *Scene) Variants() (names []string) {
	for i := range s.Programs {
		names = append(names, s.Programs[i].Variants...)
	}
	return names
}

// Program returns the code of a stage for a variant; nil if there is none.
func (s *Scene) Program(variant string, stage int) []byte {
	for i := range s.Programs {
		if p := &s.Programs[i]; slices.Contains(p.Variants, variant) {
			return [...][]byte{vertexStage: p.Vertex.Code, fragmentStage: p.Fragment.Code}[stage]
		}
	}
	return nil
}

// Width and Height are the size of the picture, up to the end of the viewport.
func (s *Scene) Width() int  { return s.Viewport[0] + s.Viewport[2] }
func (s *Scene) Height() int { return s.Viewport[1] + s.Viewport[3] }

// ReadTexels reads the texels of texture i of the list.
func (s *Scene) ReadTexels(i int) ([]byte, error) {
	return s.read(fmt.Sprintf("textures[%d].file", i), s.Textures[i].Texels)
}

// ReadMask reads the mask: one byte per pixel.
func (s *Scene) ReadMask() ([]byte, error) { return s.readPixels("mask.file", s.Mask.File, 1) }

// ReadExpect reads the expected contents of target i of the list: 16 bytes per pixel, four floats or words.
func (s *Scene) ReadExpect(i int) ([]byte, error) {
	return s.readPixels(fmt.Sprintf("targets[%d].expect", i), s.Targets[i].Expect, 16)
}

// ReadExpectBytes reads the expected bytes of target i of the list: four per pixel.
func (s *Scene) ReadExpectBytes(i int) ([]byte, error) {
	return s.readPixels(fmt.Sprintf("targets[%d].expect_rgba8", i), s.Targets[i].ExpectBytes, 4)
}

// ReadFragments reads the recorded fragments.
func (s *Scene) ReadFragments() (*Fragments, error) {
	f, err := limit.Folder{Of: s.File, What: "scene", Outside: s.AllowOutside}.Open(s.Fragments)
	if err != nil {
		return nil, s.fail("fragments", err.Error())
	}
	defer f.Close()
	t := &Fragments{}
	if err := casefile.ReadDocument(f, s.Fragments, limit.Scene, t, t.check); err != nil {
		return nil, err
	}
	return t, nil
}

func (s *Scene) readPixels(key, name string, size int) ([]byte, error) {
	data, err := s.read(key, name)
	if want := size * s.Width() * s.Height(); err == nil && len(data) != want {
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

func (s *Scene) fail(key, msg string) error {
	return &casefile.Error{Code: "value", File: s.File, Key: key, Msg: msg}
}

// check rejects a draw that is inconsistent.
func (s *Scene) check() error {
	switch v := s.Viewport; {
	case v[2] == 0 || v[3] == 0:
		return jsonfile.At(jsonfile.Bad("no pixels"), "draw", "viewport")
	case s.Width() > maxSide || s.Height() > maxSide || s.Width()*s.Height()*len(s.Targets) > limit.Pixels:
		return jsonfile.At(jsonfile.Bad("%dx%d pixels of %d targets, at most %d", s.Width(), s.Height(), len(s.Targets), limit.Pixels), "draw", "viewport")
	}
	for _, step := range []func() error{s.checkPrograms, s.checkInputs, s.checkSamplers, s.checkTargets} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Scene) checkPrograms() error {
	seen := map[string]bool{}
	for i := range s.Programs {
		for _, v := range s.Programs[i].Variants {
			if seen[v] {
				return jsonfile.At(jsonfile.Bad("%s is given twice", jsonfile.Clip(v)), "programs", jsonfile.Index(i), "variants")
			}
			seen[v] = true
		}
	}
	return nil
}

// checkInputs converts the numbers of inputs to words.
func (s *Scene) checkInputs() error {
	seen := map[int]bool{}
	for i := range s.Inputs {
		in := &s.Inputs[i]
		switch {
		case seen[in.Location]:
			return jsonfile.At(jsonfile.Bad("location %d is given twice", in.Location), "inputs", jsonfile.Index(i))
		case len(in.Numbers) < s.First+s.Count:
			return jsonfile.At(jsonfile.Bad("%d values; the draw takes %d vertices", len(in.Numbers), s.First+s.Count), "inputs", jsonfile.Index(i))
		}
		seen[in.Location] = true
		for n, list := range in.Numbers {
			w, err := in.words(list)
			if err != nil {
				return jsonfile.At(err, "inputs", jsonfile.Index(i), "values", jsonfile.Index(n))
			}
			in.Values = append(in.Values, w)
		}
		in.Numbers = nil
	}
	for i, a := range s.Attributes {
		if !seen[a.Input] {
			return jsonfile.At(jsonfile.Bad("no input of location %d", a.Input), "attributes", jsonfile.Index(i))
		}
	}
	return nil
}

// words returns the bits of a vertex's numbers.
func (in *Input) words(list []float64) (w [4]uint32, err error) {
	if len(list) != in.Components {
		return w, jsonfile.Bad("%d numbers, want %d", len(list), in.Components)
	}
	w[3] = 1
	if in.Type == "f32" {
		w[3] = math.Float32bits(1)
	}
	for k, x := range list {
		switch {
		case in.Type == "f32":
			w[k] = math.Float32bits(float32(x))
		case x != math.Trunc(x) || x < math.MinInt32 || x > math.MaxUint32:
			return w, jsonfile.Bad("%g is no integer of 32 bits", x)
		default:
			w[k] = uint32(int64(x))
		}
	}
	return w, nil
}

func (s *Scene) checkSamplers() error {
	seen := map[string]bool{}
	twice := func(key string, i int, letter string, n int) error {
		name := fmt.Sprintf("%s%d", letter, n)
		if seen[name] {
			return jsonfile.At(jsonfile.Bad("$%s is given twice", name), key, jsonfile.Index(i))
		}
		seen[name] = true
		return nil
	}
	for i := range s.Textures {
		t := &s.Textures[i]
		if t.Kind == "cube" && t.Layers != 6 {
			return jsonfile.At(jsonfile.Bad("%d, but a cube has 6 faces", t.Layers), "textures", jsonfile.Index(i), "layers")
		}
		if err := twice("textures", i, "t", t.Number); err != nil {
			return err
		}
	}
	for i := range s.Samplers {
		if err := twice("samplers", i, "s", s.Samplers[i].Number); err != nil {
			return err
		}
	}
	return nil
}

func (s *Scene) checkTargets() error {
	seen := map[int]bool{}
	for i := range s.Targets {
		t := &s.Targets[i]
		switch {
		case seen[t.Index]:
			return jsonfile.At(jsonfile.Bad("%d is given twice", t.Index), "targets", jsonfile.Index(i), "index")
		case len(t.Registers) < t.Components:
			return jsonfile.At(jsonfile.Bad("%d registers for %d components", len(t.Registers), t.Components), "targets", jsonfile.Index(i))
		}
		seen[t.Index] = true
	}
	return nil
}

func (t *Fragments) check() error {
	lanes := t.Launch.Lanes
	if lanes == 0 || lanes > 64 || lanes%4 != 0 {
		return jsonfile.At(jsonfile.Bad("%d lanes, want quads, up to 64", lanes), "launch")
	}
	for _, part := range []struct {
		name string
		s    *casefile.State
	}{{"initial", t.Initial}, {"final", t.Final}} {
		if extra := slices.Sorted(maps.Keys(part.s.Extra)); len(extra) > 0 {
			return jsonfile.At(jsonfile.Bad("unknown key"), part.name, extra[0])
		}
		if err := part.s.Check(lanes); err != nil {
			return jsonfile.Under(part.name, err)
		}
	}
	return nil
}
