package object

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/internal/limit"
)

// A StateCase is a program with the state before and after it. Missing keys leave zero values: "not stated". Keys that
// README.md does not define for all instruction sets are kept unchanged in Extra, here and in the parts.
type StateCase struct {
	Name    string // unique for its ISA
	ISA     string
	Variant string
	Stage   string // compute, vertex, fragment, raw
	Source  string
	Tool    string
	Syntax  string            // of Asm; empty for the instruction set's usual one
	Options map[string]string // of the instruction set, by name; missing ones have the value that cases of the set imply
	Code    []byte            // nil if there is no public binary encoding: then Asm is the program
	Asm     []string          // one instruction or group each
	Launch  CaseLaunch
	Initial *State
	Final   *State // only what is compared; nil for a case that only pairs code with text
	// FinalMask limits the comparison of a register to the bits set.
	FinalMask  map[string]Words
	FinalExact *State // exact bits, where Final carries a tolerance
	FinalSpec  *State // the result by the text of the instruction set, if the simulator differs
	Quirks     []string
	Compare    Compare
	Notes      string
	Extra      map[string]json.RawMessage
	Line       int // of the file, where the object starts
}

// CaseLaunch is how many lanes run and how they are numbered.
type CaseLaunch struct {
	Grid  [3]int // workgroups; zero if only Lanes is given
	Block [3]int // work-items of a workgroup
	Lanes int
	Quads bool // lanes 4q to 4q+3 are a quad
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
	Regs       map[string]Words // names as the instruction set's section of README.md has them
	Uniform    map[string]Words
	Attributes map[string]Words // vertex inputs, one word per lane
	Varyings   map[string]Words // fragment inputs, already interpolated
	Outputs    map[string]Words
	Memory     []Memory
	Discarded  []bool // by lane
	FxpBits    int    // attila: fraction bits of the fixed-point unit, 0 if not stated
	Steps      int    // attila: instructions executed by the group
	EndPC      int    // attila: program counter after the last one
	Extra      map[string]json.RawMessage
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
	Space string
	Name  string
	Addr  uint64
	Data  []byte
}

// Compare is how the result is compared with Final.
type Compare struct {
	Type    string  // u32, f32, f16, f64, none; empty if not stated
	ULP     int     // either bound suffices
	Abs     float64 // 0 if none
	NaNAny  bool    // any NaN matches any NaN
	ZeroAny bool    // +0 matches -0
}

// Limits of a launch, far above any case and low enough that products do not overflow.
const (
	maxCaseLanes = 1 << 20
	maxCaseSide  = 1<<16 - 1
)

var caseKeys = keyTable[StateCase]{rows: func() keys[StateCase] {
	return keys[StateCase]{
		"name":        asString(func(c *StateCase) *string { return &c.Name }),
		"isa":         asString(func(c *StateCase) *string { return &c.ISA }),
		"variant":     asString(func(c *StateCase) *string { return &c.Variant }),
		"stage":       asString(func(c *StateCase) *string { return &c.Stage }),
		"source":      asString(func(c *StateCase) *string { return &c.Source }),
		"tool":        asString(func(c *StateCase) *string { return &c.Tool }),
		"syntax":      asString(func(c *StateCase) *string { return &c.Syntax }),
		"options":     asStringMap(func(c *StateCase) *map[string]string { return &c.Options }),
		"code":        func(c *StateCase, v []byte) (err error) { c.Code, err = readCode(v); return err },
		"asm":         asStrings(func(c *StateCase) *[]string { return &c.Asm }),
		"launch":      func(c *StateCase, v []byte) error { return readObject(&c.Launch, v, &launchKeys, nil) },
		"initial":     asState(func(c *StateCase) **State { return &c.Initial }),
		"final":       asState(func(c *StateCase) **State { return &c.Final }),
		"final_exact": asState(func(c *StateCase) **State { return &c.FinalExact }),
		"final_spec":  asState(func(c *StateCase) **State { return &c.FinalSpec }),
		"final_mask":  asWords(func(c *StateCase) *map[string]Words { return &c.FinalMask }),
		"quirks":      asStrings(func(c *StateCase) *[]string { return &c.Quirks }),
		"compare":     func(c *StateCase, v []byte) error { return readObject(&c.Compare, v, &compareKeys, nil) },
		"notes":       asString(func(c *StateCase) *string { return &c.Notes }),
	}
}}

