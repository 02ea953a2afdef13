// Command gen writes the files of this repository that are generated from its tables, or selects the committed cases
// from the full sets:
//
//	go run ./internal/gen                        docs/ir.md, docs/isa-*.md, docs/lint.md, the support table of README.md,
//	                                             internal/reference/z_sections.go, internal/portable/z_*.go
//	go run ./internal/gen -cases ../shared/cases cases/
//
// Run it from the root of the repository. A test compares the committed files with the generated ones.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	cases := flag.String("cases", "", "folder of the full sets, to pick cases/ from")
	flag.Parse()
	if err := run(*cases); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(cases string) error {
	if cases != "" {
		return pick(cases, "cases")
	}
	files, err := generate(".")
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}
