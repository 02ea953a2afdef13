package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/fidelity"
	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/internal/render"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/sanitize"
)

type renderCmd struct {
	Scene string `arg:"" optional:"" name:"scene" help:"Scene as JSON, or a folder that holds scene.json."`

	Fragment string   `group:"one program" placeholder:"FILE" help:"Fragment program to run once for each pixel: text or machine code."`
	ISA      string   `group:"one program" name:"isa" placeholder:"ISA" help:"Its instruction set."`
	Size     string   `group:"one program" default:"256x256" placeholder:"WxH" help:"Pixels of the picture (256x256)."`
	Time     float64  `group:"one program" range:".." placeholder:"T" help:"Time that the program finds."`
	Const    []string `group:"one program" sep:"none" placeholder:"NAME=X[,Y...]" help:"A constant of the program, such as c0=1,0.5."`

	Variant string `group:"recorded draw" placeholder:"VARIANT" help:"Variant that is drawn: gfx6, gfx7, gfx8, g80, g200 or a chip's name."`
	Target  int    `group:"recorded draw" range:"0.." placeholder:"N" help:"Colour target that is shown (0)."`

	AllowOutside bool `help:"Let the scene name files outside of its folder, and links to such."`

	Out       string `short:"o" placeholder:"FILE" help:"PNG file to write."`
	Diff      string `group:"comparison" placeholder:"PNG" help:"Compare with this picture; exit code 1 if they differ by more than the tolerance."`
	DiffOut   string `group:"comparison" placeholder:"FILE" help:"Write a picture of the differences, 8 times as strong."`
	Tolerance int    `group:"comparison" range:"0..255" placeholder:"N" help:"Largest difference of a channel that is allowed, of 255."`

	Engine   engineFlag    `default:"auto" placeholder:"NAME" help:"Engine that runs the code: ${engines}. auto is the fastest that can run here."`
	Workers  int           `range:"0..4096" help:"Parts of the picture that are drawn at the same time; 0: as many as processors."`
	MaxSteps uint64        `range:"1.." placeholder:"N" help:"Limit of guest instructions of one vertex or quad."`
	Timeout  time.Duration `range:"0s..8760h" placeholder:"TIME" help:"Limit of time, such as 30s; 0: none."`
	Fidelity bool          `help:"Print how exactly the instructions run that were carried out, by row of the tables, with sources."`
	JSON     bool          `help:"Print JSON."`

	Sanitizing
	Reporting

	Inspection `group:"instruction by instruction"`

	tally  *exec.Tally // for Fidelity
	counts exec.Prober // of heddle profile; nil: none
}

func (c *renderCmd) Help() string {
	return `A scene names programs, vertex data, textures and state; docs/scenes.md describes it. One fragment program
alone runs over the whole picture. It finds its place as varying 6 (u and v, 0 to 1 from the lower left,
0, 1) and time, width, height, width/height as varying 7. ATTILA: varying n is input i<n>, i0 the pixel's
x, y, depth and 0; the colour is o1. Tesla: v[16n+4k] is component k of varying n over w, v[0x0] 1/w; the colour
is $r0 to $r3. Rogue: component k of varying n is the coefficient set at cf[16n+4k-12], over w, cf0 that of 1/w; the colour is four
bytes in po0. A recorded draw holds vertex and pixel shader of GCN, or vertex and fragment program of Tesla, as a
driver compiled them, and what they read, for several chips.

Examples:
  heddle render examples/cube/scene.json -o cube.png
  heddle render --fragment examples/julia/julia.s --isa attila --size 320x240 --time 1.5 -o julia.png
  heddle render cases/render/gcn/mvp_cube --variant gfx8 -o cube.png
  heddle render examples/cube/scene.json -o cube.png --trace=max:20
  heddle render examples/cube/scene.json --diff examples/cube/cube.png --tolerance 2 --diff-out diff.png`
}

