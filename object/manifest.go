package object

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/heddle-gpu/heddle/internal/jsonfile"
	"io"
	"math"
	"path/filepath"
	"strings"

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
	maxBuffer    = limit.BufferBytes // of one buffer, and of all buffers in total
	maxLocal     = 64 << 10
	maxGroup     = 1024
	maxGrid      = math.MaxUint32
	maxSide      = limit.PictureSide // pixels of a picture
	maxManyItems = 4096              // of any list
	maxWave      = 64                // lanes
)

// A Manifest is a kernel with its builds, buffers and launches. File names in it are relative to its folder and do not
// leave it, nor do links that they lead to.
type Manifest struct {
	File         string // the manifest's own path, as given
	Format       string
	Name         string
	Source       string
	BuildOptions []string
	Variants     []Build
	Buffers      []Buffer // in the order of the file
	Launches     []Launch // in order; they share the buffers
	Pictures     []Picture
	ExpectedFrom string
	Extra        map[string]json.RawMessage

	// AllowOutside lets links lead out of the manifest's folder. It is not a key of manifests.
	AllowOutside bool
	// Assemble assembles a build whose file is assembly, by its name; nil: such builds are errors.
	Assemble func(b *Build, file string, text []byte) ([]byte, error)
}

// A Build is one code object of the kernel.
type Build struct {
	File              string
	Listing           string
	ISA               string
	Variant           string // gfx6, gfx7, gfx8
	Target            string // gfx803
	CodeObjectVersion int
	Compiler          string
	Opt               string
	ListingFrom       string
	// Address is the address of code without a descriptor. For assembly with a .base directive, Assemble sets it.
	Address uint64
	// Bare is set, for gcn, if File is code without a descriptor, or assembly of such: kernels start as with heddle run
	// for bare code.
	Bare *BareBuild
	// Instructions is for assembly in which some instructions have no public encoding: after ReadCode it holds all
	// instructions, from Assemble, for the launch package of the instruction set. Otherwise nil.
	Instructions any
	// From is the source of assembled code, from Assemble; nil: unknown.
	From *loc.Map
}

// A BareBuild replaces the descriptor of a code object.
type BareBuild struct {
	LDS     int // bytes of LDS per workgroup
	Scratch int // bytes of scratch per lane
	// Descriptor holds further fields that define the initial state of a wave; nil: as with heddle run for bare code.
	Descriptor *BareDescriptor
}

// A BareDescriptor is the words of a kernel descriptor that define the initial state of a wave.
type BareDescriptor struct {
	Rsrc1, Rsrc2 uint32 // compute_pgm_rsrc1, compute_pgm_rsrc2
	Properties   uint32 // kernel_code_properties, of 16 bits
}

// A Buffer is global memory that the launches share.
type Buffer struct {
	Name    string
	Bytes   int
	Elem    string        // numpy's name: float32, uint8
	Init    string        // a file of little-endian bytes, or zero
	Expect  string        // a file; empty for inputs, which must not change unless skipped
	Compare BufferCompare // zero value: bytes
	Address uint64        // 64 bits, for Tesla 32; assigned if the manifest has none, but 0 for Tesla
	// ReadOnly is, for GCN, whether kernels cannot write to it.
	ReadOnly bool
	// Words are, for Valhall and Rogue, its initial contents, in place of Init: numbers and addresses.
	Words []LaunchArg
	// Space is, for Tesla, its address space: global0 to global15, const0 to const15. Constants are read only.
	Space string
}

// BufferCompare is how a buffer is compared with its expected contents.
type BufferCompare struct {
	Type    string  // u32, f32, f64, f16; empty if not stated
	Mode    string  // exact, ulp_or_abs (either bound suffices), skip; empty is exact
	ULP     int     // of ulp_or_abs
	Abs     float64 // of ulp_or_abs
	NaNAny  bool
	ZeroAny bool
}

