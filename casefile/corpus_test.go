package casefile

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/object"
)

// TestAllCases reads every file of the full set. For the sets that are listed it checks the number of cases.
func TestAllCases(t *testing.T) {
	dir := cases.Dir(t)
	l := cases.NewLedger(t, dir, "read")
	readers := map[FileKind]func(path string, add func(error)){
		PairsFile: readPairs, StatesFile: readStates, ManifestFile: readManifest,
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		kind, err := Detect(path)
		if err != nil {
			return err
		}
		if read := readers[kind]; read != nil {
			read(path, func(err error) {
				failure := ""
				if err != nil {
					failure = err.Error()
				}
				l.Add(path, "-", "read", failure)
			})
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	l.Settle(t)
}

func readPairs(path string, add func(error)) {
	f, err := Open(path)
	if err != nil {
		add(err)
		return
	}
	defer f.Close()
	for _, err := range Pairs(f, path) {
		add(err)
	}
}

func readStates(path string, add func(error)) {
	f, err := Open(path)
	if err != nil {
		add(err)
		return
	}
	defer f.Close()
	for c, err := range States(f, path) {
		if err == nil && c.Initial != nil {
			if _, err = c.Initial.Textures(); err == nil {
				_, err = c.Initial.Streams()
			}
		}
		add(err)
	}
}

// readManifest reads a manifest and everything that it names.
func readManifest(path string, add func(error)) {
	m, err := ReadManifestFile(path)
	if err == nil && (m.Extra != nil || m.Name != filepath.Base(filepath.Dir(path))) {
		err = fmt.Errorf("%s: name %s, extra keys %v", path, m.Name, m.Extra)
	}
	if add(err); err != nil {
		return
	}
	for i := range m.Variants {
		add(readBuild(m, &m.Variants[i]))
	}
	for i := range m.Buffers {
		b := &m.Buffers[i]
		for _, read := range []func(*Buffer) ([]byte, error){m.InitData, m.ExpectData} {
			data, err := read(b)
			if err == nil && len(data) != b.Bytes {
				err = fmt.Errorf("%s: %s: %d bytes, want %d", path, b.Name, len(data), b.Bytes)
			}
			add(err)
		}
	}
}

func readBuild(m *Manifest, v *Build) error {
	b, err := os.ReadFile(m.Path(v.File))
	if err != nil {
		return err
	}
	o, err := object.ReadHSAFile(b, v.File)
	if err != nil {
		return err
	}
	if o.Version != v.CodeObjectVersion || o.Variant() != v.Variant || o.Target != v.Target {
		return fmt.Errorf("%s: version %d, %s, %s; manifest says %+v", v.File, o.Version, o.Variant(), o.Target, v)
	}
	for _, l := range m.Launches {
		if k, ok := o.Kernel(l.Kernel); !ok || len(k.Meta.Args) < len(l.Args) {
			return fmt.Errorf("%s: no kernel %s with %d arguments", v.File, l.Kernel, len(l.Args))
		}
	}
	_, err = os.Stat(m.Path(v.Listing))
	return err
}
