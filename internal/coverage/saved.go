package coverage

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/heddle-gpu/heddle/loc"
)

// Read adds what a file of a coverage has.
func (c *Coverage) Read(text []byte) error {
	from, err := read(text)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.Copy(c.Forms, from.Forms)
	for _, x := range from.Codes {
		x.paths = map[string]loc.Position{}
		if to := c.by[x.ID]; to != nil {
			to.Name = min(to.Name, x.Name)
			to.merge(x)
			continue
		}
		c.by[x.ID], c.Codes = x, append(c.Codes, x)
	}
	for _, o := range from.Ones {
		c.addOne(o)
	}
	return nil
}

// read reads a file whose keys and types are those of the schema.
func read(text []byte) (*Coverage, error) {
	var of struct {
		Format string `json:"format"`
	}
	if err := json.Unmarshal(text, &of); err != nil {
		return nil, err
	}
	if of.Format != Format {
		return nil, fmt.Errorf("the format is %q, not %q", of.Format, Format)
	}
	from, d := &Coverage{}, json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(from); err != nil {
		return nil, err
	}
	return from, from.check()
}

// check reports what no Write writes.
func (c *Coverage) check() error {
	ids := map[string]bool{}
	for i, x := range c.Codes {
		if x == nil || x.ID == "" || x.ISA == "" {
			return fmt.Errorf("codes[%d] has no id or no isa", i)
		}
		if ids[x.ID] {
			return fmt.Errorf("codes[%d] has the id of another", i)
		}
		ids[x.ID] = true
		for k, in := range x.Insts {
			if in == nil || k > 0 && in.Addr <= x.Insts[k-1].Addr {
				return fmt.Errorf("codes[%d].instructions[%d] is not after the one before", i, k)
			}
			if in.Line < 0 {
				return fmt.Errorf("codes[%d].instructions[%d] is on line %d", i, k, in.Line)
			}
			if in.Waves == 0 && in.Full+in.Some+in.None+in.Taken+in.Passed > 0 {
				return fmt.Errorf("codes[%d].instructions[%d] has cases or branches, and did not run", i, k)
			}
		}
	}
	for set, n := range c.Forms {
		if n < 0 {
			return fmt.Errorf("forms of %s are %d", set, n)
		}
	}
	for i, o := range c.Ones {
		if o == nil || o.ISA == "" || len(o.Forms) == 0 {
			return fmt.Errorf("single_instructions[%d] has no isa or no forms", i)
		}
	}
	return nil
}

// Write returns the file of the coverage, with codes in the order of their names.
func (c *Coverage) Write() ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sort()
	text, err := json.MarshalIndent(c, "", " ")
	return append(text, '\n'), err
}

func (c *Coverage) sort() {
	slices.SortFunc(c.Codes, func(x, y *Code) int { return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.ID, y.ID)) })
	slices.SortFunc(c.Ones, func(x, y *One) int { return cmp.Compare(x.key(), y.key()) })
}
