package valhallrun

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/platforms/valhall"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/isa"
	vh "github.com/heddle-gpu/heddle/isa/valhall"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/sanitize"
)

// slotAddress computes the address of a thread's own word of workgroup memory in r0:r1, and that of the next warp's, or
// the next thread's, in r2:r3. The workgroup has 32 threads.
const slotAddress = `
	U16_TO_U32 r4, r55.h00
	LSHIFT_OR.i32 r4, r4, 0x3020100.b22, 0x0
	IADD.u32 r0, workgroup_local_pointer.w0, r4
	MOV.i32 r1, workgroup_local_pointer.w1
	IADD_IMM.i32 r5, r4, #0x%X
	LSHIFT_AND.i32 r5, r5, 0x0.b00, u0
	IADD.u32 r2, workgroup_local_pointer.w0, r5
	MOV.i32 r3, workgroup_local_pointer.w1
`

// watched runs a program on three workgroups of 32 threads and returns a function that returns the comment after // in
// the line of the instruction at an address.
func watched(t *testing.T, text string, w launch.Watcher) (line func(pc uint64) string) {
	t.Helper()
	tg := vh.Set().At(0, 0)
	text += "\tNOP.end\n"
	a, errs := asm.Assemble(tg, []byte(text), asm.Options{})
	if len(errs) > 0 {
		t.Fatal(errs[0].Detail())
	}
	k := &launch.Kernel{Name: "k", Program: exec.NewProgram(&isa.Program{Target: tg, Code: a.Code}), Groups: [3]uint32{3, 1, 1}, Block: [3]uint32{32, 1, 1}, Args: []byte{127}, GroupBytes: 128}
	if _, err := valhall.Platform.Compute.Launch(context.Background(), k, launch.Settings{Engine: ref.New(), Watcher: w}); err != nil {
		t.Fatal(err)
	}
	source := strings.Split(text, "\n")
	return func(pc uint64) string {
		for _, l := range a.Lines {
			if uint64(l.Off) == pc {
				_, mark, _ := strings.Cut(source[l.Line-1], "//")
				return mark
			}
		}
		t.Fatalf("no line at %#x", pc)
		return ""
	}
}

// races runs a program on three workgroups of 32 threads, and returns the lines of the instructions that race.
func races(t *testing.T, text string, step int, r *sanitize.Races) (lines []string) {
	t.Helper()
	line := watched(t, fmt.Sprintf(slotAddress, step)+text, r)
	for _, x := range r.Found() {
		if x.Kernel != "k" || x.Count == 0 || !strings.Contains(x.String(), x.First.Text) || !strings.Contains(x.String(), x.Second.Text) {
			t.Errorf("%+v: %v", x, x)
		}
		pair := []string{line(x.First.PC), line(x.Second.PC)}
		slices.Sort(pair)
		lines = append(lines, strings.Join(pair, " "))
	}
	return lines
}

// racePrograms are programs, and the lines of the racing instructions in them.
var racePrograms = []struct {
	name, text string
	want       string
}{
	{"store, then another's load", `
	STORE.i32.slot0.wait0 @r4, r0, offset:0 //a
	LOAD.i32.slot0.wait0 @r6, r2, offset:0 //b
`, "a b"},
	{"barrier between", `
	STORE.i32.slot0.wait0 @r4, r0, offset:0 //a
	BARRIER.slot7.wait
	LOAD.i32.slot0.wait0 @r6, r2, offset:0 //b
`, ""},
	{"load, then another's store", `
	LOAD.i32.slot0.wait0 @r6, r2, offset:0 //a
	STORE.i32.slot0.wait0 @r4, r0, offset:0 //b
	BARRIER.slot7.wait
	LOAD.i32.slot0.wait0 @r6, r2, offset:0 //c
`, "a b"},
	{"store behind the barrier meets the next round", `
	STORE.i32.slot0.wait0 @r4, r0, offset:0 //a
	BARRIER.slot7.wait
	LOAD.i32.slot0.wait0 @r6, r2, offset:0 //b
	STORE.i32.slot0.wait0 @r4, r0, offset:0 //c
	BARRIER.slot7.wait
`, "b c"},
	{"loads only", `
	LOAD.i32.slot0.wait0 @r6, r2, offset:0 //a
	LOAD.i32.slot0.wait0 @r6, r0, offset:0 //b
`, ""},
	{"two stores", `
	STORE.i32.slot0.wait0 @r4, workgroup_local_pointer.w0, offset:0 //a
`, "a a"},
	{"atomics", `
	ATOM1_RETURN.i32.slot0.ainc.wait0 @r6, workgroup_local_pointer.w0, offset:0x0 //a
`, ""},
	{"atomic and load", `
	ATOM1_RETURN.i32.slot0.ainc.wait0 @r6, workgroup_local_pointer.w0, offset:0x0 //a
	LOAD.i32.slot0.wait0 @r6, workgroup_local_pointer.w0, offset:0 //b
`, "a b"},
	{"store and another's atomic", `
	STORE.i32.slot0.wait0 @r4, r0, offset:0 //a
	ATOM1_RETURN.i32.slot0.ainc.wait0 @r6, r2, offset:0x0 //b
`, "a b"},
	{"one byte of a word", `
	STORE.i32.slot0.wait0 @r4, r0, offset:0 //a
	LOAD.i8.slot0.wait0 @r6, r2, offset:3 //b
`, "a b"},
	{"bytes beside each other", `
	LSHIFT_AND.i32 r7, r4, 0x0.b00, 0x0
	STORE.i8.slot0.wait0 @r4, r0, offset:0 //a
	LOAD.i8.slot0.wait0 @r6, r2, offset:1 //b
`, ""},
	{"threads of one warp only", `
	U16_TO_U32 r7, r55.h00
	ICMP_OR.u32.lt.m1 r7, r7, 0x13121110.b0, 0x0
	BRANCHZ.eq.reconverge r7, over
	STORE.i32.slot0.wait0 @r4, r0, offset:0 //a
	LOAD.i32.slot0.wait0 @r6, r0, offset:0 //b
	NOP.reconverge
over:
`, ""},
}

