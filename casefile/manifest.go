package casefile

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/heddle-gpu/heddle/internal/jsonfile"
	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/loc"
)

// Values of the key format in manifests.
const (
	ManifestFormat        = "heddle-gcn-kernel-1"
	ValhallManifestFormat = "heddle-valhall-kernel-1"
	RogueManifestFormat   = "heddle-rogue-kernel-1"
	TeslaManifestFormat   = "heddle-tesla-kernel-1"
)

// manifestFormats are the formats of manifests by the instruction set of their builds.
var manifestFormats = [...]struct{ isa, format string }{{"gcn", ManifestFormat}, {"valhall", ValhallManifestFormat}, {"rogue", RogueManifestFormat}, {"tesla", TeslaManifestFormat}}

// ManifestFormatOf returns the format of manifests of an instruction set; "" if there is none.
func ManifestFormatOf(isa string) string {
	for _, f := range manifestFormats {
		if f.isa == isa {
			return f.format
		}
	}
	return ""
}

// Addresses of buffers in manifests of Valhall and Rogue: buffers without an address are placed from valhallFirst up.
const (
	valhallFirst = 1 << 32
	valhallAlign = 1 << 16
	ValhallEnd   = 1 << 46 // buffers lie below, those of Rogue too
)

// Limits of a manifest.
const (
	maxBuffer = limit.BufferBytes // of one buffer, and of all buffers in total
	maxGroup  = 1024
	maxWave   = 64 // lanes
)

// A Manifest is a kernel with its builds, buffers and launches. File names in it are relative to its folder and do not
// leave it, nor do links that they lead to.
type Manifest struct {
	File         string                     `json:"-"` // the manifest's own path, as given
	Format       string                     `json:"format" need:"true" one:"heddle-gcn-kernel-1|heddle-valhall-kernel-1|heddle-rogue-kernel-1|heddle-tesla-kernel-1"`
	Name         string                     `json:"name" need:"some"`
	Source       string                     `json:"source"`
	BuildOptions []string                   `json:"build_options"`
	Variants     []Build                    `json:"variants" need:"some"`
	Buffers      []Buffer                   `json:"buffers" by:"Name"`    // in the order of the file
	Launches     []Launch                   `json:"launches" need:"some"` // in order; they share the buffers
	Pictures     []Picture                  `json:"pictures"`
	ExpectedFrom string                     `json:"expected_from"`
	Extra        map[string]json.RawMessage `json:"-" unknown:"keep"`

	// AllowOutside lets links lead out of the manifest's folder. It is not a key of manifests.
	AllowOutside bool `json:"-"`
	// Assemble assembles a build whose file is assembly, by its name; nil: such builds are errors.
	Assemble func(b *Build, file string, text []byte) ([]byte, error) `json:"-"`
}

// A Build is one code object of the kernel.
type Build struct {
	File              string `json:"file" need:"some" is:"file"`
	Listing           string `json:"listing" is:"file"`
	ISA               string `json:"isa" need:"some"`
	Variant           string `json:"variant" need:"some"` // gfx6, gfx7, gfx8
	Target            string `json:"target"`              // gfx803
	CodeObjectVersion int    `json:"code_object_version" range:"2..6"`
	Compiler          string `json:"compiler"`
	Opt               string `json:"opt"`
	ListingFrom       string `json:"listing_from"`
	// Address is the address of code without a descriptor. For assembly with a .base directive, Assemble sets it.
	Address uint64 `json:"address"`
	// Bare is set, for gcn, if File is code without a descriptor, or assembly of such: kernels start as with heddle run
	// for bare code.
	Bare *BareBuild `json:"bare"`
	// Instructions is for assembly in which some instructions have no public encoding: after ReadCode it holds all
	// instructions, from Assemble, for the platform of the instruction set. Otherwise nil.
	Instructions any `json:"-"`
	// From is the source of assembled code, from Assemble; nil: unknown.
	From *loc.Map `json:"-"`
}

// A BareBuild replaces the descriptor of a code object.
type BareBuild struct {
	LDS     int `json:"lds_bytes" range:"0..0x10000"`     // per workgroup
	Scratch int `json:"scratch_bytes" range:"0..0x10000"` // per lane
	// Descriptor holds further fields that define the initial state of a wave; nil: as with heddle run for bare code.
	Descriptor *BareDescriptor `json:"descriptor"`
	Tiling     *Tiling         `json:"tiling"` // nil: the code accesses only linear images
}

// A Tiling is the registers by which a chip lays out tiled images, as its kernel driver sets them.
type Tiling struct {
	AddrConfig uint32     `json:"gb_addr_config" need:"true"`
	Modes      [32]uint32 `json:"gb_tile_modes" need:"true"`
	Macro      [16]uint32 `json:"gb_macrotile_modes"` // not of gfx6
}

