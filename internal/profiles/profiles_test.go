package profiles

import (
	"context"
	"reflect"
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/internal/chips"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/profile"
)

// heat returns the profile of testdata/heat.cl, of one wave: lane i makes i%8 rounds of the loop.
func heat(t *testing.T) *Profile {
	t.Helper()
	m, err := heddle.Load("testdata/heat.hsaco")
	if err != nil {
		t.Fatal(err)
	}
	counts := profile.New(func(code ir.Code) profile.Memory { return chips.Of(ISA(code)).Memory })
	l := heddle.Launch{Grid: [3]uint32{64}, Block: [3]uint32{64}, Settings: launch.Settings{Watcher: counts}}
	if _, err := m.Launch(context.Background(), l, make([]float32, 64), make([]float32, 64), heddle.Local(8192)); err != nil {
		t.Fatal(err)
	}
	list := Of(counts)
	if len(list) != 1 {
		t.Fatalf("%d codes", len(list))
	}
	return &list[0]
}

// at returns the counts of the instruction at an address.
func (p *Profile) at(t *testing.T, addr uint64) *Inst {
	t.Helper()
	for i := range p.List {
		if p.List[i].Addr == addr {
			return &p.List[i]
		}
	}
	t.Fatalf("nothing ran at %#x", addr)
	return nil
}

// TestFrames: functions and lines are those that llvm-symbolizer --inlines prints for the address, without the kernel's
// body as a call.
func TestFrames(t *testing.T) {
	p := heat(t)
	warm := Frame{Name: "warm", Line: 11}
	inHeat := Frame{"heat", 4, "heat.cl:13"}
	for _, x := range []struct {
		addr   uint64
		source string
		frames []Frame
	}{
		{0x16a4, "heat.cl:13:24", []Frame{warm}},
		{0x1644, "heat.cl:7:19", []Frame{inHeat, warm}},
		{0x165c, "heat.cl:2:39", []Frame{{"cube", 2, "heat.cl:7"}, inHeat, warm}},
	} {
		if in := p.at(t, x.addr); in.Source != x.source || !in.Compiled || !reflect.DeepEqual(in.Frames, x.frames) {
			t.Errorf("%#x: %s in %+v, want %s in %+v", x.addr, in.Source, in.Frames, x.source, x.frames)
		}
	}
	if in := p.at(t, 0x1644); in.Waves != 7 || in.Lanes != 8*(1+2+3+4+5+6+7) {
		t.Errorf("the loop ran %d times, in %d lanes", in.Waves, in.Lanes)
	}
}