// Validate runs before Run.
func (c *renderCmd) Validate() error {
	switch {
	case c.Scene == "" && c.Fragment == "":
		return errors.New("nothing to draw; give a scene, or --fragment FILE --isa ISA")
	case c.Scene != "" && c.Fragment != "":
		return errors.New("a scene and --fragment; give one of them")
	case c.Fragment != "" && c.ISA == "":
		return fmt.Errorf("--isa is missing: the instruction set of %s", c.Fragment)
	case c.Out == "" && c.Diff == "":
		return errors.New("-o is missing: where the picture goes; --diff compares it with another")
	case c.JSON && (c.Out == "-" || c.DiffOut == "-"), c.Out == "-" && c.DiffOut == "-":
		return errors.New("a picture and something else would both go to standard output")
	case c.Fidelity && (c.Out == "-" || c.DiffOut == "-"):
		return errors.New("--fidelity and a picture would both go to standard output")
	case c.DiffOut != "" && c.Diff == "":
		return errors.New("--diff-out without --diff: nothing to compare with")
	}
	if err := errors.Join(c.checkReporting(), c.drawChecks()); err != nil {
		return err
	}
	return c.check(c.Out == "-" || c.DiffOut == "-")
}

// drawChecks rejects checks that do not look at draws.
func (c *renderCmd) drawChecks() error {
	if more := c.checks() &^ check.InDraws; more != 0 && (c.Sanitize.list || c.Races || c.Waits) {
		return fmt.Errorf("--sanitize=%v: draws are only looked at by %v", more, check.InDraws)
	}
	return nil
}

// A rendered is the output of render.
type rendered struct {
	File      string       `json:"file,omitempty"`
	Width     int          `json:"width"`
	Height    int          `json:"height"`
	Draws     int          `json:"draws"`
	Vertices  int          `json:"vertices"`
	Triangles int          `json:"triangles"`
	Steps     uint64       `json:"wave_instructions"`
	Memory    traffic      `json:"memory"`
	Exact     bool         `json:"exact"` // for wave_instructions and memory
	Seconds   float64      `json:"seconds"`
	Diff      *render.Diff `json:"diff,omitempty"`
	// Fidelity is the fidelity of the executed instructions, if requested.
	Fidelity *fidelity.Report `json:"fidelity,omitempty"`
	met
}

func (c *renderCmd) Run(a *app) error {
	return c.observed(a, c.JSON, func() error { return c.run(a) })
}

// run draws and compares.
func (c *renderCmd) run(a *app) error {
	if err := c.readReporting(a); err != nil {
		return err
	}
	return errors.Join(c.picture(a), c.writeFindings(a, "render"))
}

// picture draws and compares.
func (c *renderCmd) picture(a *app) error {
	defer a.deadline(c.Timeout)()
	if err := writable(c.Out, c.DiffOut); err != nil {
		return err
	}
	var other image.Image
	if c.Diff != "" { // before the work
		var err error
		if other, err = readPNG(a, c.Diff); err != nil {
			return err
		}
	}
	res, err := c.draw(a)
	m := c.since(a, err, c.checks()&check.InDraws, c.code())
	c.keepFindings(&m)
	if err != nil {
		err = c.keep(a, res, err)
		if !c.JSON && c.Out != "-" && c.DiffOut != "-" {
			m.print(a, "")
		}
		if c.tally != nil && !c.JSON { // the report is then about the executed instructions
			if r, e := fidelity.Of(c.tally.Ran()); e == nil {
				printFidelity(a, r)
			}
		}
		return err
	}
	size := res.Image.Bounds()
	r := &rendered{c.Out, size.Dx(), size.Dy(), res.Draws, res.Vertices, res.Triangles, res.Instructions, trafficOf(&res.Counters, ""), !res.About, res.Time.Seconds(), nil, nil, m}
	if c.tally != nil {
		if r.Fidelity, err = fidelity.Of(c.tally.Ran()); err != nil {
			return err
		}
	}
	if c.Out != "" {
		if err := a.save(c.Out, pngOf(a.ctx, res.Image)); err != nil {
			return err
		}
	}
	bad := m.err()
	if other != nil {
		differs, err := c.compare(a, r, res.Image, other)
		if err != nil {
			return err
		}
		bad = errors.Join(bad, differs)
	}
	if c.JSON {
		err = a.json(r)
	} else if c.Out != "-" && c.DiffOut != "-" {
		r.print(a)
		m.print(a, "")
		printFidelity(a, r.Fidelity)
	}
	if err != nil {
		return err
	}
	return bad
}

