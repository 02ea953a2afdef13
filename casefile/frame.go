package casefile

import (
	"bytes"
	"fmt"
	"io"

	"github.com/heddle-gpu/heddle/internal/jsonfile"
	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/internal/spell"
)

// A Frame is a simulator's recording of a draw: programs, and their invocations with what each read and wrote. A whole
// frame also has the picture; a sample of a trace has none. File names in it are relative to its folder and do not
// leave it.
type Frame struct {
	File     string         `json:"-"` // its own path, as given
	Name     string         `json:"name" need:"some"`
	ISA      string         `json:"isa" need:"some"`
	Variant  string         `json:"variant"`
	Tool     string         `json:"tool"`
	Source   string         `json:"source"`
	Format   string         `json:"format"` // description of the keys
	Image    *FrameImage    `json:"image"`
	Programs []FrameProgram `json:"programs" need:"some"`
	Runs     []FrameRun     `json:"runs" need:"some" most:"0x100000"` // in the order of execution

	// AllowOutside lets a link lead out of the frame's folder. It is not a key of frames.
	AllowOutside bool `json:"-"`
}

// A FrameImage is the resulting picture of the fragments, by the rule frameRule.
type FrameImage struct {
	File   string `json:"file" need:"some" is:"file"` // PPM, plain or gzip
	Width  int    `json:"width" need:"true" range:"1..4096"`
	Height int    `json:"height" need:"true" range:"1..4096"`
	Rule   string `json:"rule"` // frameRule
}

// A FrameProgram is a program with the constants that it ran with.
type FrameProgram struct {
	Stage   string           `json:"stage" need:"some" one:"vertex|fragment"`
	Code    []byte           `json:"code" need:"some" most:"0x10000"`
	Asm     []string         `json:"asm"` // the simulator's own text, one instruction per entry
	Uniform map[string]Words `json:"uniform"`
}

// A FrameRun is one invocation: of a vertex, or of a quad of fragments that share a program counter.
type FrameRun struct {
	Program int           `json:"p" default:"-1" range:"0..4096"`
	In      []Vectors     `json:"in" most:"64"`                 // by lane
	Out     []Vectors     `json:"out" most:"64"`                // by lane; outputs that are all zero are left out
	Kill    []bool        `json:"kill" is:"flag" most:"64"`     // by lane; none for vertices
	Covered []bool        `json:"covered" is:"flag" most:"64"`  // by lane, before the program; none for vertices
	Tex     [][][4]uint32 `json:"tex" is:"words" most:"0x1000"` // [executed texture instruction][lane]: what it returned
}

// Vectors are registers of four words by name.
type Vectors map[string][4]uint32

// UnmarshalJSON reads the registers of a lane. One without registers takes no memory, because there may be many.
func (r *Vectors) UnmarshalJSON(v []byte) error {
	return jsonfile.EachMember(v, func(name string, v []byte) error {
		if *r == nil {
			*r = Vectors{}
		}
		var x [4]uint32
		err := jsonfile.Words(v, x[:])
		(*r)[name] = x
		return err
	})
}

// frameRule is the only supported rule by which outputs become pixels; H is the last row.
const frameRule = "framebuffer starts as 0,0,0; for each quad in order and each lane with covered=1 and kill=0: " +
	"pixel (x,y)=(i0.x,i0.y) as integers, rgb byte = trunc(clamp(o1,0,1)*255); image row 0 is y=%d"

// ReadFrame reads a frame or sample, plain or gzip, and checks that it is consistent. It does not open the picture. The
// error is an *Error with file and key.
func ReadFrame(r io.Reader, file string) (*Frame, error) {
	f := &Frame{File: file}
	if err := ReadDocument(r, file, limit.Frame, f, f.check); err != nil {
		return nil, err
	}
	return f, nil
}

// ReadFrameFile reads the frame at path.
func ReadFrameFile(path string) (*Frame, error) {
	return limit.ReadWith(path, ReadFrame)
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
		return nil, fail(fmt.Sprintf("%s begins with %q, want %q", f.Image.File, jsonfile.Clip(string(data)), header))
	case len(data) != size:
		return nil, fail(fmt.Sprintf("%s has %s or more, want %d", f.Image.File, spell.Count(len(data), "byte"), size))
	}
	return data[len(header):], nil
}

// check rejects a frame whose runs do not match its programs.
func (f *Frame) check() error {
	if m := f.Image; m != nil {
		if want := fmt.Sprintf(frameRule, m.Height-1); m.Rule != want {
			return jsonfile.At(jsonfile.Bad("%q is none that is known: %q", jsonfile.Clip(m.Rule), want), "image", "rule")
		}
	}
	for i := range f.Programs {
		for name, w := range f.Programs[i].Uniform {
			if w.List {
				return jsonfile.At(jsonfile.Bad("a list, want one word"), "programs", jsonfile.Index(i), "uniform", name)
			}
		}
	}
	for i := range f.Runs {
		if err := f.checkRun(&f.Runs[i]); err != nil {
			return jsonfile.At(err, "runs", jsonfile.Index(i))
		}
	}
	return nil
}

// checkRun: vertices are single, fragments are quads with flags; a texture instruction has a result for every lane.
func (f *Frame) checkRun(r *FrameRun) error {
	if r.Program < 0 || r.Program >= len(f.Programs) {
		return jsonfile.At(jsonfile.Bad("there is no program %d; there are %d", r.Program, len(f.Programs)), "p")
	}
	lanes, flags := 1, 0
	if f.Programs[r.Program].Stage == "fragment" {
		lanes, flags = 4, 4
	}
	for _, part := range []struct {
		key       string
		got, want int
	}{{"in", len(r.In), lanes}, {"out", len(r.Out), lanes}, {"kill", len(r.Kill), flags}, {"covered", len(r.Covered), flags}} {
		if part.got != part.want {
			return jsonfile.At(jsonfile.Bad("%d lanes, want %d", part.got, part.want), part.key)
		}
	}
	for i := range r.Tex {
		if len(r.Tex[i]) != lanes {
			return jsonfile.At(jsonfile.Bad("%d lanes, want %d", len(r.Tex[i]), lanes), "tex", jsonfile.Index(i))
		}
	}
	return nil
}
