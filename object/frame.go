package object

import (
	"bytes"
	"errors"
	"fmt"
	"github.com/heddle-gpu/heddle/internal/jsonfile"
	"io"

	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/internal/spell"
)

// A Frame is a simulator's recording of a draw: programs, and their invocations with what each read and wrote. A whole
// frame also has the picture; a sample of a trace has none. File names in it are relative to its folder and do not
// leave it.
type Frame struct {
	File     string // its own path, as given
	Name     string
	ISA      string
	Variant  string
	Tool     string
	Source   string
	Format   string // description of the keys
	Image    *FrameImage
	Programs []FrameProgram
	Runs     []FrameRun // in the order of execution

	// AllowOutside lets a link lead out of the frame's folder. It is not a key of frames.
	AllowOutside bool
}

// A FrameImage is the resulting picture of the fragments, by the rule frameRule.
type FrameImage struct {
	File          string // PPM, plain or gzip
	Width, Height int
}

// A FrameProgram is a program with the constants that it ran with.
type FrameProgram struct {
	Stage   string // vertex, fragment
	Code    []byte
	Asm     []string // the simulator's own text, one instruction per entry
	Uniform map[string]Words
}

// A FrameRun is one invocation: of a vertex, or of a quad of fragments that share a program counter.
type FrameRun struct {
	Program int
	In, Out []Vectors     // by lane; outputs that are all zero are left out
	Kill    []bool        // by lane; none for vertices
	Covered []bool        // by lane, before the program; none for vertices
	Tex     [][][4]uint32 // [executed texture instruction][lane]: what it returned
}

// Vectors are registers of four words by name.
type Vectors map[string][4]uint32

// frameRule is the only supported rule by which outputs become pixels; H is the last row.
const frameRule = "framebuffer starts as 0,0,0; for each quad in order and each lane with covered=1 and kill=0: " +
	"pixel (x,y)=(i0.x,i0.y) as integers, rgb byte = trunc(clamp(o1,0,1)*255); image row 0 is y=%d"

// Limits of a frame, far above any recorded one.
const (
	maxFrameRuns  = 1 << 20
	maxFrameLanes = 64
	maxFrameImage = 4096 // pixels of a side
	maxFrameTex   = 1 << 12
	maxFrameCode  = 1 << 16 // bytes of code of a program
)

// ReadFrame reads a frame or sample, plain or gzip, and checks that it is consistent. It does not open the picture. The
// error is an *Error with file and key.
func ReadFrame(r io.Reader, file string) (*Frame, error) {
	fail := func(code, key, msg string) error {
		e := &Error{Code: code, File: file, Key: key, Msg: msg}
		if key == "" {
			e.Line = 1
		}
		return e
	}
	b, err := plain(r)
	if err != nil {
		return nil, fail("syntax", "", err.Error())
	}
	v, e := readWhole(b, file, limit.Frame)
	if e != nil {
		return nil, e
	}
	v = bytes.TrimSpace(v)
	if err := validJSON(v); err != nil {
		return nil, &Error{Code: "syntax", File: file, Line: 1 + err.line, Msg: err.msg}
	}
	f := &Frame{File: file}
	if err = readObject(f, v, &frameKeys, nil); err == nil {
		err = f.check()
	}
	var k *jsonfile.Error
	switch {
	case err == nil:
		return f, nil
	case errors.As(err, &k) && k.Path() != "":
		return nil, fail("value", k.Path(), k.Msg)
	}
	return nil, fail("value", "frame", err.Error())
}

// ReadFrameFile reads the frame at path.
func ReadFrameFile(path string) (*Frame, error) {
	f, err := limit.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadFrame(f, path)
}

// Picture reads the frame's image: three bytes per pixel, rows from the top.
func (f *Frame) Picture() ([]byte, error) {
	fail := func(msg string) error {
		return &Error{Code: "value", File: f.File, Key: "image.file", Msg: msg}
	}
	if f.Image == nil {
		return nil, fail("there is no image")
	}
	file, err := limit.Folder{Of: f.File, What: "frame", Outside: f.AllowOutside}.Open(f.Image.File)
	if err != nil {
		return nil, fail(err.Error())
	}
	defer file.Close()
	r, err := plain(file)
	if err != nil {
		return nil, fail(f.Image.File + ": " + err.Error())
	}
	header := fmt.Sprintf("P6\n%d %d\n255\n", f.Image.Width, f.Image.Height)
	size := len(header) + 3*f.Image.Width*f.Image.Height
	data, err := io.ReadAll(io.LimitReader(r, int64(size)+1))
	switch {
	case err != nil:
		return nil, fail(err.Error())
	case !bytes.HasPrefix(data, []byte(header)):
		return nil, fail(fmt.Sprintf("%s begins with %q, want %q", f.Image.File, clip(string(data)), header))
	case len(data) != size:
		return nil, fail(fmt.Sprintf("%s has %s or more, want %d", f.Image.File, spell.Count(len(data), "byte"), size))
	}
	return data[len(header):], nil
}
