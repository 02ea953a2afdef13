package vectors

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
)

// Append appends a file of tests: a JSON array with one test per line. Keys are in the order of docs/vectors.md.
func (m *Maker) Append(dst []byte, tests []*Test) []byte {
	dst = append(dst, '[')
	for i, t := range tests {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '\n')
		dst = t.append(dst, m.platform)
	}
	return append(dst, "\n]\n"...)
}

func (t *Test) append(dst []byte, f *launch.Platform) []byte {
	dst = appendString(append(dst, `{"name":`...), t.Name)
	dst = strconv.AppendInt(append(dst, `,"idx":`...), int64(t.Index), 10)
	dst = appendString(append(dst, `,"isa":`...), t.ISA)
	if t.Stage != "" {
		dst = appendString(append(dst, `,"stage":`...), t.Stage)
	}
	dst = appendString(append(dst, `,"encoding":`...), t.Encoding)
	if t.Fidelity != "" {
		dst = appendString(append(dst, `,"fidelity":`...), t.Fidelity)
	}
	if t.ULP != 0 {
		dst = strconv.AppendInt(append(dst, `,"ulp":`...), int64(t.ULP), 10)
	}
	if len(t.Options) > 0 {
		dst = append(dst, `,"options":`...)
		dst = appendList(dst, t.Options, appendString)
	}
	if t.Bytes != nil {
		dst = append(dst, `,"bytes":`...)
		dst = appendList(dst, t.Bytes, func(dst []byte, b byte) []byte { return strconv.AppendUint(dst, uint64(b), 10) })
	}
	dst = strconv.AppendInt(append(dst, `,"lanes":`...), int64(t.Lanes), 10)
	dst = t.Initial.append(append(dst, `,"initial":`...), f, t.Lanes)
	dst = t.Final.append(append(dst, `,"final":`...), f, t.Lanes)
	return append(dst, '}')
}

func (s *State) append(dst []byte, f *launch.Platform, lanes int) []byte {
	dst = append(dst, '{')
	if s.PC != nil {
		dst = append(s.appendPC(append(dst, `"pc":`...)), ',')
	}
	if s.Ended != 0 {
		dst = append(dst, `"ended":`...)
		dst = append(appendList(dst, spread(s.Ended, lanes), appendUint), ',')
	}
	if len(s.Stack) > 0 {
		dst = append(dst, `"stack":`...)
		dst = append(appendList(dst, s.Stack, func(dst []byte, t exec.Token) []byte { return appendToken(dst, t, lanes) }), ',')
	}
	for _, x := range []struct {
		key  string
		list []Passed
	}{{`"inputs":`, s.In}, {`"outputs":`, s.Out}} {
		if len(x.list) > 0 {
			dst = append(appendPassed(append(dst, x.key...), x.list), ',')
		}
	}
	dst = append(dst, `"regs":{`...)
	for i, r := range s.Regs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, r.Name), ':')
		if r.Lanes {
			dst = appendList(dst, r.Values, appendUint)
		} else {
			dst = appendUint(dst, r.Values[0])
		}
	}
	dst = append(dst, `},"ram":`...)
	dst = s.RAM.append(dst, place{space: ir.GlobalSpace})
	return append(s.appendSpaces(dst, f), '}')
}

func (s *State) appendPC(dst []byte) []byte {
	if len(s.PC) == 1 && s.Wait == 0 {
		return appendUint(dst, s.PC[0])
	}
	return appendSome(dst, s.PC, ^s.Wait)
}

// appendSpaces appends the memory outside the first bank of the global space.
func (s *State) appendSpaces(dst []byte, f *launch.Platform) []byte {
	var places []place
	for _, r := range s.RAM {
		p := place{space: r.space, bank: r.bank}
		if p != (place{space: ir.GlobalSpace}) && !slices.Contains(places, p) {
			places = append(places, p)
		}
	}
	if places == nil {
		return dst
	}
	slices.SortFunc(places, comparePlaces)
	dst = append(dst, `,"spaces":{`...)
	for i, p := range places {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, bankName(f, p)), ':')
		dst = s.RAM.append(dst, p)
	}
	return append(dst, '}')
}

// append appends the bytes of a place: [address, value] each; in private memory [lane, address, value].
func (m memory) append(dst []byte, p place) []byte {
	dst = append(dst, '[')
	first := true
	for _, r := range m {
		if r.space != p.space || r.bank != p.bank {
			continue
		}
		for i, b := range r.data {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = append(dst, '[')
			if p.space == ir.PrivateSpace {
				dst = append(appendUint(dst, uint64(r.lane)), ',')
			}
			dst = append(appendUint(dst, r.addr+uint64(i)), ',')
			dst = append(appendUint(dst, uint64(b)), ']')
		}
	}
	return append(dst, ']')
}

// appendToken appends an entry of the control stack.
func appendToken(dst []byte, t exec.Token, lanes int) []byte {
	dst = appendString(append(dst, `{"kind":`...), t.Kind.String())
	dst = appendUint(append(dst, `,"pc":`...), t.PC)
	dst = appendList(append(dst, `,"mask":`...), spread(t.Mask, lanes), appendUint)
	dst = appendList(append(dst, `,"waiting":`...), spread(t.Parked, lanes), appendUint)
	return append(dst, '}')
}

func appendList[T any](dst []byte, list []T, one func([]byte, T) []byte) []byte {
	dst = append(dst, '[')
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = one(dst, v)
	}
	return append(dst, ']')
}

func appendUint(dst []byte, v uint64) []byte { return strconv.AppendUint(dst, v, 10) }

// appendString appends a text. Texts of instructions contain only quotes and line ends that JSON escapes.
func appendString(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			b, err := json.Marshal(s)
			if err != nil {
				panic("vectors: " + err.Error()) // a string gives no error
			}
			return append(dst, b...)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}