var launchKeys = keyTable[CaseLaunch]{rows: func() keys[CaseLaunch] {
	return keys[CaseLaunch]{
		"grid":  asThree(1, maxCaseSide, func(c *CaseLaunch) *[3]int { return &c.Grid }),
		"block": asThree(1, maxCaseSide, func(c *CaseLaunch) *[3]int { return &c.Block }),
		"lanes": asInt(1, maxCaseLanes, func(c *CaseLaunch) *int { return &c.Lanes }),
		"quads": asBool(func(c *CaseLaunch) *bool { return &c.Quads }),
	}
}}

var stateKeys = keyTable[State]{rows: func() keys[State] {
	return keys[State]{
		"regs":       asWords(func(s *State) *map[string]Words { return &s.Regs }),
		"uniform":    asWords(func(s *State) *map[string]Words { return &s.Uniform }),
		"attributes": asWords(func(s *State) *map[string]Words { return &s.Attributes }),
		"varyings":   asWords(func(s *State) *map[string]Words { return &s.Varyings }),
		"outputs":    asWords(func(s *State) *map[string]Words { return &s.Outputs }),
		"memory":     readMemories,
		"discarded":  readDiscarded,
		"fxp_bits":   asInt(0, 64, func(s *State) *int { return &s.FxpBits }),
		"steps":      asInt(0, 1<<40, func(s *State) *int { return &s.Steps }),
		"end_pc":     asInt(0, 1<<40, func(s *State) *int { return &s.EndPC }),
	}
}}

var memoryKeys = keyTable[Memory]{rows: func() keys[Memory] {
	return keys[Memory]{
		"space": asString(func(m *Memory) *string { return &m.Space }),
		"name":  asString(func(m *Memory) *string { return &m.Name }),
		"addr":  func(m *Memory, v []byte) (err error) { m.Addr, err = readWord(v); return err },
		"hex":   func(m *Memory, v []byte) (err error) { m.Data, err = readBytes(v); return err },
	}
}}

var compareKeys = keyTable[Compare]{rows: func() keys[Compare] {
	return keys[Compare]{
		"type": func(c *Compare, v []byte) (err error) {
			c.Type, err = oneOf(v, "u32", "f32", "f16", "f64", "none")
			return err
		},
		"ulp":       asInt(0, 1<<31, func(c *Compare) *int { return &c.ULP }),
		"abs":       asFloat(func(c *Compare) *float64 { return &c.Abs }),
		"nan":       asAny(func(c *Compare) *bool { return &c.NaNAny }),
		"zero_sign": asAny(func(c *Compare) *bool { return &c.ZeroAny }),
	}
}}

func asState(at func(*StateCase) **State) func(*StateCase, []byte) error {
	return func(c *StateCase, v []byte) error {
		s := &State{}
		*at(c) = s
		return readObject(s, v, &stateKeys, &s.Extra)
	}
}

func asWords[T any](at func(*T) *map[string]Words) func(*T, []byte) error {
	return func(t *T, v []byte) error {
		m := map[string]Words{}
		*at(t) = m
		return eachMember(v, func(key string, v []byte) (err error) {
			m[key], err = readWords(v)
			return err
		})
	}
}

// readWords reads one word or a list of them.
func readWords(v []byte) (Words, error) {
	if len(v) == 0 || v[0] != '[' {
		x, err := readWord(v)
		return Words{V: []uint64{x}}, err
	}
	w := Words{V: []uint64{}, List: true}
	err := eachElement(v, func(_ int, v []byte) error {
		x, err := readWord(v)
		w.V = append(w.V, x)
		return err
	})
	return w, err
}

// readWord reads a number of up to 64 bits: a string of hexadecimal digits with or without
// 0x, or a JSON number, which is decimal.
func readWord(v []byte) (uint64, error) {
	s, base := string(v), 10
	if len(v) > 1 && v[0] == '"' {
		s, base = string(v[1:len(v)-1]), 16
		s = strings.TrimPrefix(s, "0x")
	}
	x, err := strconv.ParseUint(s, base, 64)
	if err != nil {
		return 0, want("a hexadecimal word", v)
	}
	return x, nil
}

