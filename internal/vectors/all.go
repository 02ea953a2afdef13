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

// Format names files of this form; it changes if what a reader must know changes.
const Format = "heddle-vectors-1"

// An Index says what the files of a variant hold, and what has no tests and why.
type Index struct {
	Format string `json:"format"`
	// Unfinished says that the files are still being made, or that the making was broken off.
	Unfinished bool        `json:"unfinished,omitempty"`
	ISA        string      `json:"isa"`
	Seed       uint64      `json:"seed"`
	Count      int         `json:"count"`
	Tests      int         `json:"tests"`
	Files      []IndexFile `json:"files"`
	Missing    []Row       `json:"missing"` // rows without tests
}

// An IndexFile is a file and the rows that it has tests of.
type IndexFile struct {
	File     string `json:"file"`
	Mnemonic string `json:"mnemonic"`
	Tests    int    `json:"tests"`
	Rows     []Row  `json:"rows"`
}

// A Job is the files of a variant.
type Job struct {
	Target    *isa.Target
	Mnemonics []string // nil: all
	Options   Options
	Gzip      bool
	Put       func(name string, data []byte) error // takes a file, from any goroutine; nil: the index alone is wanted
	Done      *atomic.Int64                        // counts mnemonics; nil: nobody asks
}

// Run makes the files, several at once, and then gives the index.
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

// work makes the files whose numbers next gives.
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

// compressed is data as a gzip file without a name and a time.
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

// JSON is the index as a file.
func (ix *Index) JSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(ix)
	return b.Bytes(), err
}

// IndexOf is the variant that a file is an index of; "": it is none.
func IndexOf(data []byte) string {
	var ix struct{ Format, ISA string }
	if json.Unmarshal(data, &ix) != nil || ix.Format != Format {
		return ""
	}
	return ix.ISA
}

// Empty is the index of a job that has made nothing yet. It says that it is unfinished.
func (j *Job) Empty() *Index {
	ix := j.index(nil, nil)
	ix.Unfinished = true
	return ix
}

// IndexName is the name of the file of an index.
const IndexName = "index.json"

// FileName is the name of the file of a mnemonic: the mnemonic, but for what names of files had better not have, which stands as its number in
// hexadecimal behind a percent sign.
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
