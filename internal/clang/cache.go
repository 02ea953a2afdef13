package clang

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/object"
)

// A cache is a folder of code objects by what they were compiled of; "" keeps nothing.
type cache string

// maxCache bounds the folder: what was not asked for longest goes first.
const maxCache = 256 << 20

// codeEnding and saysEnding are how the names of an entry's two files end.
const codeEnding, saysEnding = ".hsaco", ".txt"

// An entry is a code object, and what clang said when it made it.
type entry struct{ data, says []byte }

// openCache is the folder that is asked for, or the user's. Where there is no place for it, nothing is kept.
func openCache(dir string) (cache, error) {
	if dir == "" {
		dir = os.Getenv("HEDDLE_CACHE")
	}
	if dir == "off" {
		return "", nil
	}
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", nil // no home: a service, a container
		}
		return cache(filepath.Join(user, "heddle", "clang")), nil
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("folder of the cache: %w", err)
	}
	return cache(abs), nil
}

func (d cache) name(key, ending string) string { return filepath.Join(string(d), key+ending) }

// get is an entry, if it is there and whole: both files of it.
func (d cache) get(key string) (e entry, ok bool) {
	if d == "" || key == "" {
		return e, false
	}
	data, err := limit.ReadFile(d.name(key, codeEnding), limit.File)
	if err != nil || !object.IsHSA(data) {
		return e, false
	}
	says, err := limit.ReadFile(d.name(key, saysEnding), limit.File)
	if err != nil {
		return e, false
	}
	stamp := time.Now()
	os.Chtimes(d.name(key, codeEnding), stamp, stamp) // used; a folder that cannot be written serves as well
	return entry{data, says}, true
}

// put keeps an entry. A cache that cannot be written makes the next run slower, not this one wrong.
func (d cache) put(key string, e entry) {
	if d == "" || key == "" || os.MkdirAll(string(d), 0o700) != nil {
		return
	}
	if d.write(key+saysEnding, e.says) == nil && d.write(key+codeEnding, e.data) == nil {
		d.trim()
	}
}

func (d cache) write(name string, data []byte) error {
	f, err := os.CreateTemp(string(d), "new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(string(d), name))
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// entryOf is the key of the entry that a file of the folder is part of, by its name.
func entryOf(name string) (key string, ok bool) {
	if key, ok = strings.CutSuffix(name, codeEnding); !ok {
		key, ok = strings.CutSuffix(name, saysEnding)
	}
	sum, err := hex.DecodeString(key)
	return key, ok && err == nil && len(sum) == sha256.Size
}

// A kept entry is how large the files of an entry are, and when it was used last.
type kept struct {
	key  string
	size int64
	used time.Time
}

// trim deletes the entries that were not used longest, each whole, until the rest is small enough.
func (d cache) trim() {
	list, err := os.ReadDir(string(d))
	if err != nil {
		return
	}
	entries := map[string]*kept{}
	total := int64(0)
	for _, f := range list {
		key, ok := entryOf(f.Name())
		if !ok {
			continue // not a file of the cache: the user may name any folder
		}
		info, err := f.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		e := entries[key]
		if e == nil {
			e = &kept{key: key}
			entries[key] = e
		}
		e.size += info.Size()
		if t := info.ModTime(); t.After(e.used) {
			e.used = t
		}
		total += info.Size()
	}
	for _, e := range slices.SortedFunc(maps.Values(entries), func(a, b *kept) int { return a.used.Compare(b.used) }) {
		if total <= maxCache {
			return
		}
		// Code without what was said of it is no entry, so that half a deletion does no harm.
		err := errors.Join(remove(d.name(e.key, saysEnding)), remove(d.name(e.key, codeEnding)))
		if err == nil {
			total -= e.size
		}
	}
}

func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// key is a digest of all that decides what a file becomes: clang, flags and the files that they name, the folder and path that debug
// information names, heddle's functions, libclc, the source as preprocessed, and each file that was read for that as it is. "" if nothing is
// kept, or if a flag may make clang read files that are not known.
func (c *compiler) key() (string, error) {
	if c.cache == "" {
		return "", nil
	}
	named, ok := c.namedFiles()
	if !ok {
		return "", nil
	}
	h := sha256.New()
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	var libclc libclcState
	if err := c.findLibclc(&libclc); err != nil {
		return "", err
	}
	for _, s := range append([]string{"heddle-clang-2", c.clang, c.version, here, c.path, c.kind, stamp(libclc.path)}, c.source()...) {
		add(h, []byte(s))
	}
	files, err := fs.Glob(libraryFiles, "library/*.cl")
	if err != nil {
		return "", err
	}
	for _, f := range files {
		text, err := libraryFiles.ReadFile(f)
		if err != nil {
			return "", err
		}
		add(h, text)
	}
	for _, f := range named {
		if err := addFile(h, f); err != nil {
			return "", err
		}
	}
	if err := c.addSource(h); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// add adds bytes and their number, so that no two lists of them are alike.
func add(h hash.Hash, data []byte) {
	fmt.Fprintf(h, "%d\n", len(data))
	h.Write(data)
}

// stamp says which file it is that lies at a path.
func stamp(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return path
	}
	return fmt.Sprint(path, info.Size(), info.ModTime().UnixNano())
}

// addSource adds the source.
func (c *compiler) addSource(h hash.Hash) error {
	if c.kind == "ir" {
		return addFile(h, c.path)
	}
	out, deps := c.file("source.i"), c.file("source.d")
	said, err := c.run(append(c.source(), "-E", "-MD", "-MF", deps, "-MT", "source", "-o", out, c.path))
	if err != nil {
		return c.failed(err, said)
	}
	list, err := limit.ReadFile(deps, limit.File)
	if err != nil {
		return err
	}
	for _, f := range append([]string{out}, dependencies(list)...) {
		if err := addFile(h, f); err != nil {
			return err
		}
	}
	return nil
}

func addFile(h hash.Hash, path string) error {
	data, err := limit.ReadFile(path, limit.File)
	if err != nil {
		return err
	}
	add(h, data)
	return nil
}

// dependencies are the files that a rule of make names after its colon.
func dependencies(rule []byte) (list []string) {
	_, rest, _ := bytes.Cut(rule, []byte(": "))
	text := strings.ReplaceAll(string(rest), "\\\n", " ")
	var name strings.Builder
	flush := func() {
		if name.Len() > 0 {
			list = append(list, name.String())
		}
		name.Reset()
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && strings.IndexByte(` #\`, text[i+1]) >= 0, c == '$' && strings.HasPrefix(text[i+1:], "$"):
			i++
			name.WriteByte(text[i])
		case c == ' ' || c == '\n' || c == '\r':
			flush()
		default:
			name.WriteByte(c)
		}
	}
	flush()
	return list
}