// A BareDescriptor is the words of a kernel descriptor that define the initial state of a wave.
type BareDescriptor struct {
	Rsrc1      uint32 `json:"compute_pgm_rsrc1" need:"true"`
	Rsrc2      uint32 `json:"compute_pgm_rsrc2" need:"true"`
	Properties uint32 `json:"kernel_code_properties" is:"word16"`
	// ScratchWave, if not 0, is the scratch of a wave in bytes that the code has in a buffer: the scratch wave offset of
	// wave n of a group is n times as much, and the launch has no scratch of its own.
	ScratchWave int `json:"scratch_wave_bytes" range:"0..0x800000"`
	// Initiator is ORDERED_APPEND_ENBL (8) and ORDERED_APPEND_MODE (16) of COMPUTE_DISPATCH_INITIATOR: ds_ordered_count
	// takes the waves, or the groups, in their order.
	Initiator uint32 `json:"compute_dispatch_initiator"`
}

// A Buffer is global memory that the launches share. The tag sets, here and in launches, names the instruction sets
// whose manifests have a key; without it all have it.
type Buffer struct {
	Name  string `json:"-"`
	Bytes int    `json:"bytes" need:"true" range:"1..BufferBytes"`
	Elem  string `json:"elem" need:"some" one:"int8|uint8|int16|uint16|float16|int32|uint32|float32|int64|uint64|float64"` // numpy's name
	// Space is its address space: global0 to global15, const0 to const15. Constants are read only.
	Space    string        `json:"space" sets:"tesla"`
	Address  uint64        `json:"address"`                    // 64 bits, for Tesla 32; assigned if the manifest has none, but 0 for Tesla
	ReadOnly bool          `json:"read_only" sets:"gcn"`       // whether kernels cannot write to it
	Init     string        `json:"init" is:"file"`             // a file of little-endian bytes, zero or undef
	Words    []LaunchArg   `json:"words" sets:"valhall rogue"` // its initial contents, in place of Init: numbers and addresses
	Expect   string        `json:"expect" is:"file"`           // a file; empty for inputs, which must not change unless skipped
	Compare  BufferCompare `json:"compare"`                    // zero value: bytes
}

// Input reports whether the buffer is an input, which must not change.
func (b *Buffer) Input() bool { return b.Expect == "" && b.Compare.Mode != "skip" && !b.Unset() }

// Unset reports that nothing sets the bytes before the first launch. Without a sanitizer they are 0. Without an
// expectation such a buffer holds what launches leave to each other, and is not compared.
func (b *Buffer) Unset() bool { return b.Init == "undef" }

// BufferCompare is how a buffer is compared with its expected contents.
type BufferCompare struct {
	Mode    string  `json:"mode" one:"exact|ulp_or_abs|skip"` // ulp_or_abs: either bound suffices; empty is exact
	Type    string  `json:"type" one:"u32|f32|f64|f16"`       // empty if not stated
	ULP     int     `json:"ulp" range:"0..0x80000000"`        // of ulp_or_abs
	Abs     float64 `json:"abs"`                              // of ulp_or_abs
	NaNAny  bool    `json:"nan" is:"any"`
	ZeroAny bool    `json:"zero_sign" is:"any"`
}

// A Launch is one dispatch.
type Launch struct {
	Kernel       string `json:"kernel" need:"some"`
	WorkDim      int    `json:"work_dim" need:"true" range:"1..3"`
	Grid         [3]int `json:"grid" need:"true" range:"1..0xffffffff"` // work-items; a multiple of Block, except for GCN, which supports partial groups
	Block        [3]int `json:"block" need:"true" range:"1..1024"`      // work-items of a workgroup
	GlobalOffset [3]int `json:"global_offset" range:"0..0xffffffff"`
	ABI          string `json:"abi" one:"cuda|mesa" sets:"tesla"` // empty: cuda
	// Args are as the kernel declares them; for Valhall the uniform words from u0 up, for Rogue the shared registers
	// from sh0 up.
	Args []LaunchArg `json:"args"`
	// Kernarg is the bytes of the arguments in memory, in place of Args; nil: use Args.
	Kernarg []byte `json:"kernarg" sets:"gcn"`
	// Registers are initial values for a wave, of 32 bits: one word for all lanes, or one per lane.
	Registers    map[string]Words  `json:"registers" sets:"gcn"`
	SharedBytes  int               `json:"shared_bytes" range:"1..0x10000" sets:"valhall tesla"`                         // memory of a workgroup
	PrivateBytes int               `json:"private_bytes" range:"1..0x10000" sets:"valhall tesla"`                        // memory of a thread
	Preload      int               `json:"preload" is:"word" range:"1..0xffff" of:"a mask of r48 to r63" sets:"valhall"` // 0: all that are available to compute programs
	Options      map[string]string `json:"options" sets:"valhall rogue tesla"`                                           // of the instruction set
	Resources    [][]string        `json:"resources" most:"63" sets:"valhall"`                                           // names of buffers by table of the resource table; "": a null descriptor
}

