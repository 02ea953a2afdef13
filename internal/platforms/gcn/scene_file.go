package gcn

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/jsonfile"
	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/internal/spell"
)

// A Scene is a draw that a driver recorded, once for each variant: code of the vertex and pixel shader, registers,
// memory; and the expected pixels and buffers. Row 0 is the top. File names in it are relative to its folder and do not
// leave it.
type Scene struct {
	File     string     `json:"-"` // its own path, as given
	Format   string     `json:"format" one:"heddle-gcn-scene-1"`
	Name     string     `json:"name" need:"some"`
	What     string     `json:"what"`
	Size     [2]int     `json:"size" need:"true" range:"1..8192" of:"width and height"`
	Targets  []Target   `json:"targets" need:"some" most:"8"` // by Index
	Mask     string     `json:"mask" is:"file"`               // one byte per pixel, see launch.MaskSkip
	Depth    *Depth     `json:"depth" null:"true"`            // nil: no depth test
	After    []After    `json:"buffers_after"`
	Variants []*Variant `json:"variants" need:"some" by:"Name" most:"8"` // in the order of the file
	_        struct{}   `ignore:"source blend textures vertex_expect checked compared_pixels background_pixels covered_pixels"`

	// AllowOutside lets names, and links at them, lead out of the scene's folder. It is not a key of scenes.
	AllowOutside bool `json:"-"`
}

// A Target is a colour target: MRT Index of the pixel shader.
type Target struct {
	Index        int        `json:"index" range:"0..7"`
	Format       string     `json:"format" need:"some"` // such as rgba8_unorm
	Clear        [4]float64 `json:"clear"`
	Compare      string     `json:"compare" one:"rgba8|f32|u32"` // rgba8: in 1/255 after clamp and rounding; u32: exact; empty: not compared
	Tolerance    float64    `json:"tolerance"`                   // absolute
	ToleranceRel float64    `json:"tolerance_rel"`               // added to Tolerance: this fraction of the value, for f32
	Expect       string     `json:"expect" is:"file"`            // 4 bytes, 4 floats or one word per pixel, as Compare says
	_            struct{}   `ignore:"expect_f32 expect_rgba8"`
}

// Depth is the depth buffer; test and write are in the registers.
type Depth struct {
	Test   string   `json:"test"`
	Write  bool     `json:"write"`
	Clear  float64  `json:"clear" default:"1"`
	Format string   `json:"format" one:"d32_float"`
	_      struct{} `ignore:"pixel_shader_exports_depth"`
}

// After is a buffer to compare with a file after the draw. Its address is in Variant.Buffers.
type After struct {
	Name    string `json:"name"`
	Expect  string `json:"expect" is:"file"`
	Compare string `json:"compare" one:"u32 exact"`
}

// A Variant is the draw for one generation.
type Variant struct {
	Name       string            `json:"-"` // gfx6, gfx7, gfx8
	Vertex     Shader            `json:"vertex_shader" need:"true"`
	Pixel      Shader            `json:"pixel_shader" need:"true"`
	Registers  map[string]uint32 `json:"registers" most:"0x1000"` // context registers by name; missing ones are 0
	Draw       DrawCommand       `json:"draw" need:"true"`
	MemoryFile string            `json:"memory_file" need:"some" is:"file"`
	Memory     []Region          `json:"memory"`
	Buffers    map[string]uint64 `json:"buffer_addrs"` // addresses by name
	Sample     *SampleWave       `json:"sample_wave"`  // nil: none
	_          struct{}          `ignore:"family"`
}

