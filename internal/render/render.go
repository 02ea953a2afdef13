package render

import (
	"context"
	"fmt"
	"image"
	"math"
	"time"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/isa"
)

// Options control how programs run.
type Options struct {
	Engine   exec.Engine
	Workers  int // limit; 0: the number of processors of the host
	Limits   exec.Limits
	Watcher  exec.Prober // observes the waves; nil: none. Draws then have one worker
	Policy   exec.Policy
	Progress func(At) // called after each tile of the picture, from any goroutine; may be nil
	// Text is called for each program of a scene that is assembly; may be nil.
	Text func(t *isa.Target, file string, text []byte)
}

// An At is the progress of a picture: completed draws, their total, and tiles of the current draw.
type At struct{ Draw, Draws, Tile, Tiles int }

// A Result is a picture and statistics. Together with an error the picture is what was drawn until then.
type Result struct {
	exec.Counters
	Image     *image.NRGBA // row 0 at the top
	Vertices  int
	Triangles int
	Draws     int
	Time      time.Duration
}

// Scene draws a scene.
func Scene(ctx context.Context, s *casefile.Scene, o Options) (*Result, error) {
	p, err := Prepare(ctx, s, o)
	if err != nil {
		return nil, err
	}
	return p.Draw(ctx, nil)
}

// A Prepared is a scene that has been loaded, for any number of draws, one at a time. Compiled code of its programs is
// kept between draws.
type Prepared struct {
	Options Options
	width   int
	height  int
	color   draw.Vec4 // that pictures are cleared to
	depth   float32
	draws   []*draw.Call
	depths  []float32 // of the previous picture
}

// Prepare loads a scene.
func Prepare(ctx context.Context, s *casefile.Scene, o Options) (*Prepared, error) {
	t, err := loadScene(ctx, s)
	if err != nil {
		return nil, err
	}
	t.text = o.Text
	c := s.ClearColor
	p := &Prepared{Options: o, width: s.Width, height: s.Height, depth: float32(s.ClearDepth),
		color: draw.Vec4{float32(c[0]), float32(c[1]), float32(c[2]), float32(c[3])}, draws: make([]*draw.Call, len(s.Draws))}
	for i := range s.Draws {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if p.draws[i], err = t.draw(&s.Draws[i], o); err != nil {
			return nil, fmt.Errorf("%s: draw %s: %w", s.File, s.Draws[i].Name, err)
		}
	}
	return p, draw.CheckSize(s.Width, s.Height)
}

// Draw draws the scene onto a picture of its size that is no longer needed, such as that of the previous draw; nil:
// onto a new one.
func (p *Prepared) Draw(ctx context.Context, onto *image.NRGBA) (*Result, error) {
	size := image.Rect(0, 0, p.width, p.height)
	if onto == nil {
		onto = image.NewNRGBA(size)
	}
	if onto.Rect != size || onto.Stride != 4*p.width {
		return nil, fmt.Errorf("picture of %v to draw one of %v onto", onto.Rect, size)
	}
	if p.depths == nil {
		p.depths = make([]float32, p.width*p.height)
	}
	canvas := &draw.Canvas{Width: p.width, Height: p.height, Color: onto.Pix, Depth: p.depths, Turned: true}
	canvas.Clear(p.color, p.depth)
	r, err := run(ctx, canvas, p.draws, p.Options)
	r.Image = onto
	return r, err
}

// run performs draws in order. It modifies them.
func run(ctx context.Context, canvas *draw.Canvas, draws []*draw.Call, o Options) (*Result, error) {
	r := &Result{}
	for i, d := range draws {
		if d.Workers = o.Workers; o.Watcher != nil {
			d.Workers = 1
		}
		if o.Progress != nil {
			d.Progress = func(done, all int) { o.Progress(At{i, len(draws), done, all}) }
		}
		res, err := d.Run(ctx, canvas)
		r.Add(&res.Counters)
		r.Vertices, r.Triangles, r.Time = r.Vertices+res.Vertices, r.Triangles+res.Triangles, r.Time+res.Time
		if err != nil {
			canvas.Settle(false)
			return r, err
		}
		r.Draws++
	}
	canvas.Settle(false)
	return r, nil
}

// A FragmentRun is a fragment program over a whole picture. Varying 6 is the position in the picture, u and v from 0 at
// the lower left to 1, 0, 1; varying 7 is the time, width, height, and width/height.
type FragmentRun struct {
	ISA, File     string
	Code          []byte // contents of File: text or machine code
	Width, Height int
	Time          float64
	Constants     []casefile.SceneConstant
}

// Slots of FragmentRun's inputs.
const (
	slotUV   = 6
	slotTime = 7
)

// Fragment runs a fragment program once for each pixel.
func Fragment(ctx context.Context, f *FragmentRun, o Options) (*Result, error) {
	t, err := newTarget(f.ISA)
	if err != nil {
		return nil, err
	}
	t.text = o.Text
	stage, read, err := t.stage(f.File, f.Code, "fragment", f.Constants, nil)
	if err != nil {
		return nil, err
	}
	if err := draw.CheckSize(f.Width, f.Height); err != nil {
		return nil, err
	}
	d := &draw.Call{
		Name: "picture", Count: 4, Primitive: draw.Strip, Inputs: make([][]draw.Vec4, draw.Varyings), Used: read.Varyings(),
		Viewport: draw.Viewport{W: f.Width, H: f.Height},
		Shader:   t.shader("picture", nil, stage, read, false, o), ByTriangle: t.graphics.ByTriangle,
	}
	w, h := float32(f.Width), float32(f.Height)
	for i := range 4 {
		u, v := float32(i%2), float32(i/2)
		d.Inputs[0] = append(d.Inputs[0], draw.Vec4{2*u - 1, 2*v - 1, 0, 1})
		d.Inputs[slotUV] = append(d.Inputs[slotUV], draw.Vec4{u, v, 0, 1})
		d.Inputs[slotTime] = append(d.Inputs[slotTime], draw.Vec4{float32(f.Time), w, h, w / h})
	}
	p := &Prepared{Options: o, width: f.Width, height: f.Height, depth: 1, draws: []*draw.Call{d}}
	return p.Draw(ctx, nil)
}

// words returns the bits of floats.
func words(values []float64) (w []uint32) {
	for _, x := range values {
		w = append(w, math.Float32bits(float32(x)))
	}
	return w
}