func readBytes(v []byte) ([]byte, error) {
	s, err := jsonString(v)
	if err != nil {
		return nil, err
	}
	if !isHex(s) {
		return nil, want("pairs of 0-9a-f", v)
	}
	return hex.DecodeString(s)
}

// readCode reads machine code; nil for "-".
func readCode(v []byte) ([]byte, error) {
	if string(v) == `"-"` {
		return nil, nil
	}
	b, err := readBytes(v)
	if err == nil && len(b) == 0 {
		err = badValue(`empty, want bytes or "-"`)
	}
	return b, err
}

func readMemories(s *State, v []byte) error {
	return eachElement(v, func(_ int, v []byte) error {
		var m Memory
		if err := readObject(&m, v, &memoryKeys, nil); err != nil {
			return err
		}
		switch {
		case m.Space == "":
			return badValue("no space")
		case addressOverflows(m.Addr, uint64(len(m.Data))):
			return badValue("%d bytes at %#x wrap around", len(m.Data), m.Addr)
		}
		s.Memory = append(s.Memory, m)
		return nil
	})
}

func readDiscarded(s *State, v []byte) error {
	return eachElement(v, func(_ int, v []byte) error {
		n, err := jsonInt(v, 0, 1)
		s.Discarded = append(s.Discarded, n == 1)
		return err
	})
}

func oneOf(v []byte, names ...string) (string, error) {
	s, err := jsonString(v)
	if err != nil {
		return "", err
	}
	for _, name := range names {
		if s == name {
			return s, nil
		}
	}
	return "", badValue("%q is none of %s", clip(s), strings.Join(names, ", "))
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
			if line = bytes.TrimSpace(line); len(line) == 0 {
				continue
			}
			at := l.n
			if first && line[len(line)-1] != '}' {
				if line, err = l.rest(line); err != nil {
					break
				}
			}
			first = false
			c, bad := readCase(l, at, bytes.TrimSpace(line))
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
	if err := validJSON(v); err != nil {
		return nil, &Error{Code: "syntax", File: l.file, Line: at + err.line, Msg: err.msg}
	}
	c := &StateCase{Line: at}
	err := readObject(c, v, &caseKeys, &c.Extra)
	if err == nil {
		err = c.check(v)
	}
	if err == nil {
		return c, nil
	}
	msg := err.Error()
	if c.Name != "" {
		msg = "case " + strconv.Quote(clip(c.Name)) + ": " + msg
	}
	return nil, &Error{Code: "value", File: l.file, Line: at, Msg: msg}
}

// check rejects a case that lacks a required key, or whose lists do not have one word for each lane.
func (c *StateCase) check(v []byte) error {
	for _, key := range []struct {
		name string
		has  bool
	}{{"name", c.Name != ""}, {"isa", c.ISA != ""}, {"code", c.Code != nil || hasKey(v, "code")}, {"asm", c.Asm != nil}} {
		if !key.has {
			return badValue("no %s", key.name)
		}
	}
	if c.Code == nil && len(c.Asm) == 0 {
		return badValue("neither code nor asm")
	}
	lanes := c.Launch.Total()
	if (c.Launch.Grid == [3]int{}) != (c.Launch.Block == [3]int{}) || lanes > maxCaseLanes {
		return under("launch", badValue("grid and block want each other and at most %d lanes", maxCaseLanes))
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
		if err := part.s.check(lanes); err != nil {
			return under(part.name, err)
		}
	}
	return nil
}

func (s *State) check(lanes int) error {
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
			return under("uniform", under(reg, badValue("a list, want one word")))
		}
	}
	if n := len(s.Discarded); n != 0 && n != lanes {
		return under("discarded", badValue("%d values, the launch has %d lanes", n, lanes))
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
	return under(name, under(worst, badValue("%d words, the launch has %d lanes", len(regs[worst].V), lanes)))
}

// hasKey reports whether an object has a key.
func hasKey(v []byte, name string) (found bool) {
	_ = eachMember(v, func(key string, _ []byte) error {
		found = found || key == name
		return nil
	})
	return found
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