// TestRaces: instructions of two warps that race in workgroup memory without a barrier in between are found, and no
// others.
func TestRaces(t *testing.T) {
	for _, c := range racePrograms {
		t.Run(c.name, func(t *testing.T) {
			if got := strings.Join(races(t, c.text, 64, &sanitize.Races{}), ", "); got != c.want && got != c.want+", "+c.want {
				t.Errorf("races %q, want %q", got, c.want)
			}
		})
	}
}

// TestThreadRaces: races between threads of one warp are found on request.
func TestThreadRaces(t *testing.T) {
	const text = `
	STORE.i32.slot0.wait0 @r4, r0, offset:0 //a
	LOAD.i32.slot0.wait0 @r6, r0, offset:0 //b
	BARRIER.slot7.wait
	U16_TO_U32 r7, r55.h00
	ICMP_OR.u32.lt.m1 r7, r7, 0x13121110.b0, 0x0
	BRANCHZ.eq.reconverge r7, over
	LSHIFT_AND.i32 r2, r2, 0x0.b00, 0xFFFFFFFF
	LOAD.i32.slot0.wait0 @r6, workgroup_local_pointer.w0, offset:4 //c
	STORE.i32.slot0.wait0 @r4, r0, offset:0 //d
	NOP.reconverge
over:
`
	if got := races(t, text, 4, &sanitize.Races{}); len(got) > 0 {
		t.Errorf("between warps: %q", got)
	}
	if got := races(t, text, 4, &sanitize.Races{Threads: true}); !slices.Equal(got, []string{"c d"}) {
		t.Errorf("between threads: %q, want c d", got)
	}
}

// waitPrograms are programs in which lanes 0 to 6 load r6 and wait for it or not, and what reads it before the load has
// completed.
var waitPrograms = []struct{ name, wait, text, want string }{
	{"own register", "", "\tMOV.i32 r8, r6 //b\n", "b a"},
	{"waited for", ".wait0", "\tMOV.i32 r8, r6 //b\n", ""},
	{"another lane's register", "", "\tCLPER.i32.subgroup8 r8, r6, 0x0 //b\n", "b a"},
	{"another lane's register, waited for", ".wait0", "\tCLPER.i32.subgroup8 r8, r6, 0x0 //b\n", ""},
	{"a bit of each lane", "", "\tWMASK.subgroup8 r8, r6 //b\n", "b a"},
	{"another register of the lanes", "", "\tCLPER.i32.subgroup8 r8, r5, 0x0 //b\n", ""},
	// Inactive lanes are not read: they count as inactive.
	{"in lanes that have not loaded", "", `
	BRANCHZ.reconverge r7, none
	CLPER.i32.subgroup8 r8, r6, 0x0 //b
	NOP.reconverge
none:
`, ""},
}

// TestEarlyReads: an instruction that reads a register before a load has written it is found with the load, also if it
// reads the register of other lanes.
func TestEarlyReads(t *testing.T) {
	for _, c := range waitPrograms {
		t.Run(c.name, func(t *testing.T) {
			w := &sanitize.Waits{}
			line := watched(t, fmt.Sprintf(slotAddress, 4)+`
	U16_TO_U32 r7, r55.h00
	ICMP_OR.u32.lt.m1 r7, r7, 0x7060504.b3, 0x0
	BRANCHZ.eq.reconverge r7, over
	LOAD.i32.slot0`+c.wait+` @r6, r0, offset:0 //a
	NOP.reconverge
over:
`+c.text, w)
			var found []string
			for _, x := range w.Found() {
				found = append(found, line(x.At.PC)+" "+line(x.From.PC))
			}
			if got := strings.Join(found, ", "); got != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}
