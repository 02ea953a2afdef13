package launch_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
)

// banks copies a word from one bank to another, once per wave.
const banks = `
block 0
mark 0 size 4
  %zero = const.i32 0
  %x = load.i32 const:2[4] %zero
  set.i32 s[0], %x
mark 4 size 4
  %x1 = get.i32 s[0]
  %at = const.i32 8
  store.i32 global:3[4] %at, %x1
mark 8 size 4
  end
`

// TestCaseBanks: memory of a case lies in the bank that its space names, and can be read there afterwards.
func TestCaseBanks(t *testing.T) {
	platform := &launch.Platform{
		ISA: "t", Cases: launch.Cases{Stages: []string{"raw"}, Init: func(int, *exec.State) {}},
		Spaces: func() map[string]launch.Space {
			return map[string]launch.Space{"c2": {ID: ir.ConstSpace, Bank: 2}, "g3": {ID: ir.GlobalSpace, Bank: 3}, "g0": {ID: ir.GlobalSpace}}
		},
	}
	c := &casefile.StateCase{Stage: "raw", Launch: casefile.CaseLaunch{Lanes: 4}, Initial: &casefile.State{Memory: []casefile.Memory{
		{Space: "g3", Data: make([]byte, 12)}, {Space: "c2", Data: []byte{1, 2, 3, 4}}, {Space: "g0", Addr: 16, Data: make([]byte, 4)},
	}}}
	k, err := platform.Case(exectest.Parse(machine, banks).Code, 0, c)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Run(context.Background(), ref.New(), exec.Limits{}); err != nil {
		t.Fatal(err)
	}
	if got, err := k.Bytes("g3", 8, 4); err != nil || !bytes.Equal(got, []byte{1, 2, 3, 4}) {
		t.Errorf("%x, %v", got, err)
	}
	if got, err := k.Bytes("g0", 16, 4); err != nil || !bytes.Equal(got, make([]byte, 4)) {
		t.Errorf("%x, %v", got, err)
	}
	if _, err := k.Bytes("g3", 12, 4); err == nil || !strings.HasPrefix(err.Error(), "g3 load of 4 bytes at 0xc: ") {
		t.Error(err)
	}
	if _, err := k.Bytes("g1", 0, 4); err == nil || err.Error() != `t: no address space "g1"` {
		t.Error(err)
	}
	c.Initial.Memory = c.Initial.Memory[:1]
	if k, err = platform.Case(exectest.Parse(machine, banks).Code, 0, c); err != nil {
		t.Fatal(err)
	}
	if err := k.Run(context.Background(), ref.New(), exec.Limits{}); err == nil || !strings.HasSuffix(err.Error(), "const:2 load of 4 bytes at 0x0: the space has no segments") {
		t.Error(err)
	}
}
