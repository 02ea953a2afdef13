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

func (c *versionCmd) Run(a *app) error {
	v := struct {
		Version  string `json:"version"`
		Revision string `json:"revision,omitempty"`
		Go       string `json:"go"`
		Platform string `json:"platform"`
	}{Version: "devel", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
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
	if c.JSON {
		return a.json(v)
	}
	a.printf("heddle %s %s %s\n", v.Version, v.Go, v.Platform)
	return nil
}
