package debug_test

import (
	"context"
	"fmt"
	"log"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/debug"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
)

// A stops listener receives only halts.
type stops struct {
	debug.Silent
	halts chan *debug.Halt
}

func (s *stops) Halted(h *debug.Halt) { s.halts <- h }

// A wave of a kernel stops where a register holds a value, and goes back a step.
func Example() {
	target := heddle.MustFind("gcn:gfx8").Target()
	code, errs := asm.Assemble(target, []byte("s_mov_b32 s0, 3\nagain:\ns_sub_u32 s0, s0, 1\ns_cmp_lg_u32 s0, 0\ns_cbranch_scc1 again\ns_endpgm"), asm.Options{})
	if errs != nil {
		log.Fatal(errs[0])
	}
	run := func(ctx context.Context, s *debug.Session) error {
		p := &isa.Program{Target: target, Code: code.Code}
		st, err := exec.NewState(p.Machine(), 0)
		if err != nil {
			return err
		}
		st.Start(0, ^uint64(0))
		return launch.RunWave(ctx, exec.Stepped(heddle.Reference(), s), exec.NewProgram(p), st, &exec.Env{}, exec.Limits{})
	}

	to := &stops{halts: make(chan *debug.Halt)}
	s := debug.New(run, to)
	s.Start(context.Background())
	<-to.halts // before the first instruction
	s.SetPoints([]*debug.Point{s.NewPoint(debug.Spec{Name: "s_cmp_lg_u32", If: "s0 == 1"})})
	s.Continue()
	h := <-to.halts
	fmt.Println(h.Reason, h.Pos, h.Code.Text(h.Step.PC))
	s.Back(h.Wave, false)
	h = <-to.halts
	fmt.Println(h.Reason, h.Pos, h.Code.Text(h.Step.PC))
	s.Quit()
	// Output:
	// breakpoint 5 s_cmp_lg_u32 s0, 0
	// step 4 s_sub_u32 s0, s0, 1
}
