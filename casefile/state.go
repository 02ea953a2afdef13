package casefile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strconv"

	"github.com/heddle-gpu/heddle/internal/jsonfile"
	"github.com/heddle-gpu/heddle/internal/limit"
)

// A StateCase is a program with the state before and after it. Missing keys leave zero values: "not stated". Keys that
// README.md does not define for all instruction sets are kept unchanged in Extra, here and in the parts.
type StateCase struct {
	Name    string            `json:"name" need:"some"` // unique for its ISA
	ISA     string            `json:"isa" need:"some"`
	Variant string            `json:"variant"`
	Stage   string            `json:"stage"` // compute, vertex, fragment, raw
	Source  string            `json:"source"`
	Tool    string            `json:"tool"`
	Syntax  string            `json:"syntax"`                     // of Asm; empty for the instruction set's usual one
	Options map[string]string `json:"options"`                    // of the instruction set, by name; missing ones have the value that cases of the set imply
	Code    []byte            `json:"code" need:"true" is:"code"` // nil if there is no public binary encoding: then Asm is the program
	Asm     []string          `json:"asm" need:"true"`            // one instruction or group each
	Launch  CaseLaunch        `json:"launch"`
	Initial *State            `json:"initial"`
	Final   *State            `json:"final"` // only what is compared; nil for a case that only pairs code with text
	// FinalMask limits the comparison of a register to the bits set.
	FinalMask  map[string]Words           `json:"final_mask"`
	FinalExact *State                     `json:"final_exact"` // exact bits, where Final carries a tolerance
	FinalSpec  *State                     `json:"final_spec"`  // the result by the text of the instruction set, if the simulator differs
	Quirks     []string                   `json:"quirks"`
	Compare    Compare                    `json:"compare"`
	Notes      string                     `json:"notes"`
	Extra      map[string]json.RawMessage `json:"-" unknown:"keep"`
	Line       int                        `json:"-"` // of the file, where the object starts
}

// CaseLaunch is how many lanes run and how they are numbered.
type CaseLaunch struct {
	Grid  [3]int `json:"grid" range:"1..0xffff"`  // workgroups; zero if only Lanes is given
	Block [3]int `json:"block" range:"1..0xffff"` // work-items of a workgroup
	Lanes int    `json:"lanes" range:"1..0x100000"`
	Quads bool   `json:"quads"` // lanes 4q to 4q+3 are a quad
}

// Total returns the number of lanes of the whole launch, 0 if it is not stated. It is at most 2^20 in a case that has
// been read.
func (c *CaseLaunch) Total() int {
	if c.Lanes != 0 {
		return c.Lanes
	}
	n := 1
	for i := range 3 {
		n = min(n*c.Grid[i]*c.Block[i], maxCaseLanes+1) // sides are below 2^16 each
	}
	return n
}

// A State is the state before or after a program.
type State struct {
	Regs       map[string]Words           `json:"regs"` // names as the instruction set's section of README.md has them
	Uniform    map[string]Words           `json:"uniform"`
	Attributes map[string]Words           `json:"attributes"` // vertex inputs, one word per lane
	Varyings   map[string]Words           `json:"varyings"`   // fragment inputs, already interpolated
	Outputs    map[string]Words           `json:"outputs"`
	Memory     []Memory                   `json:"memory"`
	Discarded  []bool                     `json:"discarded" is:"flag"`             // by lane
	FxpBits    int                        `json:"fxp_bits" range:"0..64"`          // attila: fraction bits of the fixed-point unit, 0 if not stated
	Steps      int                        `json:"steps" range:"0..0x10000000000"`  // attila: instructions executed by the group
	EndPC      int                        `json:"end_pc" range:"0..0x10000000000"` // attila: program counter after the last one
	Extra      map[string]json.RawMessage `json:"-" unknown:"keep"`
}

// Words is the value of a register.
type Words struct {
	V    []uint64 // one for all lanes, or one each
	List bool     // written as a list
}

// Lane returns the value in a lane.
func (w Words) Lane(i int) uint64 {
	if w.List {
		return w.V[i]
	}
	return w.V[0]
}

// Memory is a range of bytes at a guest address.
type Memory struct {
	Space string `json:"space" need:"some"`
	Name  string `json:"name"`
	Addr  uint64 `json:"addr"`
	Data  []byte `json:"hex"`
}

// Compare is how the result is compared with Final.
type Compare struct {
	Type    string  `json:"type" one:"u32|f32|f16|f64|none"` // empty if not stated
	ULP     int     `json:"ulp" range:"0..0x80000000"`       // either bound suffices
	Abs     float64 `json:"abs"`                             // 0 if none
	NaNAny  bool    `json:"nan" is:"any"`                    // any NaN matches any NaN
	ZeroAny bool    `json:"zero_sign" is:"any"`              // +0 matches -0
}

// maxCaseLanes limits the lanes of a launch, far above any case. The sides of grid and block are below 2^16, so that
// products do not overflow.
const maxCaseLanes = 1 << 20

// UnmarshalJSON reads one word or a list of them.
func (w *Words) UnmarshalJSON(v []byte) error {
	if len(v) == 0 || v[0] != '[' {
		x, err := jsonfile.Word(v)
		*w = Words{V: []uint64{x}}
		return err
	}
	*w = Words{V: []uint64{}, List: true}
	return jsonfile.EachElement(v, func(_ int, v []byte) error {
		x, err := jsonfile.Word(v)
		w.V = append(w.V, x)
		return err
	})
}

