package vectors

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/heddle-gpu/heddle/isa"
)

// Format is the format of the files; it changes if readers must be changed.
const Format = "heddle-vectors-1"

// An Index lists what the files of a variant contain, and what has no tests, with reasons.
type Index struct {
	Format string `json:"format"`
	// Unfinished says that the files are still being made, or that this was interrupted.
	Unfinished bool        `json:"unfinished,omitempty"`
	ISA        string      `json:"isa"`
	Seed       uint64      `json:"seed"`
	Count      int         `json:"count"`
	Tests      int         `json:"tests"`
	Files      []IndexFile `json:"files"`
	Missing    []Row       `json:"missing"` // rows without tests
}

// An IndexFile is a file, with the rows that have tests in it.
type IndexFile struct {
	File     string `json:"file"`
	Mnemonic string `json:"mnemonic"`
	Tests    int    `json:"tests"`
	Rows     []Row  `json:"rows"`
}

// A Job makes the files of a variant.
type Job struct {
	Target    *isa.Target
	Mnemonics []string // nil: all
	Options   Options
	Gzip      bool
	Put       func(name string, data []byte) error // stores a file, from any goroutine; nil: make only the index
	Done      *atomic.Int64                        // counts mnemonics; may be nil
}

// Run makes the files, several in parallel, and returns the index.
func (j *Job) Run(ctx context.Context) (*Index, error) {
	names := j.Mnemonics
	if names == nil {
		names = Mnemonics(j.Target)
	}
	rows, files := make([][]Row, len(names)), make([]IndexFile, len(names))
	var next atomic.Int64
	var once sync.Once
	var failed error
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(names)) {
		wg.Go(func() {
			err := j.work(ctx, func() (int, bool) {
				i := int(next.Add(1) - 1)
				return i, i < len(names)
			}, names, rows, files)
			if err != nil {
				once.Do(func() { failed = err })
				stop()
			}
		})
	}
	wg.Wait()
	if failed == nil {
		failed = ctx.Err()
	}
	if failed != nil {
		return nil, failed
	}
	return j.index(rows, files), nil
}

// work makes the files whose indexes next returns.
func (j *Job) work(ctx context.Context, next func() (int, bool), names []string, rows [][]Row, files []IndexFile) error {
	m, err := NewMaker(j.Target, j.Options)
	if err != nil {
		return err
	}
	for i, ok := next(); ok && ctx.Err() == nil; i, ok = next() {
		tests, list, err := m.Tests(ctx, names[i])
		if err != nil {
			return err
		}
		rows[i] = list
		files[i] = IndexFile{File: FileName(names[i], j.Gzip), Mnemonic: names[i], Tests: len(tests)}
		if len(tests) > 0 && j.Put != nil {
			data := m.Append(nil, tests)
			if j.Gzip {
				if data, err = compressed(data); err != nil {
					return err
				}
			}
			if err := j.Put(files[i].File, data); err != nil {
				return err
			}
		}
		if j.Done != nil {
			j.Done.Add(1)
		}
	}
	return nil
}

// compressed returns data as a gzip file without name and time.
func compressed(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}

func (j *Job) index(rows [][]Row, files []IndexFile) *Index {
	o := j.Options
	if o.Count == 0 {
		o.Count = DefaultCount
	}
	ix := &Index{Format: Format, ISA: j.Target.FullName(), Seed: o.Seed, Count: o.Count, Files: []IndexFile{}, Missing: []Row{}}
	for i := range files {
		for _, r := range rows[i] {
			if r.Tests == 0 {
				ix.Missing = append(ix.Missing, r)
			} else {
				files[i].Rows = append(files[i].Rows, r)
			}
		}
		if files[i].Tests > 0 {
			ix.Files = append(ix.Files, files[i])
			ix.Tests += files[i].Tests
		}
	}
	return ix
}

// JSON returns the index as a file.
func (ix *Index) JSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(ix)
	return b.Bytes(), err
}

// IndexOf returns the variant of an index file; "": data is no index.
func IndexOf(data []byte) string {
	var ix struct{ Format, ISA string }
	if json.Unmarshal(data, &ix) != nil || ix.Format != Format {
		return ""
	}
	return ix.ISA
}

// Empty returns the index of a job that has made nothing yet. It is marked as unfinished.
func (j *Job) Empty() *Index {
	ix := j.index(nil, nil)
	ix.Unfinished = true
	return ix
}

// IndexName is the name of the file of an index.
const IndexName = "index.json"

// FileName returns the name of the file of a mnemonic: the mnemonic, with characters that file names should not have as
// a percent sign and their number in hexadecimal.
func FileName(mnemonic string, gzip bool) string {
	var b strings.Builder
	for i := range len(mnemonic) {
		switch c := mnemonic[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.' && i > 0, c == '_', c == '-':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	b.WriteString(".json")
	if gzip {
		b.WriteString(".gz")
	}
	return b.String()
}
