package debug

import (
	"errors"
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/stepping"
)

// ParseSpec reads a breakpoint in the syntax of the command line: PLACE[,wave:N][,group:X.Y.Z][,hit:N] [if
// CONDITION]. The place is a symbol, SYMBOL+0x10, an address of a listing, FILE:LINE or an instruction. What follows
// the first " if " is an expression.
func ParseSpec(text string) (spec Spec, err error) {
	place, cond, err := CutCondition(text)
	if err != nil {
		return spec, err
	}
	spec.If = cond
	p, err := stepping.ParsePoint(place)
	if err != nil {
		return spec, err
	}
	if p.Hit > 0 {
		spec.Hit = fmt.Sprint(p.Hit)
	}
	spec.Name, spec.Waves = p.Text, p.Waves
	return spec, nil
}

// CutCondition splits PLACE [if CONDITION]; the place may be missing.
func CutCondition(text string) (place, cond string, err error) {
	place, cond, has := strings.Cut(" "+text+" ", " if ")
	place, cond = strings.TrimSpace(place), strings.TrimSpace(cond)
	if !has {
		return place, "", nil
	}
	if cond == "" {
		return place, "", errors.New("condition: nothing follows if; want an expression")
	}
	if _, err := Parse(cond); err != nil {
		return place, cond, fmt.Errorf("condition: %w", err)
	}
	return place, cond, nil
}

// Stops ends a run at the first of several breakpoints that a wave reaches. It is an exec.Stepper of one run, which
// ends there with stepping.ErrStopped, or with a *ConditionError.
type Stops struct {
	At *stepping.Dump // where it has stopped; nil: nowhere

	points  []*Point
	session *Session
	codes   map[*Code]bool
}

// NewStops makes the breakpoints from texts for ParseSpec.
func NewStops(texts []string) (*Stops, error) {
	x := &Stops{session: New(nil, Silent{}), codes: map[*Code]bool{}}
	for _, text := range texts {
		spec, err := ParseSpec(text)
		if err != nil {
			return nil, err
		}
		x.points = append(x.points, x.session.NewPoint(spec))
	}
	x.session.SetPoints(x.points)
	x.session.order = order{kind: forPoints}
	return x, nil
}

// Before implements exec.Stepper.
func (x *Stops) Before(at *exec.Step) error {
	s := x.session
	s.turnOf(at)
	code := s.codeOf(at)
	if !x.codes[code] {
		x.codes[code] = true
		if err := x.missing(code); err != nil {
			return err
		}
	}
	h := &Halt{Pos: s.steps, Wave: s.wave, Step: at, Code: code}
	points := s.pointsAt(h)
	if len(h.Failed) > 0 {
		return h.Failed[0]
	}
	if len(points) > 0 {
		x.At = stepping.NewDump(at)
		return stepping.ErrStopped
	}
	s.steps++
	return nil
}

// missing returns the error of a breakpoint whose place the code should contain but does not: an unknown name, or a
// line without code in a file that it names. Other places may be in a program that runs later.
func (x *Stops) missing(code *Code) error {
	for _, p := range x.points {
		if p.places[code] == nil && !p.Verified && !p.Pending() && p.nameless() {
			return p.missing
		}
	}
	return nil
}

// nameless reports whether the place is a name or a line that no code so far contains.
func (p *Point) nameless() bool {
	return errors.As(p.missing, new(*stepping.UnknownPoint)) || errors.As(p.missing, new(*stepping.NoLine))
}

// After implements exec.Stepper.
func (x *Stops) After(at *exec.Step, stop exec.Stop) {
	if stop.Reason == exec.StopEnd {
		x.session.endWave(at.State)
	}
}

// Reached returns the error that no wave reached any of the breakpoints, or nil.
func (x *Stops) Reached() error {
	if x.At != nil {
		return nil
	}
	var texts []string
	for _, p := range x.points {
		if !p.Verified && p.nameless() {
			return p.missing
		}
		texts = append(texts, p.Name)
	}
	return &stepping.NotReached{Text: strings.Join(texts, ", ")}
}