// keep writes the picture at an error, if that is a fault, a timeout or an interrupt, and returns the error.
func (c *renderCmd) keep(a *app, res *render.Result, err error) error {
	var f *exec.Fault
	if res == nil || res.Image == nil || c.Out == "" || c.Out == "-" || res.Vertices == 0 || ended(err) || !errors.As(err, &f) && a.ctx.Err() == nil {
		return err
	}
	a.late = true
	if e := a.save(c.Out, pngOf(context.Background(), res.Image)); e != nil {
		return errors.Join(err, e)
	}
	fmt.Fprintf(a.err, "heddle: %s holds what was drawn up to here\n", shown(c.Out))
	return err
}

// draw draws the scene or runs the program, and shows progress.
func (c *renderCmd) draw(a *app) (*render.Result, error) {
	o := render.Options{Engine: c.Engine.engine(c.use()), Workers: c.Workers, Limits: exec.Limits{Steps: c.MaxSteps}}
	if checks := c.checks() & check.InDraws; checks != 0 {
		c.found = check.Watch(checks, nil)
		c.ran, o.Text = ranCode{}, c.ran.text
		if o.Watcher = c.found; checks&sanitize.CheckMemory != 0 {
			o.Policy = exec.RecordFaults
		}
	}
	if c.counts != nil {
		o.Watcher = c.counts
	}
	if c.Fidelity {
		c.tally = exec.Counting(o.Engine)
		o.Engine = c.tally
	}
	if c.observes() {
		o.Engine, o.Workers = exec.Stepped(o.Engine, c.stepper()), 1
	}
	var stop func()
	o.Progress, stop = c.progress(a)
	defer stop()
	if c.Scene != "" {
		c.Scene = scenePath(c.Scene)
		data, err := a.read(c.Scene)
		if err != nil {
			return nil, err
		}
		if scenes := platforms.Scenes(casefile.Sniff(bytes.NewReader(data))); scenes != nil {
			if err := a.fits("render", 'd', c.Scene); err != nil {
				return nil, err
			}
			return c.recorded(a, scenes, data, o)
		}
		if err := a.fits("render", 's', c.Scene); err != nil {
			return nil, err
		}
		s, err := casefile.ReadScene(bytes.NewReader(data), c.Scene)
		if err != nil {
			return nil, err
		}
		s.AllowOutside = c.AllowOutside
		return render.Scene(a.ctx, s, o)
	}
	if err := a.fits("render", 'f', ""); err != nil {
		return nil, err
	}
	f := &render.FragmentRun{ISA: c.ISA, File: c.Fragment, Time: c.Time}
	var err error
	if f.Width, f.Height, err = c.pixels(); err != nil {
		return nil, err
	}
	if f.Constants, err = c.constants(); err != nil {
		return nil, err
	}
	if f.Code, err = a.read(c.Fragment); err != nil {
		return nil, err
	}
	return render.Fragment(a.ctx, f, o)
}

// code returns the file that findings are about.
func (c *renderCmd) code() string { return cmp.Or(c.Scene, c.Fragment) }

// scenePath returns the scene of a folder, or the file itself.
func scenePath(path string) string {
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		return filepath.Join(path, "scene.json")
	}
	return path
}

