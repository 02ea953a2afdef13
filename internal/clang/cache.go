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

// A cache is a folder of code objects by the digest of their inputs; "" caches nothing.
type cache string

// maxCache limits the size of the folder: the least recently used entries are deleted.
const maxCache = 256 << 20

// codeEnding and saysEnding are the extensions of an entry's two files.
const codeEnding, saysEnding = ".hsaco", ".txt"

// An entry is a code object, and the messages of clang when it made it.
type entry struct{ data, says []byte }

// openCache returns the requested folder, or the user's. If there is no place for it, nothing is cached.
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
			return "", nil // no home folder: a service, a container
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

// get returns an entry if both of its files are present.
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
	os.Chtimes(d.name(key, codeEnding), stamp, stamp) // mark as used; a read-only folder is useful, too
	return entry{data, says}, true
}

// put stores an entry. Errors are ignored, because they make only later runs slower.
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

// entryOf returns the key of the entry to which a file of the folder belongs, by its name.
func entryOf(name string) (key string, ok bool) {
	if key, ok = strings.CutSuffix(name, codeEnding); !ok {
		key, ok = strings.CutSuffix(name, saysEnding)
	}
	sum, err := hex.DecodeString(key)
	return key, ok && err == nil && len(sum) == sha256.Size
}

// A kept entry is the size of an entry's files, and its last use.
type kept struct {
	key  string
	size int64
	used time.Time
}

// trim deletes whole entries, the least recently used first, until the rest is small enough.
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
			continue // not a file of the cache: the user may have named any folder
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
		// Code without messages is no entry, so a partial deletion is harmless.
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

// key returns a digest of everything that the result depends on: clang, flags and the files that they name, the folder
// and path that debug information names, heddle's functions, libclc, the preprocessed source, and each file that was
// read for it. It returns "" if nothing is cached, or if a flag may make clang read unknown files.
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

// add adds bytes with their number, so that different lists give different data.
func add(h hash.Hash, data []byte) {
	fmt.Fprintf(h, "%d\n", len(data))
	h.Write(data)
}

// stamp identifies the file at a path.
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

// dependencies returns the files after the colon of a rule of make.
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