// A Shader is code and the initial state of its waves.
type Shader struct {
	Addr      uint64     `json:"addr"`
	Code      []byte     `json:"code" need:"some" most:"0x100000"`
	Rsrc1     uint32     `json:"rsrc1"` // SPI_SHADER_PGM_RSRC1 of the stage
	Rsrc2     uint32     `json:"rsrc2"`
	UserSGPRs []UserSGPR `json:"user_sgprs"`
	Users     int        `json:"user_sgpr_count" range:"0..16"`             // user SGPRs, those without a value included
	PrimMask  int        `json:"prim_mask_sgpr" default:"-1" range:"0..16"` // SGPR of a pixel shader; -1: not given
	// Decoded fields of rsrc1 and rsrc2, and the code as text.
	_ struct{} `ignore:"vgprs sgprs float_mode dx10_clamp ieee scratch vgpr_comp_cnt asm mnemonics"`
}

// A UserSGPR is the value of a user SGPR.
type UserSGPR struct {
	SGPR  int      `json:"sgpr" range:"0..15"`
	Value uint32   `json:"value"`
	_     struct{} `ignore:"what"`
}

// A DrawCommand is the draw command: a list of triangles.
type DrawCommand struct {
	Primitive string `json:"primitive" one:"triangle list"`
	Count     int    `json:"count" need:"true" range:"1..0x40000"` // vertices or indices
	Instances int    `json:"instances" default:"1" range:"1..0x40000"`
	IndexType string `json:"index_type" one:"none|u16|u32"` // empty: none
	IndexAddr uint64 `json:"index_addr"`
}

// indexBytes returns the size of an index; 0: there are none.
func (d *DrawCommand) indexBytes() uint64 {
	switch d.IndexType {
	case "u16":
		return 2
	case "u32":
		return 4
	}
	return 0
}

// A Region is a range of guest memory: Bytes bytes at Offset of the memory file, then zeros up to Size.
type Region struct {
	Addr   uint64 `json:"addr"`
	Size   int    `json:"size" range:"0..0x10000000"`
	Offset int    `json:"offset" range:"0..0x10000000"`
	Bytes  int    `json:"bytes" range:"0..0x10000000"`
	What   string `json:"what"`
	Data   []byte `json:"-"` // of Size bytes, by ReadMemory
}

// A SampleWave is the initial state of one wave of the pixel shader, and its exports.
type SampleWave struct {
	Pixels  Pixels               `json:"pixels" need:"true"` // x, y by lane
	Exec    uint64               `json:"exec"`
	VGPRs   map[int][]uint32     `json:"vgprs" name:"v 255" is:"words" len:"64"` // by register and lane; others are undefined
	Params  map[int][3][4]uint32 `json:"parameters" name:"attr 63"`              // by attribute: of the three vertices
	Exports []Export             `json:"exports" most:"64"`
	_       struct{}             `ignore:"instance first_index vertices"`
}

// Pixels are x, y by lane.
type Pixels [][2]int

// UnmarshalJSON reads "x,y x,y ...", one for each lane.
func (p *Pixels) UnmarshalJSON(v []byte) error {
	text, err := jsonfile.String(v)
	if err != nil {
		return err
	}
	for w := range strings.FieldsSeq(text) {
		x, y, _ := strings.Cut(w, ",")
		a, e1 := strconv.ParseInt(x, 10, 16)
		b, e2 := strconv.ParseInt(y, 10, 16)
		if e1 != nil || e2 != nil {
			return jsonfile.Want("x,y of 64 pixels", v)
		}
		*p = append(*p, [2]int{int(a), int(b)})
	}
	if len(*p) != lanes {
		return jsonfile.Bad("%d, want one for each of %d lanes", len(*p), lanes)
	}
	return nil
}

