package vectors

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
)

// Read reads a file of tests one by one; each is called with a test, or with the error of an invalid one, and its line.
// Read continues after a test with invalid values, but not after a syntax error of JSON, which is the last error. each
// returns false to stop.
func Read(r io.Reader, file string, each func(*Test, error) bool) {
	lines := &lineReader{r: io.LimitReader(r, limit.File.Bytes+1)}
	d := json.NewDecoder(lines)
	d.UseNumber()
	fail := func(at int, format string, args ...any) bool {
		if lines.n > limit.File.Bytes {
			format, args = "the file has more than %d bytes", []any{limit.File.Bytes}
		}
		return each(nil, &casefile.Error{Code: "syntax", File: file, Line: at, Msg: fmt.Sprintf(format, args...)})
	}
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		fail(1, "want a JSON array of tests")
		return
	}
	for d.More() {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			fail(lines.line(d.InputOffset()), "%s", plainJSON(err))
			return
		}
		at := lines.line(d.InputOffset() - int64(len(raw)))
		t, err := parse(raw)
		if err != nil {
			if !each(nil, &casefile.Error{Code: "value", File: file, Line: at, Msg: err.Error()}) {
				return
			}
			continue
		}
		t.Line = at
		if !each(t, nil) {
			return
		}
	}
	if _, err := d.Token(); err != nil {
		fail(lines.line(d.InputOffset()), "the array does not end: %s", plainJSON(err))
	} else if _, err := d.Token(); err != io.EOF {
		fail(lines.line(d.InputOffset()), "there is something after the array")
	} else if lines.n > limit.File.Bytes {
		fail(lines.line(d.InputOffset()), "the file has more than %d bytes", limit.File.Bytes)
	}
}

// plainJSON rewords an error of the decoder.
func plainJSON(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "the file ends in the middle"
	}
	var bad *json.UnmarshalTypeError
	if errors.As(err, &bad) {
		return fmt.Sprintf("%s is a %s, which does not stand there", orElse(bad.Field, "the test"), bad.Value)
	}
	text := strings.Replace(strings.TrimPrefix(err.Error(), "json: "), "unknown field", "unknown key", 1)
	if key, unknown := strings.CutPrefix(text, "unknown key "); unknown {
		if near := spell.Nearest(strings.Trim(key, `"`), testKeys); near != "" {
			text += fmt.Sprintf("; did you mean %q?", near)
		}
	}
	return text
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// A lineReader records the ends of lines that it reads.
type lineReader struct {
	r    io.Reader
	n    int64
	ends []int64
}

func (l *lineReader) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	for i, c := range p[:n] {
		if c == '\n' {
			l.ends = append(l.ends, l.n+int64(i))
		}
	}
	l.n += int64(n)
	return n, err
}

// line returns the line number of an offset.
func (l *lineReader) line(at int64) int {
	lo, hi := 0, len(l.ends)
	for lo < hi {
		if mid := (lo + hi) / 2; l.ends[mid] < at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo + 1
}

// A testJSON is a test as in a file.
type testJSON struct {
	Name     string     `json:"name"`
	Index    int        `json:"idx"`
	ISA      string     `json:"isa"`
	Stage    string     `json:"stage"`
	Encoding string     `json:"encoding"`
	Fidelity string     `json:"fidelity"`
	ULP      int        `json:"ulp"`
	Options  []string   `json:"options"`
	Bytes    []int      `json:"bytes"`
	Lanes    int        `json:"lanes"`
	Initial  *stateJSON `json:"initial"`
	Final    *stateJSON `json:"final"`
}

type stateJSON struct {
	PC     json.RawMessage       `json:"pc"`
	Ended  []uint64              `json:"ended"`
	Stack  []tokenJSON           `json:"stack"`
	In     []passedJSON          `json:"inputs"`
	Out    []passedJSON          `json:"outputs"`
	Regs   orderedRegs           `json:"regs"`
	RAM    [][]uint64            `json:"ram"`
	Spaces map[string][][]uint64 `json:"spaces"`
}

type tokenJSON struct {
	Kind    string   `json:"kind"`
	PC      uint64   `json:"pc"`
	Mask    []uint64 `json:"mask"`
	Waiting []uint64 `json:"waiting"`
}

// testKeys are the keys of a test and of the objects in it.
var testKeys = []string{"name", "idx", "isa", "stage", "encoding", "fidelity", "ulp", "options", "bytes", "lanes", "initial", "final", "pc", "ended", "stack",
	"inputs", "outputs", "regs", "ram", "spaces", "kind", "mask", "waiting", "slot", "component", "how", "values"}

// maxLanes is the largest number of lanes of any machine.
const maxLanes = ir.MaxLanes

// maxCode limits the bytes of an instruction in a file.
const maxCode = 1 << 10

// maxULP is larger than any published bound.
const maxULP = 1 << 16

// parse reads one test.
func parse(raw []byte) (*Test, error) {
	var j testJSON
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&j); err != nil {
		return nil, errors.New(plainJSON(err))
	}
	t := &Test{Name: j.Name, Index: j.Index, ISA: j.ISA, Stage: j.Stage, Encoding: j.Encoding, Fidelity: j.Fidelity, ULP: j.ULP, Options: j.Options, Lanes: j.Lanes}
	switch {
	case j.Name == "":
		return nil, errors.New("no name")
	case j.ISA == "":
		return nil, fmt.Errorf("%s: no isa, such as gcn:gfx8", j.Name)
	case j.Lanes < 1 || j.Lanes > maxLanes:
		return nil, fmt.Errorf("%s: lanes is %d, want 1 to %d", j.Name, j.Lanes, maxLanes)
	case j.Initial == nil || j.Final == nil:
		return nil, fmt.Errorf("%s: want initial and final", j.Name)
	case len(j.Bytes) > maxCode:
		return nil, fmt.Errorf("%s: %d bytes of code, at most %d", j.Name, len(j.Bytes), maxCode)
	case j.ULP < 0 || j.ULP > maxULP:
		return nil, fmt.Errorf("%s: ulp is %d, want 0 to %d", j.Name, j.ULP, maxULP)
	case j.ULP != 0 && j.Fidelity != ir.Approximate.String():
		return nil, fmt.Errorf("%s: a bound in ulp, and the test is not approximate", j.Name)
	}
	for _, b := range j.Bytes {
		if b < 0 || b > 255 {
			return nil, fmt.Errorf("%s: bytes has %d, want 0 to 255", j.Name, b)
		}
		t.Bytes = append(t.Bytes, byte(b))
	}
	spaces, err := spacesOf(j.ISA)
	if err == nil {
		err = t.Initial.read(j.Initial, j.Lanes, spaces)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: initial: %w", j.Name, err)
	}
	if err := t.Final.read(j.Final, j.Lanes, spaces); err != nil {
		return nil, fmt.Errorf("%s: final: %w", j.Name, err)
	}
	if len(t.Initial.PC) != 1 || t.Initial.PC[0]>>48 != 0 {
		return nil, fmt.Errorf("%s: initial: want one pc, of at most 48 bits", j.Name)
	}
	return t, nil
}