// recorded performs a recorded draw.
func (c *renderCmd) recorded(a *app, scenes *launch.Scenes, data []byte, o render.Options) (*render.Result, error) {
	s, err := scenes.Read(bytes.NewReader(data), c.Scene)
	if err != nil {
		return nil, err
	}
	if c.AllowOutside {
		s.AllowOutside()
	}
	if c.found != nil {
		if v, err := render.RecordedVariant(scenes.ISA, s, c.Variant); err == nil { // Recorded returns the error
			c.found.Case = s.Name() + " " + v
		}
	}
	return render.Recorded(a.ctx, scenes.ISA, c.Scene, s, c.Variant, c.Target, o)
}

func (c *renderCmd) pixels() (w, h int, err error) {
	w, h, ok := readSize(c.Size)
	if !ok || w == 0 || h == 0 {
		return 0, 0, fmt.Errorf("--size %s: want WIDTHxHEIGHT, such as 320x240", c.Size)
	}
	return w, h, nil
}

func (c *renderCmd) constants() (list []casefile.SceneConstant, err error) {
	for _, text := range c.Const {
		name, values, ok := strings.Cut(text, "=")
		k := casefile.SceneConstant{Name: name}
		for v := range strings.SplitSeq(values, ",") {
			x, err := strconv.ParseFloat(v, 64)
			if err != nil || !ok {
				return nil, fmt.Errorf("--const %s: want NAME=X[,Y...], such as c0=1,0.5", text)
			}
			k.Values = append(k.Values, x)
		}
		list = append(list, k)
	}
	return list, nil
}

// compare fills in the report's differences; bad makes the exit code 1.
func (c *renderCmd) compare(a *app, r *rendered, got, want image.Image) (bad, err error) {
	d, img, err := render.Compare(got, want)
	if err != nil {
		return wrong{fmt.Errorf("%s: %w", c.Diff, err)}, nil
	}
	r.Diff = d
	if c.DiffOut != "" {
		if err := a.save(c.DiffOut, pngOf(a.ctx, img)); err != nil {
			return nil, err
		}
	}
	if d.Worst() > c.Tolerance {
		bad = wrong{fmt.Errorf("%s: differs by up to %d of 255; the tolerance is %d", c.Diff, d.Worst(), c.Tolerance)}
	}
	return bad, nil
}

// pngOf writes a picture as PNG, for save, until the context ends.
func pngOf(ctx context.Context, img image.Image) func(io.Writer) error {
	return func(w io.Writer) error { return png.Encode(timed{ctx, w}, img) }
}

// A timed is a writer that fails after its context has ended.
type timed struct {
	ctx context.Context
	w   io.Writer
}

func (l timed) Write(p []byte) (int, error) {
	if err := l.ctx.Err(); err != nil {
		return 0, fmt.Errorf("writing: %w", err)
	}
	return l.w.Write(p)
}

func readPNG(a *app, path string) (image.Image, error) {
	return within(a, "reading "+path, func() (image.Image, error) {
		data, err := a.pictureBytes(path)
		if err != nil {
			return nil, err
		}
		img, err := limit.PNG(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return img, nil
	})
}

func (a *app) pictureBytes(path string) ([]byte, error) {
	if path == "-" {
		return a.readNow(path)
	}
	return limit.ReadFile(path, limit.Picture)
}

func (r *rendered) print(a *app) {
	if r.File != "" {
		a.say("wrote %s, %dx%d\n", r.File, r.Width, r.Height)
	}
	a.printf("draws %d, vertices %s, triangles %s, wave-instructions %s%s, %.2f s\n", r.Draws, grouped(uint64(r.Vertices)),
		grouped(uint64(r.Triangles)), counted(r.Steps, r.Exact), r.Memory.text(r.Exact), r.Seconds)
	if d := r.Diff; d != nil {
		a.printf("%d of %d pixels differ\n", d.Differing, d.Pixels)
		for k, name := range []string{"red", "green", "blue", "alpha"} {
			a.printf("  %-6s max %3d  mean %.4f\n", name, d.Max[k], d.Mean[k])
		}
	}
}
