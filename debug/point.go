package debug

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/internal/stepping"
)

// A Spec is a user's request for a breakpoint or watchpoint.
type Spec struct {
	// One of these gives the place: a line of a source; a name: a symbol, SYMBOL+0x10, an address of a listing or an
	// instruction; instructions of a code by their addresses in memory; a watchpoint.
	Path  string
	Line  int
	Name  string
	Code  *Code
	PCs   []uint64
	Watch *Watch

	Waves Waves  // the waves it applies to; the zero value: all
	If    string // an expression that must not be 0
	Hit   string // the hits that count: 3, >= 3, % 3
	Log   string // a message, with {expressions}, printed instead of stopping
}

// Waves are the waves that a breakpoint applies to.
type Waves = stepping.Waves

// A Point is a breakpoint, or a watchpoint, that is set.
type Point struct {
	ID int
	Spec
	Verified bool
	Message  string // why it is not verified
	At       *Code  // the first code that contains it
	PC       uint64 // address there
	Actual   int    // its actual line

	places  map[*Code][]uint64
	test    *Expr
	hit     hitRule
	log     []logPart
	hits    []uint64 // positions at which it was hit
	early   uint64   // hits before those
	kept    uint64   // hits before those, at positions that the session cannot go back to
	old     []byte   // of a watchpoint, before an instruction
	now     []byte   // and after it
	used    bool     // of a watchpoint: the instruction uses it
	broken  bool     // the request cannot be parsed
	missing error    // why code that has run does not contain the place
}

// Pending reports whether code that has not run yet may contain the point: a line of a file that no code has named so
// far, or an instruction.
func (p *Point) Pending() bool {
	var line *stepping.NoLine
	switch {
	case p.Verified || p.broken:
		return false
	case errors.As(p.missing, &line):
		return !line.Known && len(line.Files) > 0
	}
	return p.missing == nil && p.Name == "" || errors.Is(p.missing, errNoInstruction)
}

// Places returns the number of instructions with the point.
func (p *Point) Places() (n int) {
	for _, pcs := range p.places {
		n += len(pcs)
	}
	return n
}

// Hits returns how often waves have reached the point, with its condition true, up to the present position.
func (p *Point) Hits() uint64 { return p.kept + p.early + uint64(len(p.hits)) }

// A logPart is text, or an expression.
type logPart struct {
	text string
	expr *Expr
}

// NewPoint parses a request, and finds the place in the present codes.
func (s *Session) NewPoint(spec Spec) *Point {
	p := &Point{Spec: spec, places: map[*Code][]uint64{}, Actual: spec.Line}
	s.mu.Lock()
	s.made++
	p.ID = s.made
	codes := slices.Clone(s.codes)
	s.mu.Unlock()
	err := p.read()
	if err == nil && spec.Watch != nil {
		p.Verified = true
		return p
	}
	if err != nil {
		p.Message, p.broken = err.Error(), true
		return p
	}
	for _, c := range codes {
		p.resolve(c)
	}
	if !p.Verified && p.Message == "" {
		p.Message = "no code has run yet"
	}
	return p
}

func (p *Point) read() (err error) {
	if p.If = strings.TrimSpace(p.If); p.If != "" {
		if p.test, err = Parse(p.If); err != nil {
			return fmt.Errorf("condition: %w", err)
		}
	}
	if p.hit, err = parseHit(p.Hit); err != nil {
		return err
	}
	p.log, err = parseLog(p.Log)
	return err
}

// resolve finds the point in a code; it returns true if this is the first place found.
func (p *Point) resolve(c *Code) bool {
	if p.Watch != nil || p.broken {
		return false
	}
	var pcs []uint64
	line := 0
	switch {
	case p.Code != nil:
		if p.Code == c {
			pcs = slices.DeleteFunc(slices.Clone(p.PCs), func(pc uint64) bool { return !c.Begins(pc) })
		}
		if len(pcs) == 0 && p.Code == c {
			p.Message = "no instruction begins there"
		}
	case p.Name != "":
		pcs, line = p.named(c)
	default:
		if pcs, line = c.Line(p.Path, p.Line); line == 0 && p.Message == "" {
			p.Message = p.noLine(c)
		}
	}
	if len(pcs) == 0 {
		return false
	}
	p.places[c] = pcs
	if p.Verified {
		return false
	}
	p.Verified, p.Message, p.At, p.PC = true, "", c, pcs[0]
	if line != 0 {
		p.Actual = line
	}
	return true
}

func (p *Point) noLine(c *Code) string {
	switch files := c.Files(); {
	case len(files) == 0:
		return fmt.Sprintf("the code of %s does not say where it comes from; breakpoints can be set in its listing, or at names", c.Name)
	case c.insts.File(p.Path) == "":
		return "code of this file has not run yet; what has comes from " + strings.Join(files, ", ")
	}
	return "no code at this line or after it"
}

// named returns the instructions of a name, and the line of FILE:LINE.
func (p *Point) named(c *Code) (pcs []uint64, line int) {
	at, err := stepping.ParsePoint(p.Name)
	if err != nil {
		p.Message = err.Error()
		return nil, 0
	}
	if pcs, err = c.Find(at); err != nil {
		p.Message, p.missing = err.Error(), err
		return nil, 0
	}
	if file, _, ok := stepping.FileLine(p.Name); ok {
		at := c.Place(pcs[0])
		if line = at.Text.Line; at.Text.File != c.insts.File(file) {
			line = at.Source.Line
		}
	}
	return pcs, line
}

