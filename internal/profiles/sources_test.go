package profiles

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/debug"
)

// embedIn adds the text of source files to a profile.
func embedIn(p *Profile, from *debug.Sources) {
	list := []Profile{*p}
	Embed(list, from)
	*p = list[0]
}

// TestEmbedInside: files outside of the directories are not read, however they are named, and the profile says so once.
func TestEmbedInside(t *testing.T) {
	out, in := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{out + "/secret": "hidden", out + "/other": "hidden", in + "/k.cl": "shown", out + "/k.cl": "hidden"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(out+"/secret", in+"/link"); err != nil {
		t.Fatal(err)
	}
	up, err := filepath.Rel(in, out+"/other")
	if err != nil {
		t.Fatal(err)
	}
	list := []Inst{{Frames: []Frame{{Called: out + "/secret:1"}}}}
	for _, file := range []string{out + "/secret", in + "/link", in + "/" + up, in + "/k.cl", out + "/k.cl", "/nowhere/k.cl"} {
		list = append(list, Inst{Source: file + ":1"})
	}
	p := program(true, "", list...)
	embedIn(p, &debug.Sources{Dirs: []string{in}})
	for _, s := range p.Sources {
		if s.Text != "shown" {
			t.Errorf("%+v", s)
		}
	}
	if len(p.Sources) != 3 || !strings.HasPrefix(p.NotShown, out+"/secret and 2 more, outside of ") || !strings.HasSuffix(p.NotShown, " and "+in) {
		t.Errorf("%d files, not shown: %s", len(p.Sources), p.NotShown)
	}
}

// TestEmbedLimit: the text of all profiles is limited.
func TestEmbedLimit(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/k.cl", []byte(strings.Repeat("x", 3<<20)), 0o666); err != nil {
		t.Fatal(err)
	}
	var list []Profile
	for range 6 {
		list = append(list, *program(true, "", Inst{Source: "k.cl:1"}))
	}
	Embed(list, &debug.Sources{Dirs: []string{dir}})
	if len(list[4].Sources) != 1 || len(list[5].Sources) != 0 || list[4].NotShown != "" || list[5].NotShown != "1 file beyond 16 MiB of source" {
		t.Errorf("%d and %d files, %q", len(list[4].Sources), len(list[5].Sources), list[5].NotShown)
	}
}