// MarshalJSON returns a word, or a list of them.
func (w Words) MarshalJSON() ([]byte, error) {
	list := make([]string, len(w.V))
	for i, v := range w.V {
		list[i] = fmt.Sprintf("%#x", v)
	}
	if !w.List && len(list) == 1 {
		return json.Marshal(list[0])
	}
	return json.Marshal(list)
}

// States reads cases, plain or gzip: one object per line, or a single object over several lines. An invalid line yields
// an *Error and reading continues with the next; an error after which it cannot continue comes last. Values do not
// share memory.
func States(r io.Reader, file string) iter.Seq2[*StateCase, error] {
	return func(yield func(*StateCase, error) bool) {
		l, err := newLines(r, file)
		for first := true; err == nil; {
			var line []byte
			if line, err = l.next(); err != nil {
				break
			}
			if line = bytes.TrimRight(line, " \t\r\n"); len(line) == 0 { // the start stays, for columns
				continue
			}
			at := l.n
			if first && line[len(line)-1] != '}' {
				if line, err = l.rest(line); err != nil {
					break
				}
			}
			first = false
			c, bad := readCase(l, at, line)
			if !yield(c, bad) {
				return
			}
			if bad != nil {
				err = l.spoiled()
			}
		}
		if err != io.EOF {
			yield(nil, err)
		}
	}
}

// rest returns a line together with all lines after it.
func (l *lines) rest(line []byte) ([]byte, error) {
	all := append([]byte{}, line...)
	for {
		line, err := l.next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		if all = append(append(all, '\n'), line...); len(all) > limit.Line {
			return nil, l.fail("limit", "document of more than %d bytes", limit.Line)
		}
	}
}

// readCase reads an object that starts in line at.
func readCase(l *lines, at int, v []byte) (*StateCase, error) {
	c := &StateCase{Line: at}
	err := jsonfile.Read(v, c, c.check)
	switch {
	case err == nil:
		return c, nil
	case c.Name != "":
		return nil, jsonError(l.file, at, "case "+strconv.Quote(jsonfile.Clip(c.Name)), err)
	}
	return nil, jsonError(l.file, at, "", err)
}

// check rejects a case without a program, or whose lists do not have one word for each lane.
func (c *StateCase) check() error {
	if c.Code == nil && len(c.Asm) == 0 {
		return jsonfile.Bad("neither code nor asm")
	}
	lanes := c.Launch.Total()
	if (c.Launch.Grid == [3]int{}) != (c.Launch.Block == [3]int{}) || lanes > maxCaseLanes {
		return jsonfile.At(jsonfile.Bad("grid and block want each other and at most %d lanes", maxCaseLanes), "launch")
	}
	if err := checkLanes("final_mask", c.FinalMask, lanes); err != nil {
		return err
	}
	for _, part := range []struct {
		name string
		s    *State
	}{{"initial", c.Initial}, {"final", c.Final}, {"final_exact", c.FinalExact}, {"final_spec", c.FinalSpec}} {
		if part.s == nil {
			continue
		}
		if err := part.s.Check(lanes); err != nil {
			return jsonfile.Under(part.name, err)
		}
	}
	return nil
}

// Check returns an error if lists do not have one word for each lane, or memory wraps around.
func (s *State) Check(lanes int) error {
	for i := range s.Memory {
		if m := &s.Memory[i]; uint64(len(m.Data)) > ^m.Addr {
			return jsonfile.At(jsonfile.Bad("%d bytes at %#x wrap around", len(m.Data), m.Addr), "memory", jsonfile.Index(i))
		}
	}
	for _, part := range []struct {
		name  string
		words map[string]Words
	}{{"regs", s.Regs}, {"attributes", s.Attributes}, {"varyings", s.Varyings}, {"outputs", s.Outputs}} {
		if err := checkLanes(part.name, part.words, lanes); err != nil {
			return err
		}
	}
	for reg, w := range s.Uniform {
		if w.List {
			return jsonfile.At(jsonfile.Bad("a list, want one word"), "uniform", reg)
		}
	}
	if n := len(s.Discarded); n != 0 && n != lanes {
		return jsonfile.At(jsonfile.Bad("%d values, the launch has %d lanes", n, lanes), "discarded")
	}
	return nil
}

// checkLanes reports the first register by name whose list does not match the launch.
func checkLanes(name string, regs map[string]Words, lanes int) error {
	worst, found := "", false
	for reg, w := range regs {
		if w.List && len(w.V) != lanes && (!found || reg < worst) {
			worst, found = reg, true
		}
	}
	if !found {
		return nil
	}
	return jsonfile.At(jsonfile.Bad("%d words, the launch has %d lanes", len(regs[worst].V), lanes), name, worst)
}

// Exact returns the case with FinalExact as its Final, compared bit by bit, if it has one; otherwise the case
// unchanged, and also if nothing is compared.
func (c *StateCase) Exact() *StateCase {
	if c.FinalExact == nil || c.Compare.Type == "none" {
		return c
	}
	e := *c
	e.Final, e.Compare = c.FinalExact, Compare{Type: "u32"}
	return &e
}
