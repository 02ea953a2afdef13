package main

import (
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/internal/spec"
	"github.com/heddle-gpu/heddle/isa"
)

type specCmd struct {
	ISA    string `name:"isa" short:"i" placeholder:"ISA" help:"Instruction set: of all its variants (gcn), or of one (gcn:gfx8, gfx803)."`
	JSON   bool   `xor:"form" help:"Print the instruction set as JSON."`
	Brief  bool   `help:"Leave out what rows do: meanings, examples, fidelity. What decoding and printing need stays."`
	Schema bool   `xor:"form" help:"Print the JSON Schema of that."`
}

func (c *specCmd) Help() string {
	return `The whole of an instruction set as data, for other tools: encodings, fields, operands, rows, restrictions, texts, meanings as IR,
fidelity, sources. docs/spec.md says how a decoder is made of it. Without --json: how much there is.

Examples:
  heddle spec --isa valhall
  heddle spec --isa valhall --json > valhall.json
  heddle spec --isa gcn:gfx8 --json --brief | grep '"name":"v_mad_f32"'
  heddle spec --schema > spec.schema.json`
}

// form returns the kind of output: see fits.
func (c *specCmd) form() byte {
	if c.Schema {
		return 's'
	}
	return formOf(c.JSON)
}

func (c *specCmd) Run(a *app) error {
	if err := a.fits("spec", c.form(), ""); err != nil {
		return err
	}
	if c.Schema {
		text, err := spec.Schema()
		if err == nil {
			_, err = a.out.Write(text)
		}
		return err
	}
	set, what, err := c.what()
	if err != nil {
		return err
	}
	if c.Brief || !c.JSON {
		what.Runs = func(*isa.Def) bool { return false }
	}
	d, err := within(a, "spec of "+set.Name, func() (*spec.Document, error) { return spec.Build(set, what) })
	if err != nil {
		return err
	}
	if c.JSON {
		return d.Write(a.out)
	}
	c.summary(a, d)
	return nil
}

// what returns the requested set and variants.
func (c *specCmd) what() (*isa.Set, spec.What, error) {
	t, err := find(c.ISA, "", "")
	if err != nil {
		return nil, spec.What{}, err
	}
	what := spec.What{Variant: t.Variant}
	for _, e := range sets.Entries() {
		if e.Name != t.Name {
			continue
		}
		if strings.EqualFold(c.ISA, e.Name) {
			what.Variant = spec.AllVariants
		}
		return e.Set(), what, nil
	}
	return t.Set, what, nil
}

// summary prints the size of a document.
func (c *specCmd) summary(a *app, d *spec.Document) {
	name := d.ISA
	if len(d.Variants) == 1 {
		name += ":" + d.Variants[0].Name
	}
	a.printf("%s: %s\n", name, d.Doc)
	var rows [][]string
	for _, n := range d.Counts() {
		rows = append(rows, []string{strconv.Itoa(n.N), n.What, n.About})
	}
	a.printf("%s", manual.Table(rows, "  "))
	a.printf("--json prints them, and what each row does; --schema prints the schema of that\n")
}
