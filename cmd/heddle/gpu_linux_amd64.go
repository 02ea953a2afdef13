package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu"
	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu/chip"
	"github.com/heddle-gpu/heddle/internal/gpu/host"
)

// start runs the program with the GPU.
func (c *gpuCmd) start(a *app) (err error) {
	trace, closeTrace, err := c.trace(a)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeTrace()) }()
	found, err := chip.Lookup(string(c.Chip))
	if err != nil {
		return err
	}
	gpu, err := amdgpu.New(found, amdgpu.Options{Engine: c.Engine.engine(engines.Use{}), Workers: c.Workers, Hang: c.Hang, Trace: trace})
	if err != nil {
		return err
	}
	tree, err := host.NewTree()
	if err != nil {
		return err
	}
	defer tree.Close()
	if err := gpu.Describe(tree); err != nil {
		return err
	}
	arena, err := host.NewArena("heddle-gpu")
	if err != nil {
		return err
	}
	defer arena.Close()
	begin := time.Now()
	err = host.Run(a.ctx, host.Config{Program: c.Program, Tree: tree, Types: []byte{'d'},
		Nodes: []*host.Node{gpu.Node(arena, a.err)}, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})
	if c.Stats {
		err = errors.Join(err, c.stats(a, gpu, time.Since(begin)))
	}
	var exit *host.Exit
	if errors.As(err, &exit) && a.ctx.Err() == nil {
		return told(exit.Status())
	}
	return err
}

// trace opens the file of --trace.
func (c *gpuCmd) trace(a *app) (io.Writer, func() error, error) {
	switch c.Trace {
	case "":
		return nil, func() error { return nil }, nil
	case "-":
		return a.err, func() error { return nil }, nil
	}
	f, err := os.Create(c.Trace)
	if err != nil {
		return nil, nil, err
	}
	return f, f.Close, nil
}

// gpuStats is the output of --stats --json.
type gpuStats struct {
	Seconds      float64 `json:"seconds"`
	Submissions  uint64  `json:"submissions"`
	Packets      uint64  `json:"packets"`
	Dispatches   uint64  `json:"dispatches"`
	Groups       uint64  `json:"groups"`
	Waves        uint64  `json:"waves"`
	Instructions uint64  `json:"wave_instructions"`
	Running      float64 `json:"dispatch_seconds"`
	Programs     uint64  `json:"programs"`
	Faults       uint64  `json:"faults"`
}

// stats prints what the GPU has done.
func (c *gpuCmd) stats(a *app, gpu *amdgpu.Driver, wall time.Duration) error {
	s := &gpu.Stats
	g := gpuStats{wall.Seconds(), s.Submissions.Load(), s.Packets.Load(), s.Dispatches.Load(), s.Groups.Load(), s.Waves.Load(),
		s.Instructions.Load(), time.Duration(s.Time.Load()).Seconds(), s.Programs.Load(), s.Faults.Load()}
	if c.JSON {
		e := json.NewEncoder(a.err)
		e.SetIndent("", "  ")
		return e.Encode(g)
	}
	_, err := fmt.Fprintf(a.err, "heddle gpu: %d submissions, %d packets, %d dispatches of %d programs: %d groups, %d waves, %d wave-instructions in %.3f s of %.3f s; %d faults\n",
		g.Submissions, g.Packets, g.Dispatches, g.Programs, g.Groups, g.Waves, g.Instructions, g.Running, g.Seconds, g.Faults)
	return err
}
