package teslarun

import (
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/laws"
	"github.com/heddle-gpu/heddle/isa/tesla"
)

// stacks are contents of the control stack while rows run.
var stacks = [][]exec.TokenKind{
	nil,
	{exec.TokenCall, exec.TokenBreak, exec.TokenMeet},
	{exec.TokenMeet, exec.TokenCall, exec.TokenBreak},
	{exec.TokenBranch},
	{exec.TokenQuad},
	slices.Repeat([]exec.TokenKind{exec.TokenMeet}, tesla.StackDepth),
}

// TestInactiveLanes: rows run with partial execution masks, on each variant and stage; a faulting instruction has no
// effect.
func TestInactiveLanes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute: every row on 20 targets")
	}
	at := 0
	n := laws.Lanes(t, tesla.Set(), laws.RunOptions{Prepare: func(st *exec.State) {
		for _, k := range stacks[at%len(stacks)] {
			st.Stack = append(st.Stack, exec.Token{Kind: k, PC: 0x100, Mask: st.Full})
		}
		at++
	}})
	if n < 50_000 {
		t.Errorf("%d runs", n)
	}
}