// spacesOf returns the names of memory of a set; none for an unknown set.
func spacesOf(isa string) (map[string]launch.Space, error) {
	name, _, _ := bytes.Cut([]byte(isa), []byte(":"))
	f := platforms.Lookup(string(name))
	if f == nil {
		return nil, fmt.Errorf("no instruction set %q: write it as gcn:gfx8", isa)
	}
	return banks(f), nil
}

// read converts a state from JSON.
func (s *State) read(j *stateJSON, lanes int, spaces map[string]launch.Space) error {
	if err := s.readPC(j.PC, lanes); err != nil {
		return err
	}
	var err error
	if s.Ended, err = readMask("ended", j.Ended, lanes); err != nil {
		return err
	}
	for _, k := range j.Stack {
		t := exec.Token{PC: k.PC}
		if t.Kind, err = exec.TokenKindOf(k.Kind); err != nil {
			return err
		}
		if t.Mask, err = readMask("mask", k.Mask, lanes); err != nil {
			return err
		}
		if t.Parked, err = readMask("waiting", k.Waiting, lanes); err != nil {
			return err
		}
		s.Stack = append(s.Stack, t)
	}
	if s.In, err = readPassed("inputs", j.In, lanes); err != nil {
		return err
	}
	if s.Out, err = readPassed("outputs", j.Out, lanes); err != nil {
		return err
	}
	for _, r := range j.Regs {
		if r.Lanes && len(r.Values) != lanes {
			return fmt.Errorf("%s has %d values, there are %d lanes", r.Name, len(r.Values), lanes)
		}
		s.Regs = append(s.Regs, r)
	}
	b := memoryBuilder{}
	if err := b.add(place{space: ir.GlobalSpace}, "ram", j.RAM, lanes); err != nil {
		return err
	}
	for name, list := range j.Spaces {
		at, ok := spaces[name]
		if !ok {
			return fmt.Errorf("no memory %q", name)
		}
		if err := b.add(place{space: at.ID, bank: at.Bank}, name, list, lanes); err != nil {
			return err
		}
	}
	s.RAM = b.memory()
	return nil
}

// readPC reads one address, or one per lane with null for lanes without.
func (s *State) readPC(raw []byte, lanes int) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	if raw[0] != '[' {
		v, err := strconv.ParseUint(string(raw), 10, 64)
		s.PC = []uint64{v}
		return wrapNumber("pc", err)
	}
	var list []*uint64
	if err := json.Unmarshal(raw, &list); err != nil {
		return wrapNumber("pc", err)
	}
	if len(list) != lanes {
		return fmt.Errorf("pc has %d values, there are %d lanes", len(list), lanes)
	}
	for lane, v := range list {
		if v == nil {
			s.Wait |= 1 << lane
			v = new(uint64)
		}
		s.PC = append(s.PC, *v)
	}
	return nil
}

func wrapNumber(what string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: want a whole number, or a list of them", what)
	}
	return nil
}

// readMask reads one bit per lane; an absent list means no lanes.
func readMask(what string, list []uint64, lanes int) (uint64, error) {
	if list == nil {
		return 0, nil
	}
	if len(list) != lanes {
		return 0, fmt.Errorf("%s has %d values, there are %d lanes", what, len(list), lanes)
	}
	for _, v := range list {
		if v > 1 {
			return 0, fmt.Errorf("%s has %d, want 0 or 1", what, v)
		}
	}
	return gather(list), nil
}

// orderedRegs are registers in the order of the file.
type orderedRegs []Reg

// UnmarshalJSON implements json.Unmarshaler.
func (rs *orderedRegs) UnmarshalJSON(raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return errors.New("regs: want an object of registers")
	}
	seen := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		if seen[name] {
			return fmt.Errorf("regs: %s is given twice", name)
		}
		seen[name] = true
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return err
		}
		r := Reg{Name: name, Lanes: v[0] == '['}
		if r.Lanes {
			err = json.Unmarshal(v, &r.Values)
		} else {
			r.Values = make([]uint64, 1)
			err = json.Unmarshal(v, &r.Values[0])
		}
		if err != nil || bytes.Contains(v, []byte("null")) {
			return fmt.Errorf("regs: %s: want a whole number, or a list of them", name)
		}
		*rs = append(*rs, r)
	}
	return nil
}
