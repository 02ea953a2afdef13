package profiles

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/internal/chips"
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

// TestLiveBehind: what follows a program in memory, and what of it does not run, makes no other one of it; what runs
// does.
func TestLiveBehind(t *testing.T) {
	const text = "s_movk_i32 s0, 7\ns_branch out\ns_nop 1\nout: s_endpgm\n"
	l := &Live{}
	for i, x := range []string{text, text + "s_nop 3\n", strings.Replace(text, "s_nop 1", "s_nop 2", 1), strings.Replace(text, "7", "8", 1)} {
		dispatch(t, l, x, uint64(0x1000*(i+1)))
	}
	list := l.Profiles()
	if len(list) != 2 || list[0].LaunchCount() != 3 || list[0].Instructions != 3*2*3 || list[1].LaunchCount() != 1 || list[1].Instructions != 2*3 {
		t.Errorf("%+v", list)
	}
	l = &Live{} // code that goes on where other code ends
	dispatch(t, l, "s_cmp_eq_u32 s0, s0\ns_cbranch_scc1 out\ns_nop 1\nout: s_endpgm\n", 0x1000)
	dispatch(t, l, "s_cmp_eq_u32 s0, s0\ns_cbranch_scc1 3\ns_nop 1\ns_endpgm\ns_nop 2\ns_endpgm\n", 0x1000)
	if list := l.Profiles(); len(list) != 2 {
		t.Errorf("%+v", list)
	}
}

// TestLiveTime: launches are modelled in the order in which they began, those of code that is loaded again with the
// first. An instruction takes 4 clocks.
func TestLiveTime(t *testing.T) {
	short, long := "s_nop 0\ns_endpgm", "s_nop 1\ns_movk_i32 s0, 1\ns_movk_i32 s0, 1\ns_endpgm"
	for _, most := range []int{mostIdle, 0} { // by one profiler, or by one each
		defer func(n int) { mostIdle = n }(mostIdle)
		mostIdle = most
		l := &Live{Timed: true}
		for i, text := range []string{long, short, long, short, short} {
			dispatch(t, l, text, uint64(0x1000*(i+1)))
		}
		list := l.Profiles()
		lost, err := l.Time(list, true, func(isa string) (*chips.Chip, error) { return chips.Named(isa, "fiji") })
		if err != nil || lost != 0 || len(list) != 2 {
			t.Fatal(err, lost, list)
		}
		got := ""
		for _, x := range Sequence(list) {
			got += fmt.Sprintf("%d at %g for %g, ", x.Order, x.Begin, x.Clocks)
		}
		if want := "0 at 0 for 16, 1 at 16 for 8, 2 at 24 for 16, 3 at 40 for 8, 4 at 48 for 8, "; got != want {
			t.Errorf("%s; want %s", got, want)
		}
		if r := list[0].Timing; r.Clocks != 32 || len(r.Insts) != 4 || r.Insts[0].Waves != 4 {
			t.Errorf("%+v", r)
		}
	}
}

// TestLiveTimeLimits: of launches beyond the limits it is told how many are not modelled.
func TestLiveTimeLimits(t *testing.T) {
	defer func(n int) { mostRuns = n }(mostRuns)
	mostRuns = 3
	l := &Live{Timed: true}
	for range 5 {
		dispatch(t, l, "s_endpgm", 0x1000)
	}
	list := l.Profiles()
	lost, err := l.Time(list, false, func(isa string) (*chips.Chip, error) { return chips.Named(isa, "") })
	if err != nil || lost != 2 || list[0].LaunchCount() != 5 || len(list[0].Timing.Launches) != 3 {
		t.Errorf("%v: %d are lost of %+v", err, lost, list[0].Timing)
	}
}
