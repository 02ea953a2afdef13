package main

import (
	"runtime"
	"runtime/debug"
)

type versionCmd struct {
	JSON bool `help:"Print JSON."`
}

func (c *versionCmd) Help() string {
	return `Example:
  heddle version`
}

// A version is the program's version information from the Go tools.
type version struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func versionOf() version {
	v := version{Version: "devel", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" && info.Main.Version != "(devel)" {
			v.Version = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				v.Revision = s.Value
			}
		}
	}
	return v
}

func (v version) String() string { return "heddle " + v.Version + " " + v.Go + " " + v.Platform }

func (c *versionCmd) Run(a *app) error {
	v := versionOf()
	if c.JSON {
		return a.json(v)
	}
	a.printf("%s\n", v)
	return nil
}

type helpCmd struct {
	Command string `arg:"" optional:"" help:"The command; the list of all if not given."`
}

func (c *helpCmd) Help() string {
	return `Example:
  heddle help dis`
}

// Run is never called: app.command parses help CMD as CMD --help.
func (c *helpCmd) Run(*app) error { return nil }
