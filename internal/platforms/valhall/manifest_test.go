package valhall

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
)

// TestCompiledByManifest: a manifest can express everything that the compiled compute shaders need.
func TestCompiledByManifest(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "..", "..", "cases", "state", "valhall-compiled.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ran := 0
	for c, err := range casefile.States(f, "cases") {
		if err != nil {
			t.Fatal(err)
		}
		if c.Stage == "compute" && c.Final != nil && c.Compare.Type != "none" {
			t.Run(c.Name, func(t *testing.T) { byManifest(t, c.Exact()) })
			ran++
		}
	}
	if ran == 0 {
		t.Fatal("no case runs")
	}
}

// byManifest writes a manifest of a case and its files, and runs it.
func byManifest(t *testing.T, c *casefile.StateCase) {
	folder := t.TempDir()
	write := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("code.bin", c.Code)
	buffers, at, shared := map[string]any{}, map[uint64]string{}, 0
	for i, m := range c.Initial.Memory {
		if m.Space == "shared" {
			shared = len(m.Data)
			continue
		}
		name := fmt.Sprintf("m%d", i)
		write(name, m.Data)
		at[m.Addr] = name
		buffers[name] = map[string]any{"bytes": len(m.Data), "elem": "uint8", "init": name, "address": fmt.Sprintf("%#x", m.Addr)}
	}
	grid, block := c.Launch.Grid, c.Launch.Block
	l := map[string]any{"kernel": "k", "work_dim": 3, "grid": [3]int{grid[0] * block[0], grid[1] * block[1], grid[2] * block[2]}, "block": block, "args": uniforms(c)}
	if shared > 0 {
		l["shared_bytes"] = shared
	}
	if w, ok := c.Initial.Uniform["resource_table_pointer"]; ok {
		l["resources"] = [][]string{firstTable(t, c, w.V[0]&^63, at)}
	}
	text, err := json.Marshal(map[string]any{"format": casefile.ValhallManifestFormat, "name": "n", "variants": []any{map[string]string{"file": "code.bin", "isa": "valhall", "variant": c.Variant}},
		"buffers": buffers, "launches": []any{l}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := casefile.ReadManifest(strings.NewReader(string(text)), filepath.Join(folder, "m.json"))
	if err != nil {
		t.Fatal(err)
	}
	s := settings(1)
	s.Limits.Steps = 10_000_000
	got, _, err := Platform.RunManifest(context.Background(), m, &m.Variants[0], s)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range c.Final.Memory {
		if data := got[at[want.Addr]]; !bytes.Equal(data, want.Data) {
			t.Errorf("memory at %#x is\n% x, want\n% x", want.Addr, data, want.Data)
		}
	}
}

// uniforms are the uniform words of a case as arguments: those up to the last that it has.
func uniforms(c *casefile.StateCase) []any {
	var args []any
	left := len(c.Initial.Uniform)
	for i := 0; left > 0 && i < 256; i++ {
		w, ok := c.Initial.Uniform[fmt.Sprintf("u%d", i)]
		value := uint64(0)
		if ok {
			value = w.V[0]
			left--
		}
		args = append(args, map[string]any{"type": "u32", "value": value})
	}
	return args
}

// firstTable is the names of the buffers in table 0 of the resource table that lies in the memory of a case.
func firstTable(t *testing.T, c *casefile.StateCase, table uint64, at map[uint64]string) (names []string) {
	memory := func(addr uint64) []byte {
		for _, m := range c.Initial.Memory {
			if m.Space == "global" && addr-m.Addr < uint64(len(m.Data)) {
				return m.Data[addr-m.Addr:]
			}
		}
		t.Fatalf("no memory at %#x", addr)
		return nil
	}
	entry := memory(table)
	descriptors := memory(binary.LittleEndian.Uint64(entry) & (1<<56 - 1))
	for i := range binary.LittleEndian.Uint64(entry[8:]) / 32 {
		names = append(names, at[binary.LittleEndian.Uint64(descriptors[32*i+8:])])
	}
	return names
}
