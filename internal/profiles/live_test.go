package profiles

import (
	"context"
	"fmt"
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/launch"
)

// dispatch launches a program of gfx803 at an address, in two waves.
func dispatch(t *testing.T, l *Live, text string, base uint64) {
	t.Helper()
	p, err := heddle.MustFind("gfx803").Program(text, heddle.ProgramOptions{Base: base, Group: 512, Name: fmt.Sprintf("%#x", base)})
	if err != nil {
		t.Fatal(err)
	}
	w, ended := l.Dispatch()
	_, err = p.Launch(context.Background(), heddle.Launch{Grid: [3]uint32{128}, Block: [3]uint32{64}, Settings: launch.Settings{Watcher: w}})
	ended(err)
	if err != nil {
		t.Fatal(err)
	}
}

// TestLive: code that is loaded again, at another address, is counted with the first, whether or not one profiler has
// seen both.
func TestLive(t *testing.T) {
	const rows = "s_mov_b32 m0, -1\nv_lshlrev_b32 v1, 2, v0\nds_write_b32 v1, v0\nv_cmp_eq_u32 vcc, 0, v0\ns_cbranch_vccz out\nds_read_b32 v2, v1\nout: s_endpgm"
	for _, crowd := range []int{0, 300} {
		l := &Live{}
		dispatch(t, l, rows, 0x1000)
		for i := range crowd { // other code
			dispatch(t, l, fmt.Sprintf("s_movk_i32 s0, %d\ns_endpgm", i), 0x1000)
		}
		dispatch(t, l, rows, 0x1000)
		dispatch(t, l, rows, 0x4000)
		list := l.Profiles()
		if len(list) != crowd+1 {
			t.Fatalf("%d profiles", len(list))
		}
		p := list[0]
		if p.Instructions != 3*2*7 || p.LaunchCount() != 3 || len(p.List) != 7 || p.List[0].Addr != 0x1000 || p.Incomplete != "" {
			t.Errorf("%+v", p)
		}
		if b := p.List[4].Branch; b == nil || b.Taken != 0 || b.Waves != 6 || p.List[4].Waves != 6 {
			t.Errorf("%+v", p.List[4])
		}
		if m := p.List[2].Memory; len(m) != 1 || m[0].Requests != 6 || m[0].Bytes != 6*64*4 || m[0].Passes != 12 {
			t.Errorf("%+v", m)
		}
		if got := list[len(list)-1]; crowd > 0 && (got.Instructions != 4 || got.LaunchCount() != 1) {
			t.Errorf("%+v", got)
		}
	}
}

// TestLiveLimits: of more code than is kept totals are told.
func TestLiveLimits(t *testing.T) {
	defer func(n int) { mostLive = n }(mostLive)
	mostLive = 10
	l := &Live{}
	for range 2 {
		for i := range 30 {
			dispatch(t, l, fmt.Sprintf("s_movk_i32 s0, %d\ns_endpgm", i), 0x1000)
		}
	}
	list := l.Profiles()
	if want := "other programs, with 40 launches and 160 wave-instructions, are too many to keep"; len(list) != 10 || list[0].Incomplete != want {
		t.Errorf("%d profiles: %s, want %s", len(list), list[0].Incomplete, want)
	}
}

// TestLiveIdle: of launches beside each other few profilers stay, and all are counted.
func TestLiveIdle(t *testing.T) {
	const most, launches = 4, 20
	p, err := heddle.MustFind("gfx803").Program("s_nop 0\ns_endpgm", heddle.ProgramOptions{Base: 0x1000, Name: "nop"})
	if err != nil {
		t.Fatal(err)
	}
	l, ends := &Live{}, []func(error){}
	for range launches {
		w, ended := l.Dispatch()
		if _, err := p.Launch(context.Background(), heddle.Launch{Grid: [3]uint32{64}, Block: [3]uint32{64}, Settings: launch.Settings{Watcher: w}}); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, ended)
	}
	for _, ended := range ends {
		ended(nil)
	}
	if n := len(l.idle); n > most {
		t.Errorf("%d profilers are idle", n)
	}
	if list := l.Profiles(); len(list) != 1 || list[0].Instructions != 2*launches || list[0].LaunchCount() != launches {
		t.Errorf("%+v", list)
	}
}
