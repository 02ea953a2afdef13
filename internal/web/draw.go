package web

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/internal/render"
)

// The limits of a picture.
const (
	mostSide      = 1024
	mostQuadSteps = 1 << 20 // instructions of a wave of pixels
)

// Draw is a request to run a fragment program once for each pixel of a picture. The program gets the inputs that
// heddle render --fragment gives it.
type Draw struct {
	Target
	Text      string               `json:"text"`
	Width     int                  `json:"width"`
	Height    int                  `json:"height"`
	Time      float64              `json:"time,omitempty"`
	Constants map[string][]float64 `json:"constants,omitempty"` // by name, such as c0
}

// Drawn is a picture.
type Drawn struct {
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Pixels string `json:"pixels"` // rows from the top, four bytes per pixel: red, green, blue, alpha, not premultiplied; in base64
	Steps  uint64 `json:"steps"`  // instructions of waves
}

// draw draws a picture.
func draw(ctx context.Context, r *Draw) (any, error) {
	if len(r.Text) > mostText {
		return nil, fmt.Errorf("a text of %d bytes; at most %d can be drawn", len(r.Text), mostText)
	}
	if r.Width < 1 || r.Height < 1 || r.Width > mostSide || r.Height > mostSide {
		return nil, fmt.Errorf("a picture of %dx%d; sides are 1 to %d", r.Width, r.Height, mostSide)
	}
	t, err := r.find()
	if err != nil {
		return nil, err
	}
	if platforms.Graphics(t.Name) == nil {
		return nil, &Error{Message: "single fragment programs of " + t.Name + " cannot be drawn", Hint: "those of valhall, tesla, rogue and attila can; heddle render draws recorded draws of gcn"}
	}
	if stage, ok := t.Arch.Stage("fragment"); ok {
		t = t.Move(t.Variant, stage)
	}
	res, errs := asm.Assemble(t, []byte(r.Text), asm.Options{File: "program"})
	if len(errs) > 0 {
		return nil, textErrors(errs)
	}
	if len(res.Code) == 0 {
		return nil, errors.New("the program has no instruction")
	}
	f := &render.FragmentRun{ISA: r.ISA, File: "program", Code: []byte(r.Text), Width: r.Width, Height: r.Height, Time: r.Time}
	for name, values := range r.Constants {
		f.Constants = append(f.Constants, casefile.SceneConstant{Name: name, Values: values})
	}
	got, err := render.Fragment(ctx, f, render.Options{Engine: engines.Fastest(engines.Use{}), Limits: exec.Limits{Steps: mostQuadSteps}})
	var fault *exec.Fault
	if errors.As(err, &fault) {
		return nil, &Error{Message: fault.Error()}
	}
	if err != nil {
		return nil, err
	}
	return &Drawn{r.Width, r.Height, base64.StdEncoding.EncodeToString(got.Image.Pix), got.Instructions}, nil
}