// An Export is one export of a sample wave. If it is compressed, the values are halves.
type Export struct {
	Target     string      `json:"target"` // mrt0, mrtz, null
	Enable     int         `json:"enable" range:"0..15"`
	Compressed bool        `json:"compressed"`
	Valid      bool        `json:"valid_mask"`
	Done       bool        `json:"done"`
	Exec       uint64      `json:"exec"`
	Values     [4][]uint32 `json:"values" is:"words" len:"64" null:"true"` // by component and lane; nil if not enabled
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

// Variant returns a variant by name; nil if there is none.
func (s *Scene) Variant(name string) *Variant {
	i := slices.IndexFunc(s.Variants, func(v *Variant) bool { return v.Name == name })
	if i < 0 {
		return nil
	}
	return s.Variants[i]
}

// ReadMemory reads the memory of a variant: its ranges with their Data, which the caller may change.
func (s *Scene) ReadMemory(v *Variant) ([]Region, error) {
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
func (s *Scene) ReadMask() ([]byte, error) {
	return s.readSized("mask", s.Mask, s.Size[0]*s.Size[1])
}

// ReadExpect reads the expected contents of a target, as its Compare says: 4 bytes per pixel, or 4 floats, or one word.
func (s *Scene) ReadExpect(i int) ([]byte, error) {
	t := &s.Targets[i]
	how, _ := comparisonOf(t.Compare)
	return s.readSized(fmt.Sprintf("targets[%d].expect", i), t.Expect, how.Bytes()*s.Size[0]*s.Size[1])
}

// ReadAfter reads the expected contents of a buffer after the draw.
func (s *Scene) ReadAfter(i int) ([]byte, error) {
	return s.read(fmt.Sprintf("buffers_after[%d].expect", i), s.After[i].Expect)
}

func (s *Scene) readSized(key, name string, size int) ([]byte, error) {
	data, err := s.read(key, name)
	if err == nil && len(data) != size {
		err = s.fail(key, fmt.Sprintf("%s has %s, want %d", name, spell.Count(len(data), "byte"), size))
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
	if s.Size[0]*s.Size[1]*len(s.Targets) > limit.Pixels {
		return jsonfile.At(jsonfile.Bad("%dx%d pixels of %d targets, at most %d", s.Size[0], s.Size[1], len(s.Targets), limit.Pixels), "size")
	}
	seen := map[int]bool{}
	for i := range s.Targets {
		t := &s.Targets[i]
		switch {
		case seen[t.Index]:
			return jsonfile.At(jsonfile.Bad("%d is given twice", t.Index), "targets", jsonfile.Index(i), "index")
		case t.Compare != "" && t.Expect == "":
			return jsonfile.At(jsonfile.Bad("no expect"), "targets", jsonfile.Index(i))
		}
		seen[t.Index] = true
	}
	for _, v := range s.Variants {
		if err := v.check(s); err != nil {
			return jsonfile.At(err, "variants", v.Name)
		}
	}
	return nil
}

func (v *Variant) check(s *Scene) error {
	for i := range s.After {
		if _, ok := v.Buffers[s.After[i].Name]; !ok {
			return jsonfile.At(jsonfile.Bad("no %q, which buffers_after names; there are %v", s.After[i].Name, slices.Sorted(maps.Keys(v.Buffers))), "buffer_addrs")
		}
	}
	total := 0
	for i := range v.Memory {
		m := &v.Memory[i]
		if m.Bytes > m.Size {
			return jsonfile.At(jsonfile.Bad("%s of %d", spell.Count(m.Bytes, "byte"), m.Size), "memory", jsonfile.Index(i))
		}
		if total += m.Size; total > maxRegions {
			return jsonfile.At(jsonfile.Bad("%d bytes up to here, at most %d", total, maxRegions), "memory", jsonfile.Index(i))
		}
	}
	if v.Sample != nil {
		return jsonfile.At(v.Sample.check(), "sample_wave")
	}
	return nil
}

func (s *SampleWave) check() error {
	for i := range s.Exports {
		e := &s.Exports[i]
		for k := range e.Values {
			if e.Enable>>k&1 != 0 && e.Values[k] == nil {
				return jsonfile.At(jsonfile.Bad("none of component %d, which is enabled", k), "exports", jsonfile.Index(i), "values")
			}
		}
	}
	return nil
}
