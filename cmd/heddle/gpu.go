package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu/chip"
	"github.com/heddle-gpu/heddle/internal/manual"
)

type gpuCmd struct {
	Program []string `arg:"" optional:"" help:"The program and its arguments, after --."`

	Chip    chipFlag      `default:"polaris10" placeholder:"NAME" help:"GPU that the program finds: --chips lists them."`
	Chips   bool          `help:"List the chips."`
	Engine  engineFlag    `default:"auto" placeholder:"NAME" help:"Engine that runs the code: ${engines}. auto is the fastest that can run here."`
	Workers int           `default:"1" range:"0..4096" placeholder:"N" help:"Groups of a dispatch that run at once; 0: as many as the host has processors. With more than one their order is not defined, as on the GPU."`
	Hang    time.Duration `default:"10m" range:"0s..8760h" placeholder:"TIME" help:"A submission that takes longer is a hang: its context is lost; 0: no limit."`
	Timeout time.Duration `range:"0s..8760h" placeholder:"TIME" help:"Limit of time for the program, such as 30s; 0: none."`
	Trace   string        `placeholder:"FILE" help:"Write the packets of command streams as text; - is standard error."`
	Capture string        `placeholder:"FOLDER" help:"Write dispatches as manifests, which run, step, dap, lint and check take: FOLDER/dispatch1 and so on."`
	Most    int           `name:"capture-most" default:"16" range:"1..1000000" placeholder:"N" help:"How many dispatches --capture writes: the first ones."`
	DAP     string        `name:"dap" placeholder:"HOST:PORT" help:"Wait there for an editor that attaches, by the Debug Adapter Protocol, then start the program: dispatches run under its debugger. Editors may leave and come back."`
	Stats   bool          `help:"Print what the GPU has done, on standard error."`
	Sanitizing
	Fidel bool        `name:"fidelity" help:"Count the executed instructions by how exactly they run, on standard error."`
	tally *exec.Tally // for Fidel
	Prof  bool        `name:"profile" help:"Count what the instructions of all dispatches do, and print it on standard error: a table of kernels, and the instructions of the hottest ones."`
	Hot   int         `default:"3" range:"0.." placeholder:"N" help:"How many kernels and lines of --profile to list as the hottest."`
	ProfileFiles
	ModelFlags
	JSON bool `help:"Print --chips, or --stats or --profile in place of their text, as JSON."`
}

func (c *gpuCmd) Help() string {
	return `Runs a program that finds a GPU: its own Vulkan or OpenCL driver or ROCm's runtime, unchanged, opens the device, and what it submits is executed here.
Nothing is installed, no privileges are needed, and programs that the program starts find the GPU, too.
Compute is built; draws are not, and say so. docs/gpu.md says what works, what kernels and containers need, and how to look inside.

The exit code is the program's, 128 plus the number of the signal that ended it, 124 after --timeout, or 2 if it could not be started.

Examples:
  heddle gpu --chips
  heddle gpu --chip polaris10 -- vulkaninfo --summary
  heddle gpu --chip tahiti --stats -- vulkaninfo --summary
  heddle gpu --sanitize=race,wait --fidelity -- vulkaninfo --summary
  heddle gpu --profile --hot 1 -- vulkaninfo --summary
  heddle gpu --profile --timing --perfetto trace.json -- vulkaninfo --summary
  heddle gpu --timeout 1m --trace packets.txt -- vulkaninfo --summary`
}

// A chipFlag names a chip.
type chipFlag string

// UnmarshalText rejects names that are no chip.
func (c *chipFlag) UnmarshalText(text []byte) error {
	*c = chipFlag(text)
	_, err := chip.Lookup(string(text))
	return err
}

// A chipInfo is an entry of --chips --json.
type chipInfo struct {
	Name    string   `json:"name"`
	ISA     string   `json:"isa"`
	PCI     string   `json:"pci"`
	Units   int      `json:"compute_units"`
	Engines int      `json:"shader_engines"`
	VRAM    uint64   `json:"vram_bytes"`
	Clock   uint64   `json:"shader_clock_khz"`
	Guesses []string `json:"guesses,omitempty"` // figures that no source gives
}

func (c *gpuCmd) Run(a *app) error {
	kind := byte('p')
	if c.Chips {
		kind = 'c'
	}
	if err := a.fits("gpu", kind, ""); err != nil {
		return err
	}
	switch {
	case c.Chips && len(c.Program) > 0:
		return errors.New("gpu: --chips runs no program")
	case c.Chips:
		return c.list(a)
	case c.JSON && c.Stats == c.Prof:
		return errors.New("gpu: --json goes with --chips, or one of --stats and --profile")
	case !c.Prof && len(c.files()) > 0:
		return fmt.Errorf("gpu: %s goes with --profile", c.files()[0].flag)
	case !c.Prof && c.timed():
		return errors.New("gpu: --timing and --perfetto go with --profile")
	case !c.timed() && len(c.Figure) > 0:
		return errors.New("gpu: --figure is about the model of time; --timing asks for it")
	case c.toStdout() || c.Perfetto == "-":
		return errors.New("gpu: standard output is the program's; a profile can go to a file")
	case c.Prof && c.checks() != 0:
		return errors.New("gpu: what the sanitizer adds to the code would count in --profile")
	case c.DAP != "" && (c.checks() != 0 || c.Fidel || c.Prof || c.Capture != ""):
		return errors.New("gpu: --dap runs instructions again when it goes back: --sanitize, --fidelity, --profile and --capture would see them twice")
	case len(c.Program) == 0:
		return hinted{errors.New("gpu: no program"), "such as heddle gpu -- vulkaninfo --summary"}
	}
	defer a.deadline(c.Timeout)()
	a.serves.Store(true) // an interrupt ends the program, and then this
	return c.start(a)
}

// list prints the chips.
func (c *gpuCmd) list(a *app) error {
	var infos []chipInfo
	rows := [][]string{{"CHIP", "ISA", "PCI", "UNITS", "ENGINES", "VRAM", "CLOCK"}}
	for _, x := range chip.All() {
		i := chipInfo{x.Name, fmt.Sprintf("gcn:gfx%d", x.Gen), fmt.Sprintf("1002:%04x", x.Device), x.TotalCUs(), x.Engines, x.VRAM, x.ShaderClock, x.Guesses}
		infos = append(infos, i)
		rows = append(rows, []string{i.Name, i.ISA, i.PCI, fmt.Sprint(i.Units), fmt.Sprint(i.Engines), fmt.Sprintf("%d GiB", i.VRAM>>30), fmt.Sprintf("%d MHz", i.Clock/1000)})
	}
	if c.JSON {
		return a.json(infos)
	}
	a.printf("%s", manual.Table(rows, ""))
	return nil
}
