package launch_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
)

// keep: work-items write their numbers to private memory, SPACE at FIRST + lane*STRIDE, wait at a barrier, and read
// them again.
const keep = `
block 0x100
mark 0x100 size 4
  %l = laneid.i32
  %k = const.i32 STRIDE
  %o = imul.i32 %l, %k
  %f = const.i32 FIRST
  %at = iadd.i32 %o, %f
  %e = get.i1 exec
  set.i32 v[2], %at, %e
mark 0x104 size 4
  %b = get.i32 v[2]
  %f1 = get.i1 exec
  %old = load.i32 SPACE[4] %b, %f1
  set.i32 v[1], %old, %f1
mark 0x108 size 4
  %c = get.i32 v[2]
  %x = get.i32 v[0]
  %one = const.i32 1
  %y = iadd.i32 %x, %one
  %f2 = get.i1 exec
  store.i32 SPACE[4] %c, %y, %f2
mark 0x10c size 4
  barrier 0x110
block 0x110
mark 0x110 size 4
  %p = get.i32 v[2]
  %e = get.i1 exec
  %new = load.i32 SPACE[4] %p, %e
  %old = get.i32 v[1]
  %k = const.i32 1000
  %w = imul.i32 %old, %k
  %s = iadd.i32 %new, %w
  set.i32 v[1], %s, %e
mark 0x114 size 4` + address + `
  %v = get.i32 v[1]
  %f3 = get.i1 exec
  store.i32 global[4] %at, %v, %f3
mark 0x118 size 4
  end
`

// TestOwnMemory: memory of one wave, and of one lane, is zeroed in every group, and no other wave or lane can access it
// although the addresses are the same.
func TestOwnMemory(t *testing.T) {
	const groups = 30
	for _, c := range []struct {
		space, first, stride string
		set                  func(l *launch.Launch)
	}{
		{"global", "0x40000000", "4", func(l *launch.Launch) {
			l.Own = func(int) mem.Extent {
				return mem.Extent{Name: "own", Base: 0x4000_0000, Size: 64, Rights: mem.ReadWrite}
			}
		}},
		{"private", "0x20", "0", func(l *launch.Launch) {
			l.Private = mem.Extent{Name: "stack", Base: 0x20, Size: 4, Rights: mem.ReadWrite}
		}},
		{"private", "0x20", "0", func(l *launch.Launch) {
			l.Private, l.PrivateUnit = mem.Extent{Name: "stack", Base: 0x20, Size: 64, Rights: mem.ReadWrite}, 4
		}},
	} {
		text := strings.NewReplacer("SPACE", c.space, "FIRST", c.first, "STRIDE", c.stride).Replace(keep)
		for _, workers := range []int{1, 4} {
			l, out := newLaunch(text, groups, groups*40*4)
			l.Workers = workers
			c.set(l)
			if _, err := l.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
			for i := range groups * 40 {
				if got, want := mem.Load(out[4*i:4*i+4]), uint64(i%40+1); got != want {
					t.Fatalf("%s: item %d has %d, want %d", c.space, i, got, want)
				}
			}
		}
	}
}

// TestOwnMemoryLimit: memory of waves counts towards the limit, and failed allocation is an error of the launch.
func TestOwnMemoryLimit(t *testing.T) {
	for _, c := range []struct {
		own, private mem.Extent
		want         string
	}{
		{private: mem.Extent{Size: 1 << 20, Rights: mem.ReadWrite}, want: "the limit is"},
		{own: mem.Extent{Name: "own", Base: 1 << 20, Size: 64 << 20, Rights: mem.ReadWrite}, want: "the limit is"},
		{own: mem.Extent{Name: "own", Base: 8, Size: 64, Rights: mem.ReadWrite}, want: `kernel k: mem: segment "own" (0x8-0x48) overlaps "out"`},
	} {
		l, _ := newLaunch(strings.NewReplacer("SPACE", "global", "FIRST", "0", "STRIDE", "0").Replace(keep), 2, 320)
		l.Limits.Memory = 16 << 20
		l.Private = c.private
		if c.own.Size > 0 {
			l.Own = func(int) mem.Extent { return c.own }
		}
		if _, err := l.Run(context.Background()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestRecorded: with RecordFaults a launch goes on, and its log is the same for any number of workers: the last groups
// of a grid write past the end of the buffer.
func TestRecorded(t *testing.T) {
	const groups, whole = 12, 9
	text := strings.NewReplacer("SPACE", "group", "FIRST", "0", "STRIDE", "4").Replace(keep)
	var want *launch.Result
	for _, workers := range []int{1, 2, 5} {
		l, out := newLaunch(text, groups, whole*40*4-8) // the last two items of group 8 too
		l.Workers = workers
		l.Env.Policy = exec.RecordFaults
		res, err := l.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		const refused = (groups-whole)*40 + 2
		log := res.Faults
		if log.Count != refused || res.Dropped != refused || len(log.List) != 1 || log.List[0].Count != refused || len(out) == 0 {
			t.Fatalf("%d workers: %d dropped, log %+v", workers, res.Dropped, log)
		}
		f := log.List[0]
		at := uint64(whole*40*4 - 8)
		if f.PC != 0x114 || f.Group != [3]uint32{whole - 1, 0, 0} || f.Wave != 2 || f.Lanes != 0b11<<6 || f.Lane != 6 || f.Addr != at || f.Addrs[7] != at+4 {
			t.Errorf("%d workers: first %+v", workers, f.Fault)
		}
		if workers == 1 {
			want = res
		} else if !reflect.DeepEqual(log.List[0].Where, want.Faults.List[0].Where) || res.Counters != want.Counters {
			t.Errorf("%d workers: %+v, of one %+v", workers, log, want.Faults)
		}
	}
}

// TestMissInLaunch: groups on several workers access pages that are not mapped yet.
func TestMissInLaunch(t *testing.T) {
	const groups = 40
	l, _ := newLaunch(strings.NewReplacer("SPACE", "group", "FIRST", "0", "STRIDE", "4").Replace(keep), groups, 8)
	global := &mem.Space{Name: "global"}
	asked := 0
	global.Miss = func(_ *mem.Space, addr, _ uint64, _ mem.Rights) mem.Reply {
		asked++
		page := addr &^ 255
		return mem.Reply{Segment: mem.NewSegment(string(rune('A'+page/256)), page, 256, mem.ReadWrite)}
	}
	l.Env.Spaces = exec.Spaces{ir.GlobalSpace: {global}}
	l.Workers, l.Relaxed = 4, true
	res, err := l.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if res.Serial || res.Workers != 4 || !strings.Contains(res.Why, "mapped as groups come to them") {
		t.Errorf("%+v", res)
	}
	l.Relaxed = false
	if res, err = l.Run(context.Background()); err != nil || !res.Serial || res.Workers != 1 {
		t.Errorf("%+v, %v", res, err)
	}
	const bytes = groups * 40 * 4
	if asked != (bytes+255)/256 || global.Bytes() != uint64(asked)*256 {
		t.Errorf("asked %d times, %d bytes mapped", asked, global.Bytes())
	}
}
