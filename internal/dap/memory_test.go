package dap

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/heddle-gpu/heddle/debug"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// TestWords: memory of any size is shown as words, and each byte after the last one, whatever part a client requests.
func TestWords(t *testing.T) {
	for size := range 14 {
		g := mem.NewSegment("buffer", 0x100, size, mem.ReadWrite)
		for i := range g.Data {
			g.Data[i] = byte(0x11*i + 3)
		}
		space, err := mem.NewSpace("global", g)
		if size == 0 {
			continue // is no segment
		}
		if err != nil {
			t.Fatal(err)
		}
		env := &exec.Env{Spaces: exec.Spaces{ir.GlobalSpace: {space}}}
		at := &debug.Scope{Wave: &debug.Wave{}, Env: env, Lane: -1}
		var want []string
		for rest, addr := g.Data, 0x100; len(rest) > 0; {
			if len(rest) >= 4 {
				want = append(want, fmt.Sprintf("global[%#x] is %#x", addr, binary.LittleEndian.Uint32(rest)))
				rest, addr = rest[4:], addr+4
				continue
			}
			want = append(want, fmt.Sprintf("u8(global[%#x]) is %#x", addr, rest[0]))
			rest, addr = rest[1:], addr+1
		}
		s := &session{}
		segment := s.segment(at, "buffer", debug.Ref{Addr: 0x100, Space: ir.GlobalSpace}, uint64(size))
		if segment.IndexedVariables != len(want) {
			t.Errorf("%d bytes are %d variables, want %d", size, segment.IndexedVariables, len(want))
		}
		for start := range len(want) + 1 {
			for count := range len(want) + 2 {
				list, err := s.holders[segment.VariablesReference-1](start, count)
				end := len(want)
				if count > 0 {
					end = min(start+count, end)
				}
				if err != nil || len(list) != end-start {
					t.Errorf("%d bytes from %d on, %d of them: %d, %v; want %d", size, start, count, len(list), err, end-start)
					continue
				}
				for i, v := range list {
					var n uint64
					if _, err := fmt.Sscanf(v.value(true), "0x%x", &n); err != nil {
						t.Fatal(err)
					}
					if got := fmt.Sprintf("%s is %#x", v.EvaluateName, n); got != want[start+i] || v.Name != fmt.Sprintf("[%d]", start+i) {
						t.Errorf("%d bytes: variable %s: %s, want %s", size, v.Name, got, want[start+i])
					}
				}
			}
		}
	}
}
