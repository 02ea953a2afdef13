package lsp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/codeobj"
	"github.com/heddle-gpu/heddle/isa"
)

// A snapshot is a document as it was after one message. Its results are computed when first needed.
type snapshot struct {
	*text
	uri, language string
	version       int32
	client        *client
	config        config
	ctx           context.Context // ends when the document changes
	stale         context.CancelFunc
	abandoned     atomic.Bool // a requested result has not been computed

	target  func() *targeting
	outline func() *asm.Outline
	names   func() *names
	built   func() *building
	placed  func() []placed
	found   func() []finding
}

// errStale is the error of a result that was not computed because the document has changed.
var errStale = errors.New("the document has changed")

// snapshot returns a document with a text.
func (s *session) snapshot(uri, language string, version int32, t *text) *snapshot {
	d := &snapshot{text: t, uri: uri, language: language, version: version, client: &s.client, config: s.config}
	return d.begin(s.ctx)
}

// with returns the document with another text; it becomes stale with d.
func (d *snapshot) with(s string) *snapshot {
	n := &snapshot{text: newText(s, d.enc), uri: d.uri, language: d.language, version: d.version, client: d.client, config: d.config}
	return n.begin(d.ctx)
}

func (d *snapshot) begin(ctx context.Context) *snapshot {
	d.ctx, d.stale = context.WithCancel(ctx)
	d.target = sync.OnceValue(d.findTarget)
	d.outline = sync.OnceValue(func() *asm.Outline {
		t := d.target()
		if t.Target == nil {
			return &asm.Outline{Text: []byte(d.s)}
		}
		return asm.NewOutline(t.Target, t.format(), d.source())
	})
	d.names = sync.OnceValue(d.findNames)
	d.built = sync.OnceValue(d.build)
	d.placed = sync.OnceValue(d.findPlaces)
	d.found = sync.OnceValue(d.lint)
	return d
}

// source returns the text as the assembler reads it, with the same lines and offsets: a lone carriage return ends a
// line, too, and a byte order mark is replaced by blanks.
func (d *snapshot) source() []byte {
	src := []byte(d.s)
	if bytes.HasPrefix(src, []byte("\ufeff")) {
		copy(src, "   ")
	}
	for at := 0; ; {
		n := bytes.IndexByte(src[at:], '\r')
		if n < 0 {
			return src
		}
		if at += n + 1; at == len(src) || src[at] != '\n' {
			src[at-1] = '\n'
		}
	}
}

// A building is the result of assembling a document, as far as errors allow.
type building struct {
	bare     *asm.Assembly // of bare code
	code     *codeobj.Code // of a program
	errs     []*isa.Error
	textOnly []*isa.Error // of instructions without public encoding
	said     []asm.Message
	err      error // of no particular line
}

// errorsShown is how many errors of a document are reported.
const errorsShown = 1000

// build assembles the document.
func (d *snapshot) build() *building {
	b := &building{}
	t := d.target()
	if t.Target == nil {
		b.err = t.err
		return b
	}
	src := d.source()
	say := func(m asm.Message) {
		if len(b.said) < errorsShown {
			b.said = append(b.said, m)
		}
	}
	if t.program {
		b.code, b.errs, b.err = codeobj.Assemble(src, codeobj.Options{File: "text", Target: t.processor, Dialect: d.config.Dialect, Say: say, Lines: true, Partial: true})
		return b
	}
	opt := asm.Options{MaxErrors: errorsShown, Say: say, Partial: true, Again: func() (io.ReadCloser, error) { return d.reading(src), nil }}
	b.bare, b.errs, b.err = asm.Read(t.Target, d.reading(src), opt)
	if b.err != nil || !hasCode(b.errs, isa.ErrEncoding) {
		return b
	}
	opt.TextOnly, opt.Say = true, nil
	all := b.errs
	b.bare, b.errs, b.err = asm.Read(t.Target, d.reading(src), opt)
	for _, e := range all {
		if e.Code == isa.ErrEncoding && !hasPlace(b.errs, e) {
			b.textOnly = append(b.textOnly, e)
		}
	}
	return b
}

func hasCode(errs []*isa.Error, code string) bool {
	for _, e := range errs {
		if e.Code == code {
			return true
		}
	}
	return false
}

func hasPlace(errs []*isa.Error, at *isa.Error) bool {
	for _, e := range errs {
		if e.Line == at.Line && e.Col == at.Col && e.Code == at.Code {
			return true
		}
	}
	return false
}

// reading returns a reader of the source that fails once the snapshot is stale.
func (d *snapshot) reading(src []byte) io.ReadCloser {
	return io.NopCloser(&untilStale{d, bytes.NewReader(src)})
}

type untilStale struct {
	d *snapshot
	r *bytes.Reader
}

func (r *untilStale) Read(p []byte) (int, error) {
	if r.d.ctx.Err() != nil {
		r.d.abandoned.Store(true)
		return 0, errStale
	}
	return r.r.Read(p)
}
