package exec_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/mem"
)

func refused(pc uint64, op string, wave int) *exec.Fault {
	return &exec.Fault{Kind: exec.FaultMemory, PC: pc, Where: exec.Where{Wave: wave}, Mem: &mem.Fault{Op: op}}
}

// TestFaultLog: one entry per instruction and kind of access, with the first fault of each; the list of a wave is
// bounded, the count is not.
func TestFaultLog(t *testing.T) {
	var l exec.FaultLog
	first := refused(0x20, "store", 0)
	l.Add(first, 3)
	l.Add(refused(0x10, "load", 0), 1)
	l.Add(refused(0x20, "store", 0), 2)
	l.Add(refused(0x20, "load", 0), 4)
	if l.Count != 10 || len(l.List) != 3 || l.List[0].PC != 0x10 || l.List[1].Mem.Op != "load" || l.List[2].Fault != first || l.List[2].Count != 5 {
		t.Errorf("%+v", l)
	}
	for pc := range uint64(2 * exec.MaxRecorded) {
		l.Add(refused(0x1000-pc, "load", 0), 1)
	}
	if l.Count != 10+2*exec.MaxRecorded || len(l.List) != exec.MaxRecorded {
		t.Errorf("%d entries, %d counted", len(l.List), l.Count)
	}
}

// TestFaultLogMerge: merging the logs of waves gives the same in any order and grouping.
func TestFaultLogMerge(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	logs := make([]exec.FaultLog, 20)
	for i := range logs {
		for range 10 {
			f := refused(uint64(rnd.IntN(12)), []string{"load", "store"}[rnd.IntN(2)], i%3)
			f.Group = [3]uint32{uint32(i) % 4, uint32(i) / 4, 0}
			logs[i].Add(f, uint64(1+rnd.IntN(5)))
		}
	}
	merged := func(order []int) (l exec.FaultLog) {
		var halves [2]exec.FaultLog
		for k, i := range order {
			halves[k%2].Merge(&logs[i])
		}
		l.Merge(&halves[1])
		l.Merge(&halves[0])
		return l
	}
	want := merged(rnd.Perm(len(logs)))
	sum := uint64(0)
	for _, r := range want.List {
		sum += r.Count
		for i := range logs {
			for _, o := range logs[i].List {
				if o.PC == r.PC && o.Mem.Op == r.Mem.Op && (o.Group[1] < r.Group[1] || o.Group[1] == r.Group[1] && o.Group[0] < r.Group[0]) {
					t.Errorf("pc %#x: of group %v, but there is one of %v", r.PC, r.Group, o.Group)
				}
			}
		}
	}
	if sum != want.Count {
		t.Errorf("entries have %d, the log %d", sum, want.Count)
	}
	for range 5 {
		if got := merged(rnd.Perm(len(logs))); !reflect.DeepEqual(got, want) {
			t.Errorf("in another order:\n%+v, want\n%+v", got, want)
		}
	}
}
