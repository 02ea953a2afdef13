package main

import (
	"fmt"

	"github.com/heddle-gpu/heddle/internal/guess"
	"github.com/heddle-gpu/heddle/internal/kernels"
	"github.com/heddle-gpu/heddle/internal/spell"
)

// A jsonScan is the output of dis --scan --json.
type jsonScan struct {
	File    string       `json:"file"`
	Size    int          `json:"size"` // bytes
	Regions []jsonRegion `json:"regions"`
}

type jsonRegion struct {
	Offset       int      `json:"offset"`
	Size         int      `json:"size"` // bytes
	ISA          string   `json:"isa"`
	Stage        string   `json:"stage,omitempty"`
	Also         []string `json:"also,omitempty"` // variants and stages that fit as well
	Confidence   float64  `json:"confidence"`     // 0 to 1
	Instructions int      `json:"instructions"`
}

// scan lists the parts of the file that are code. The file is read as bytes, whatever its name.
func (c *disCmd) scan(a *app) error {
	for _, f := range sourceFlags {
		if a.given(f) {
			return fmt.Errorf("--scan takes a file as bytes: --%s, of source files, does not go with it", f)
		}
	}
	if err := a.fits("dis", 'n', ""); err != nil {
		return err
	}
	data, err := a.read(c.File)
	if err != nil {
		return err
	}
	list, err := within(a, "scanning "+c.File, func() ([]guess.Region, error) { return guess.Scan(a.ctx, data) })
	if err != nil {
		return err
	}
	j := jsonScan{c.File, len(data), []jsonRegion{}}
	for i := range list {
		g := &list[i]
		r := jsonRegion{Offset: g.Offset, Size: g.Size, ISA: g.Target.FullName(), Confidence: g.Sure, Instructions: g.Instructions}
		if len(g.Target.Stages) > 0 {
			r.Stage = g.Target.Stages[g.Target.Stage]
		}
		for _, t := range g.Also {
			r.Also = append(r.Also, t.String())
		}
		j.Regions = append(j.Regions, r)
	}
	if c.JSON {
		return a.json(j)
	}
	if len(list) == 0 {
		fmt.Fprintf(a.err, "heddle: %s: no region found above confidence %.0f %% in %s\n", c.File, 100*guess.Least, spell.Count(len(data), "byte"))
		return nil
	}
	a.table("", "offset\tbytes\tinstruction set\tconfidence\tinstructions", len(list), func(i int) string {
		g := &list[i]
		return fmt.Sprintf("%#x\t%d\t%s\t%.0f %%\t%d", g.Offset, g.Size, g.Target, 100*min(g.Sure, 0.99), g.Instructions)
	})
	g := &list[0]
	stage := ""
	if len(g.Target.Stages) > 0 {
		stage = " --stage " + g.Target.Stages[g.Target.Stage]
	}
	a.say("\nlist one: heddle dis --raw --isa %s%s --start %#x --stop %#x %s\n", g.Target.FullName(), stage, g.Offset, g.End(), kernels.Word(c.File))
	return nil
}