// A Launch is one dispatch.
type Launch struct {
	Kernel       string
	WorkDim      int
	Grid         [3]int // work-items; a multiple of Block, except for GCN, which supports partial groups
	Block        [3]int // work-items of a workgroup
	GlobalOffset [3]int
	Args         []LaunchArg // as the kernel declares them; for Valhall the uniform words from u0 up, for Rogue the shared registers from sh0 up
	ABI          string      // for Tesla: cuda, also if empty, or mesa
	// For GCN:
	Kernarg   []byte           // the bytes of the arguments in memory, in place of Args; nil: use Args
	Registers map[string]Words // of 32 bits, initial values for a wave: one word for all lanes, or one per lane
	// For Valhall; Options also for Rogue and Tesla, bytes also for Tesla:
	SharedBytes  int               // memory of a workgroup
	PrivateBytes int               // memory of a thread
	Preload      int               // bit i: r48+i is preloaded; 0: all that are available to compute programs
	Options      map[string]string // of the instruction set
	Resources    [][]string        // names of buffers by table of the resource table; "": a null descriptor
}

// A LaunchArg is a buffer's address, a size of local memory, a number, or bytes.
type LaunchArg struct {
	Buffer     string // name, if it is a buffer
	LocalBytes int    // if it is local memory, else 0
	Type       string // i8, u8, i16, u16, f16, i32, u32, f32, i64, u64, f64, if it is a number
	Bits       uint64 // of the number, zero above the type's width
	Data       []byte // by value, if it is none of the others
}

// A Picture shows a buffer as an image, rows from the top. It is an extension of the format.
type Picture struct {
	Name          string
	Buffer        string
	Width, Height int
	Format        string  // see pixelSize
	Scale         string  // of the gray formats: linear (also if empty) or log
	Min, Max      float64 // gray: shown black and white; escape-u32: Max is the count of points inside
}

// pixelSize returns the bytes of a pixel in a format; ok reports whether the format exists.
func pixelSize(format string) (n int, ok bool) {
	switch format {
	case "rgba8": // bytes red, green, blue, alpha
		return 4, true
	case "gray8":
		return 1, true
	case "gray-u32", "gray-f32":
		return 4, true
	case "escape-u32": // iterations until escape, coloured by the viewer
		return 4, true
	}
	return 0, false
}

// elemSize returns the bytes of an element type of buffers; ok reports whether the type exists.
func elemSize(elem string) (n int, ok bool) {
	switch elem {
	case "int8", "uint8":
		return 1, true
	case "int16", "uint16", "float16":
		return 2, true
	case "int32", "uint32", "float32":
		return 4, true
	case "int64", "uint64", "float64":
		return 8, true
	}
	return 0, false
}

// ReadManifest reads a manifest, plain or gzip, and checks that it is consistent. Referenced files are not opened. The
// error is an *Error with file and key.
func ReadManifest(r io.Reader, file string) (*Manifest, error) {
	b, err := plain(r)
	if err != nil {
		return nil, &Error{Code: "syntax", File: file, Line: 1, Msg: err.Error()}
	}
	v, e := readWhole(b, file, limit.Manifest)
	if e != nil {
		return nil, e
	}
	v = bytes.TrimSpace(v)
	if err := validJSON(v); err != nil {
		return nil, &Error{Code: "syntax", File: file, Line: 1 + err.line, Msg: err.msg}
	}
	m := &Manifest{File: file}
	err = readObject(m, v, &manifestKeys, &m.Extra)
	if err == nil {
		err = m.check(hasKey(v, "format"))
	}
	var k *jsonfile.Error
	if errors.As(err, &k) {
		key := k.Path()
		if key == "" {
			key = "manifest"
		}
		return nil, &Error{Code: "value", File: file, Key: key, Msg: k.Msg}
	}
	if err != nil {
		return nil, &Error{Code: "value", File: file, Key: "manifest", Msg: err.Error()}
	}
	return m, nil
}

// ReadManifestFile reads the manifest at path.
func ReadManifestFile(path string) (*Manifest, error) {
	f, err := limit.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadManifest(f, path)
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
	if b.Init == "zero" {
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

// localFile reads a file name that stays in the manifest's folder.
func localFile(v []byte) (string, error) {
	s, err := jsonString(v)
	if err != nil {
		return "", err
	}
	if !filepath.IsLocal(s) || strings.ContainsAny(s, "\\\x00") {
		return "", badValue("%q is not a file name inside the manifest's folder", clip(s))
	}
	return s, nil
}
