package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/heddle-gpu/heddle/internal/linter"
	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/internal/reference"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/internal/spec"
)

// Marks around the generated part of a file that is otherwise written by hand.
const (
	tableBegin = "<!-- support: go run ./internal/gen -->\n"
	tableEnd   = "<!-- end of support -->"
)

// generate returns the generated files by path from root.
func generate(root string) (map[string]string, error) {
	pages, err := reference.Read(root)
	if err != nil {
		return nil, err
	}
	sections := reference.Sections(pages)
	files, err := rowFiles()
	if err != nil {
		return nil, err
	}
	files["docs/ir.md"], files["internal/reference/z_sections.go"] = manual.OpsMarkdown(), reference.Go(sections)
	for _, s := range sets.Sets() {
		page, err := manual.SetMarkdown(s, reference.NewIndex(sections))
		if err != nil {
			return nil, err
		}
		files["docs/isa-"+s.Name+".md"] = page
		cases, err := countCases(root, s)
		if err != nil {
			return nil, err
		}
		if files["docs/coverage-"+s.Name+".md"], err = manual.CoverageMarkdown(s, cases); err != nil {
			return nil, err
		}
	}
	if files["docs/lint.md"], err = linter.Markdown(); err != nil {
		return nil, err
	}
	schema, err := spec.Schema()
	if err != nil {
		return nil, err
	}
	files[spec.SchemaFile] = string(schema)
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		return nil, err
	}
	files["README.md"], err = between(string(readme), manual.SupportMarkdown())
	return files, err
}

// between replaces the text between the marks.
func between(text, table string) (string, error) {
	before, rest, ok := strings.Cut(text, tableBegin)
	_, after, ok2 := strings.Cut(rest, tableEnd)
	if !ok || !ok2 {
		return "", fmt.Errorf("README.md has lost the marks of its support table")
	}
	return before + tableBegin + table + tableEnd + after, nil
}