// SetPoints replaces all breakpoints and watchpoints. It may be called while the run continues.
func (s *Session) SetPoints(list []*Point) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.codes { // that have been loaded since the points were made
		for _, p := range list {
			if p.places[c] == nil && p.resolve(c) {
				s.to.Resolved(p)
			}
		}
	}
	s.points = slices.Clone(list)
	s.watches.Store(slices.ContainsFunc(list, func(p *Point) bool { return p.Watch != nil }))
	for _, c := range s.codes {
		c.points = nil
	}
}

// Discard frees the number of the point that was made last.
func (s *Session) Discard(p *Point) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.ID == s.made {
		s.made--
	}
}

// Number makes the numbers of new points follow those of list.
func (s *Session) Number(list []*Point) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range list {
		s.made = max(s.made, p.ID)
	}
}

// pointsOf returns the points of the code, by address.
func (s *Session) pointsOf(c *Code) map[uint64][]*Point {
	if c.points == nil {
		c.points = map[uint64][]*Point{}
		for _, p := range s.points {
			for _, pc := range p.places[c] {
				c.points[pc] = append(c.points[pc], p)
			}
		}
	}
	return c.points
}

// pointsAt returns the breakpoints that stop the run before an instruction. Log points print their message instead.
func (s *Session) pointsAt(h *Halt) (list []*Point) {
	if h.Step.Sub != 0 {
		return nil
	}
	s.mu.Lock()
	here := s.pointsOf(h.Code)[h.Step.PC]
	s.mu.Unlock()
	for _, p := range here {
		if s.counts(p, h) {
			list = append(list, p)
		}
	}
	return list
}

// A ConditionError is a condition that cannot be evaluated when a wave has reached its breakpoint or watchpoint. It
// stops the run each time, as if it were true.
type ConditionError struct {
	Point *Point
	Err   error
}

func (e *ConditionError) Error() string { return fmt.Sprintf("condition %s: %v", e.Point.If, e.Err) }

// counts reports whether a point that a wave has reached stops the run.
func (s *Session) counts(p *Point, h *Halt) bool {
	if !p.Waves.Has(&h.Wave.Where) {
		return false
	}
	var failed error
	if p.test != nil {
		v, err := p.test.Eval(s.scopeOf(h))
		if failed = err; err == nil && !v.True() {
			return false
		}
	}
	if !p.hit.is(p.came(s.steps)) {
		return false
	}
	if failed != nil {
		h.Failed = append(h.Failed, &ConditionError{p, failed})
		return true
	}
	if p.log == nil {
		return true
	}
	if !s.replaying() {
		s.to.Say(p.logged(s.scopeOf(h)))
	}
	return false
}

// logged returns the message of a log point.
func (p *Point) logged(at *Scope) string {
	var b strings.Builder
	for _, x := range p.log {
		if x.expr == nil {
			b.WriteString(x.text)
			continue
		}
		v, err := x.expr.Eval(at)
		if err != nil {
			fmt.Fprintf(&b, "(%v)", err)
			continue
		}
		b.WriteString(v.Text(false))
	}
	return b.String()
}

// maxHits limits the recorded positions.
const maxHits = 1 << 18

// came counts a hit, and returns how many there have been up to this position.
func (p *Point) came(pos uint64) uint64 {
	p.hits = p.hits[:sort.Search(len(p.hits), func(i int) bool { return p.hits[i] >= pos })]
	if len(p.hits) == maxHits {
		p.early += maxHits / 2
		p.hits = append(p.hits[:0], p.hits[maxHits/2:]...)
	}
	p.hits = append(p.hits, pos)
	return p.Hits()
}

// begin prepares for a run; afresh: all hits will come again.
func (p *Point) begin(afresh bool) {
	if afresh {
		p.hits, p.early = p.hits[:0], 0
	}
}

// A hitRule says at which hits a point counts.
type hitRule struct {
	op string // "": at all
	n  uint64
}

// parseHit reads N, = N, > N, >= N, < N, <= N, % N. A bare number is that hit only.
func parseHit(text string) (r hitRule, err error) {
	if text = strings.TrimSpace(text); text == "" {
		return r, nil
	}
	r.op = "=="
	for _, op := range [...]string{"==", ">=", "<=", "=", ">", "<", "%"} {
		if rest, ok := strings.CutPrefix(text, op); ok {
			r.op, text = op, strings.TrimSpace(rest)
			break
		}
	}
	if r.n, err = strconv.ParseUint(text, 0, 64); err != nil || r.n == 0 {
		return r, fmt.Errorf("hit condition: want a number from 1, with =, >, >=, <, <= or %% before it, or none of these")
	}
	return r, nil
}

func (r hitRule) is(n uint64) bool {
	switch r.op {
	case "=", "==":
		return n == r.n
	case ">=":
		return n >= r.n
	case ">":
		return n > r.n
	case "<":
		return n < r.n
	case "<=":
		return n <= r.n
	case "%":
		return n%r.n == 0
	}
	return true
}

// parseLog reads a text with {expressions}; \{ and \} are braces.
func parseLog(text string) (list []logPart, err error) {
	lit := ""
	for len(text) > 0 {
		switch {
		case strings.HasPrefix(text, `\{`), strings.HasPrefix(text, `\}`):
			lit, text = lit+text[1:2], text[2:]
		case text[0] == '{':
			end := strings.IndexByte(text, '}')
			if end < 0 {
				return nil, errors.New("log message: a { without }")
			}
			e, err := Parse(text[1:end])
			if err != nil {
				return nil, fmt.Errorf("log message: %w", err)
			}
			list, lit, text = append(list, logPart{text: lit}, logPart{expr: e}), "", text[end+1:]
		default:
			lit, text = lit+text[:1], text[1:]
		}
	}
	if lit != "" {
		list = append(list, logPart{text: lit})
	}
	return list, nil
}