// A Picture shows a buffer as an image, rows from the top. It is an extension of the format.
type Picture struct {
	Name   string  `json:"name" need:"some"`
	Buffer string  `json:"buffer" need:"some"`
	Width  int     `json:"width" need:"true" range:"1..PictureSide"`
	Height int     `json:"height" need:"true" range:"1..PictureSide"`
	Format string  `json:"format" need:"some" one:"rgba8|gray8|gray-u32|gray-f32|escape-u32"` // bytes red, green, blue, alpha; escape-u32: iterations until escape, coloured by the viewer
	Scale  string  `json:"scale" one:"linear|log"`                                            // of the gray formats; empty: linear
	Min    float64 `json:"min"`                                                               // gray: shown black
	Max    float64 `json:"max"`                                                               // gray: shown white; escape-u32: the count of points inside
}

// size returns the bytes of a pixel.
func (p *Picture) size() int {
	if p.Format == "gray8" {
		return 1
	}
	return 4
}

// elemSize returns the bytes of an element.
func (b *Buffer) elemSize() int {
	switch {
	case strings.HasSuffix(b.Elem, "64"):
		return 8
	case strings.HasSuffix(b.Elem, "32"):
		return 4
	case strings.HasSuffix(b.Elem, "16"):
		return 2
	}
	return 1
}

// ReadManifest reads a manifest, plain or gzip, and checks that it is consistent. Referenced files are not opened. The
// error is an *Error with file and key.
func ReadManifest(r io.Reader, file string) (*Manifest, error) {
	m := &Manifest{File: file}
	if err := ReadDocument(r, file, limit.Manifest, m, m.check); err != nil {
		return nil, err
	}
	return m, nil
}

// ReadManifestFile reads the manifest at path.
func ReadManifestFile(path string) (*Manifest, error) {
	return limit.ReadWith(path, ReadManifest)
}

// JSON returns the text of the manifest, which ReadManifest can read. Keys with default values are left out, and so is
// Extra.
func (m *Manifest) JSON() ([]byte, error) {
	text, err := jsonfile.Write(m)
	if err != nil {
		return nil, fmt.Errorf("manifest %s: %w", m.Name, err)
	}
	return text, nil
}

// Path returns the path of a file that the manifest names. It may be a link that leads out of the folder: ReadCode and
// the readers of buffers check that.
func (m *Manifest) Path(name string) string { return m.folder().Path(name) }

func (m *Manifest) folder() limit.Folder {
	return limit.Folder{Of: m.File, What: "manifest", Outside: m.AllowOutside}
}

// ReadCode reads the file of a build, and assembles it if its name ends in .s or .asm.
func (m *Manifest) ReadCode(b *Build) ([]byte, error) {
	data, err := m.folder().Read(b.File, limit.Code)
	if ext := filepath.Ext(b.File); err != nil || ext != ".s" && ext != ".asm" {
		return data, err
	}
	if m.Assemble == nil {
		return nil, &Error{Code: "value", File: m.File, Key: "variants", Msg: b.File + " is assembly, and there is no assembler here"}
	}
	return m.Assemble(b, m.Path(b.File), data)
}

// Buffer returns a buffer by name.
func (m *Manifest) Buffer(name string) (*Buffer, bool) {
	for i := range m.Buffers {
		if m.Buffers[i].Name == name {
			return &m.Buffers[i], true
		}
	}
	return nil, false
}

// InitData returns the bytes of a buffer before the first launch. The caller owns them.
func (m *Manifest) InitData(b *Buffer) ([]byte, error) {
	if b.Words != nil {
		data, err := m.Words(b.Words)
		return append(data, make([]byte, max(0, b.Bytes-len(data)))...), err
	}
	if b.Init == "zero" || b.Unset() {
		return make([]byte, b.Bytes), nil
	}
	return m.contents(b, "init", b.Init)
}

// ExpectData returns the bytes expected after the last launch: for an input its initial contents. The caller owns them.
func (m *Manifest) ExpectData(b *Buffer) ([]byte, error) {
	if b.Expect == "" {
		return m.InitData(b)
	}
	return m.contents(b, "expect", b.Expect)
}

// contents reads a file that must have the buffer's size.
func (m *Manifest) contents(b *Buffer, key, name string) ([]byte, error) {
	fail := func(msg string) error {
		return &Error{Code: "value", File: m.File, Key: "buffers." + b.Name + "." + key, Msg: msg}
	}
	f, err := m.folder().Open(name)
	if err != nil {
		return nil, fail(err.Error())
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() != int64(b.Bytes) { // checked before memory is allocated
		return nil, fail(fmt.Sprintf("%s has %s, the buffer %d", name, spell.Count(info.Size(), "byte"), b.Bytes))
	}
	data := make([]byte, b.Bytes)
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, fail(err.Error())
	}
	return data, nil
}
