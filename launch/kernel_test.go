package launch_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
)

// twoABIs has programs that find buffers by pointers of 4 bytes, and programs that find them in banks.
var twoABIs = launch.Compute{
	ABIs: []string{"pointers", "banks"},
	Layout: func(abi string) launch.Layout {
		l := launch.Layout{Number: 2, Pointer: 4, First: 0x1000, Align: 0x100, Space: launch.Space{ID: ir.GlobalSpace, Bank: 3}, Named: func(name string) (launch.Space, bool) {
			return launch.Space{ID: ir.ConstSpace, Bank: 1}, name == "c1"
		}}
		l.Banked = abi == "banks"
		return l
	},
	End:       1 << 16,
	SpaceName: func(s launch.Space) string { return string(rune('a' + s.Bank)) },
	Prepare:   func(k *launch.Kernel, env exec.Env) (*launch.Launch, error) { return &launch.Launch{Env: env}, nil },
}

// TestArguments: numbers and addresses lie at multiples of their sizes, buffers have gaps, and names select spaces.
func TestArguments(t *testing.T) {
	k := &launch.Kernel{}
	args := twoABIs.Arguments(k)
	a, b := &launch.Buffer{Name: "a", Data: make([]byte, 0x101)}, &launch.Buffer{Name: "b", Data: make([]byte, 8)}
	for _, x := range []*launch.Buffer{a, b} {
		if err := args.Add(x, false); err != nil {
			t.Fatal(err)
		}
	}
	args.Word(0x21, 1)
	args.Pass(b)
	args.Value([]byte{1, 2, 3})
	// a ends at 0x1101: after a gap of at least the alignment, b begins at a multiple of it
	want := []byte{0x21, 0, 0, 0, 0x00, 0x13, 0, 0, 1, 2, 3}
	if a.Addr != 0x1000 || b.Addr != 0x1300 || !bytes.Equal(k.Args, want) || a.Space.Bank != 3 {
		t.Errorf("a at %#x of bank %d, b at %#x, arguments % x, want % x", a.Addr, a.Space.Bank, b.Addr, k.Args, want)
	}
	if w := k.Words(); len(w) != 3 || w[2] != 0x030201 {
		t.Errorf("words %#x", w)
	}
	c := &launch.Buffer{Name: "c1", Data: []byte{1}}
	if err := args.AddNamed(c, false); err != nil || c.Space.ID != ir.ConstSpace || c.Addr != 0 {
		t.Errorf("constants at %+v, %v", c, err)
	}
	for want, err := range map[string]error{
		"c1 has its constants already": args.AddNamed(&launch.Buffer{Name: "c1"}, false),
		`there are two buffers "a"`:    args.Add(&launch.Buffer{Name: "a"}, true),
		`no ABI "x"; there are p`:      twoABIs.CheckABI("x"),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestBankedArguments: each buffer is at address 0 of the next bank, and its address is no argument.
func TestBankedArguments(t *testing.T) {
	k := &launch.Kernel{ABI: "banks"}
	args := twoABIs.Arguments(k)
	for bank := range uint8(2) {
		b := &launch.Buffer{Name: string(rune('x' + bank)), Data: []byte{1}}
		if err := args.Add(b, false); err != nil || b.Space.Bank != 3+bank || b.Addr != 0 {
			t.Errorf("buffer %d: %+v, %v", bank, b, err)
		}
		args.Pass(b)
	}
	if len(k.Args) != 0 {
		t.Errorf("arguments % x", k.Args)
	}
	if err := args.Add(&launch.Buffer{Name: "z", Addr: 8}, true); err == nil || !strings.Contains(err.Error(), "ABI banks are d, e and so on") {
		t.Errorf("a buffer with an address: %v", err)
	}
}

// TestKernelRefused: what is wrong with a kernel for any instruction set.
func TestKernelRefused(t *testing.T) {
	program := exec.NewProgram(exectest.Parse(machine, banks).Code)
	c := twoABIs
	c.Machine = program.Machine()
	other := ir.Machine{Name: "other"}
	for want, change := range map[string]func(k *launch.Kernel, c *launch.Compute){
		"there is no code": func(k *launch.Kernel, _ *launch.Compute) { k.Program = nil },
		"the program is for " + c.Machine.Name + ", not other": func(_ *launch.Kernel, c *launch.Compute) { c.Machine = &other },
		`no ABI "x"`: func(k *launch.Kernel, _ *launch.Compute) { k.ABI = "x" },
		"memory of workgroups and work-items is not supported": func(k *launch.Kernel, _ *launch.Compute) { k.GroupBytes = 4 },
		"buffer b: 1 byte at 0x10000 of a; buffers lie below 0x10000": func(k *launch.Kernel, _ *launch.Compute) {
			k.Buffers = []*launch.Buffer{{Name: "b", Addr: 1 << 16, Data: []byte{1}}}
		},
	} {
		k, own := &launch.Kernel{Name: "k", Program: program}, c
		change(k, &own)
		if _, err := own.Begin(k, launch.Settings{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	k := &launch.Kernel{Program: program, Buffers: []*launch.Buffer{{Name: "b", Data: []byte{1}}}}
	l, err := c.Begin(k, launch.Settings{})
	if err != nil || launch.Global(&l.Env).Name != "a" || l.Limits.Total != launch.DefaultTotal {
		t.Errorf("%+v, %v", l, err)
	}
}
