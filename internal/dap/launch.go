package dap

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/heddle-gpu/heddle/debug"
)

// A Launch is the arguments of a launch request.
type Launch struct {
	Program string   `json:"program"` // manifest, code object, assembly, bare code, scene, recorded draw
	Kernel  string   `json:"kernel"`
	Grid    Axes     `json:"grid"`
	Block   Axes     `json:"block"`
	Args    []string `json:"args"` // each as for heddle run --arg
	ISA     string   `json:"isa"`
	Variant string   `json:"variant"`
	Flags   []string `json:"flags"` // any other flags of heddle run
	Cwd     string   `json:"cwd"`   // what file names are relative to

	StopOnEntry bool     `json:"stopOnEntry"`
	StopOnExit  bool     `json:"stopOnExit"`  // before the last instruction, once
	Counts      bool     `json:"counts"`      // count how often each instruction begins
	Lanes       string   `json:"lanes"`       // "table" (the default) or "threads"
	SourcePaths []string `json:"sourcePaths"` // directories of sources that code names without one
	Hex         bool     `json:"hex"`         // show hexadecimal numbers unless the client says otherwise
	NoDebug     bool     `json:"noDebug"`     // ignore breakpoints
}

// Axes are a size of up to three axes: a number, a list of numbers, or a text such as "8,8".
type Axes string

// UnmarshalJSON accepts any of these.
func (x *Axes) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*x = Axes(text)
		return nil
	}
	var one uint32
	if json.Unmarshal(data, &one) == nil {
		*x = Axes(fmt.Sprint(one))
		return nil
	}
	var list []uint32
	if err := json.Unmarshal(data, &list); err != nil || len(list) > 3 {
		return fmt.Errorf("%s is no size: want a number, a list of up to three, or a text such as \"8,8\"", data)
	}
	*x = Axes(strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ","), "[]"))
	return nil
}

// A Launcher makes a run from a launch request. What the run prints goes to out, unless the session replays. The
// error is that of an invalid launch.
type Launcher func(l *Launch, out io.Writer) (debug.Run, error)

// A Program runs beside the session, which joins it and leaves it.
type Program interface {
	// Join returns the run of a session that joins.
	Join() (debug.Run, error)
	// Leave is called when the session that has joined has quit, or is over.
	Leave()
	// Stop ends the program.
	Stop()
}

// parseLaunch reads the arguments of a launch, or those of an attach request, which need no program.
func parseLaunch(data json.RawMessage, attached bool) (*Launch, error) {
	l := &Launch{}
	if err := json.Unmarshal(data, l); err != nil {
		return nil, fmt.Errorf("launch arguments: %w", err)
	}
	switch {
	case l.Program == "" && !attached:
		return nil, errors.New(`launch arguments: no "program"; it names a manifest, a folder with a manifest.json, a code object, assembly, bare code or a scene`)
	case l.StopOnExit && attached:
		return nil, errors.New(`attach arguments: "stopOnExit" goes with launch: where the last dispatch of a program ends is known only then`)
	case l.Lanes != "" && l.Lanes != "table" && l.Lanes != "threads":
		return nil, fmt.Errorf(`launch arguments: "lanes" is %q; want "table" or "threads"`, l.Lanes)
	}
	if l.Cwd != "" { // it must stay the same when the run is restarted
		dir, err := filepath.Abs(l.Cwd)
		if err != nil {
			return nil, fmt.Errorf("launch arguments: cwd: %w", err)
		}
		l.Cwd = dir
	}
	return l, nil
}
