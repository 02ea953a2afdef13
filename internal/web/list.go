package web

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/codeobj"
	"github.com/heddle-gpu/heddle/internal/disasm"
	"github.com/heddle-gpu/heddle/internal/guess"
	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/object"
)

// The limits of a listing.
const (
	mostCode  = 8 << 20  // bytes of a file
	mostLines = 20_000   // that are shown
	mostWidth = 4 << 20  // bytes of all lines
	foldFrom  = 8        // lines of padding that become one
	hardly    = 0.1      // confidence below which there is no guess
	guessISA  = "guess"  // the set of code whose set is unknown
	mostName  = 4 << 10  // bytes of the name of a file
	sectioned = "gfx803" // the chip for programs in sections that name none
)

// List is a request for the listing of a text, or of a file: one of Text and Data.
type List struct {
	Target        // isa may be "": what the text or the file names; "guess": the most likely set for the bytes
	Text   string `json:"text,omitempty"` // assembly, or digits of code
	Data   string `json:"data,omitempty"` // a code object or bare code, in base64
	Name   string `json:"name,omitempty"` // of the file, for messages
}

// Listed is a listing.
type Listed struct {
	ISA    string   `json:"isa"`
	What   string   `json:"what"`             // the kind of input, in words
	Guess  string   `json:"guess,omitempty"`  // the confidence in the choice of the set, if it is a guess
	Head   []string `json:"head"`             // on the kernels of a code object
	Bytes  int      `json:"bytes"`            // of code
	Lines  []Line   `json:"lines"`            //
	More   bool     `json:"more,omitempty"`   // there are more lines than are given
	Labels []string `json:"labels,omitempty"` // that lines define
}

// A Line is a line of a listing in parts: what precedes the mnemonic, the mnemonic, the rest, the comment.
type Line struct {
	Label   string `json:"label,omitempty"`
	Before  string `json:"before,omitempty"`
	Op      string `json:"op,omitempty"`
	Row     string `json:"row,omitempty"` // the mnemonic as in the reference
	Rest    string `json:"rest,omitempty"`
	Comment string `json:"comment,omitempty"`
}

// list makes a listing.
func list(_ context.Context, r *List) (any, error) {
	if (r.Text == "") == (r.Data == "") {
		return nil, errors.New("nothing to list; give a text, or a file")
	}
	if len(r.Text) > mostCode || len(r.Data) > base64.StdEncoding.EncodedLen(mostCode) || len(r.Name) > mostName {
		return nil, fmt.Errorf("more than %d MiB; heddle dis lists files of any size", mostCode>>20)
	}
	if r.Name == "" {
		r.Name = "the text"
	}
	if r.Text != "" {
		return r.text()
	}
	data, err := base64.StdEncoding.DecodeString(r.Data)
	if err != nil {
		return nil, fmt.Errorf("the file is not base64: %w", err)
	}
	if len(data) == 0 {
		return nil, fmt.Errorf("%s is empty", r.Name)
	}
	return r.file(data)
}

// text lists digits, or assembled text: bare code, or the code object of a program in sections.
func (r *List) text() (*Listed, error) {
	if code, ok := manual.Hex(r.Text); ok {
		return r.bare(code, fmt.Sprintf("%d bytes in hexadecimal digits", len(code)))
	}
	head := r.Text[:min(len(r.Text), 64<<10)]
	if chip, is := codeobj.Sniff([]byte(head)); is {
		return r.program(chip)
	}
	if r.ISA == "" || r.ISA == guessISA {
		set, variant := asm.SourceISA([]byte(r.Text))
		if set == "" {
			return nil, &Error{Message: "which instruction set is it? The text has no .isa directive", Hint: "choose one above, or begin the text with .isa gcn:gfx8"}
		}
		if r.ISA = set; variant != "" {
			r.ISA += ":" + variant
		}
	}
	t, err := r.find()
	if err != nil {
		return nil, err
	}
	res, errs := asm.Assemble(t, []byte(r.Text), asm.Options{File: r.Name})
	if len(errs) > 0 {
		return nil, textErrors(errs)
	}
	if len(res.Code) == 0 {
		return nil, errors.New("the text has no instruction")
	}
	c := &disasm.Code{Target: res.Target, Pieces: []disasm.Piece{{Code: res.Code, Base: res.Base}}}
	for _, y := range res.Labels {
		c.Symbols = append(c.Symbols, asm.Symbol{Name: y.Name, Addr: y.Addr})
	}
	return listing(c, &Listed{What: fmt.Sprintf("assembly, %d bytes of code", len(res.Code))})
}

// program lists the code object of a program in sections.
func (r *List) program(chip string) (*Listed, error) {
	opt := codeobj.Options{File: r.Name, Dialect: r.Dialect}
	if chip == "" {
		opt.Target = sectioned
		if t, err := r.find(); err == nil && t.Name == "gcn" {
			opt.Target = object.Processor(t.Variants[t.Variant].Name)
		}
	}
	code, errs, err := codeobj.Assemble([]byte(r.Text), opt)
	if len(errs) > 0 {
		return nil, textErrors(errs)
	}
	if err != nil {
		return nil, err
	}
	return r.object(code.Data, "a program in sections")
}

// file lists a code object, or bare code.
func (r *List) file(data []byte) (*Listed, error) {
	if object.IsHSA(data) {
		return r.object(data, "")
	}
	if bytes.HasPrefix(data, []byte("\x7fELF")) {
		_, err := object.ReadHSAFile(data, r.Name)
		return nil, err
	}
	if isText(data) {
		r.Text = string(data)
		return r.text()
	}
	return r.bare(data, fmt.Sprintf("%s, %d bytes of bare code", r.Name, len(data)))
}

// isText reports whether bytes are lines of printable characters.
func isText(data []byte) bool {
	if !utf8.Valid(data) {
		return false
	}
	for _, c := range data {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// object lists an HSA code object, which names its own set.
func (r *List) object(data []byte, what string) (*Listed, error) {
	o, err := object.ReadHSAFile(data, r.Name)
	if err != nil {
		return nil, err
	}
	own := Target{ISA: o.Target}
	t, err := own.find()
	if err != nil || o.Variant() == "" {
		return nil, fmt.Errorf("%s: holds code of %s; of AMD's chips gfx6, gfx7 and gfx8 are known", r.Name, o.Target)
	}
	if what == "" {
		what = r.Name
	}
	l := &Listed{What: fmt.Sprintf("%s, a code object v%d for %s", what, o.Version, o.Target)}
	for i := range o.Kernels {
		k := &o.Kernels[i]
		l.Head = append(l.Head, fmt.Sprintf("kernel %s at %#x, %d bytes, %d VGPRs, %d SGPRs", k.Name, k.Entry, k.CodeSize, k.Descriptor.VGPRs(), k.Descriptor.SGPRs()))
	}
	return listing(disasm.Of(t, o), l)
}

// bare lists bare code.
func (r *List) bare(code []byte, what string) (*Listed, error) {
	l := &Listed{What: what}
	if r.ISA == "" || r.ISA == guessISA {
		list := guess.Of(code, r.Stage)
		if len(list) == 0 || list[0].Decoded == 0 {
			return nil, &Error{Message: what + ": nothing in it is an instruction of any set", Hint: "it may be compressed, or no code"}
		}
		if list[0].Sure < hardly {
			return nil, &Error{Message: what + ": it looks like code of no set", Hint: "choose a set to list it all the same"}
		}
		l.Guess = list[0].String()
		t := list[0].Target
		return listing(&disasm.Code{Target: t, Pieces: []disasm.Piece{{Code: code}}}, l)
	}
	t, err := r.find()
	if err != nil {
		return nil, err
	}
	return listing(&disasm.Code{Target: t, Pieces: []disasm.Piece{{Code: code}}}, l)
}

// errEnough ends a listing that is long enough.
var errEnough = errors.New("enough")

// A sink accepts lines until it has enough.
type sink struct {
	bytes.Buffer
}

func (s *sink) Write(p []byte) (int, error) {
	if s.Len()+len(p) > mostWidth {
		return 0, errEnough
	}
	return s.Buffer.Write(p)
}

// listing lists code.
func listing(c *disasm.Code, l *Listed) (*Listed, error) {
	var out sink
	l.ISA = c.Target.FullName()
	for _, p := range c.Pieces {
		l.Bytes += len(p.Code)
		opt := asm.ListOptions{Exact: true, Comments: true, Refs: true, Symbols: c.Symbols, Data: c.Data, Fold: foldFrom, Calls: c.Calls(p)}
		err := asm.List(&out, c.Target, p.Code, p.Base, opt)
		if l.More = errors.Is(err, errEnough); l.More {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	a := newApart(c.Target)
	for line := range strings.Lines(out.String()) {
		if len(l.Lines) == mostLines {
			l.More = true
			break
		}
		one := a.line(strings.TrimRight(line, "\n"))
		l.Lines = append(l.Lines, one)
		if one.Label != "" {
			l.Labels = append(l.Labels, one.Label)
		}
	}
	if l.Head == nil {
		l.Head = []string{}
	}
	return l, nil
}

// An apart splits lines of listings.
type apart struct {
	t     *isa.Target
	known map[string]string // the row of a mnemonic in a text; "": it is none
}

func newApart(t *isa.Target) *apart { return &apart{t, map[string]string{}} }

// line splits a line: a label, or an instruction with what precedes its mnemonic.
func (a *apart) line(text string) Line {
	var l Line
	if at := strings.Index(text, a.t.Comments[0]+" "); at >= 0 {
		text, l.Comment = text[:at], text[at:]
	}
	trimmed := strings.TrimRight(text, " \t")
	if label, ok := strings.CutSuffix(trimmed, ":"); ok && label != "" && !strings.ContainsAny(label, " \t") {
		l.Label = label
		return l
	}
	from := 0
	for from < len(text) {
		end := from
		for end < len(text) && isWordByte(text[end]) {
			end++
		}
		if end == from {
			from++
			continue
		}
		if word, row := a.mnemonic(text[from:end]); row != "" {
			l.Before, l.Op, l.Row, l.Rest = text[:from], word, row, text[from+len(word):]
			return l
		}
		from = end
	}
	l.Rest = text
	return l
}

func isWordByte(c byte) bool {
	return c == '_' || c == '.' || c == '$' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// mnemonic returns the mnemonic at the start of a word, and its row.
func (a *apart) mnemonic(word string) (text, row string) {
	for text = word; text != ""; {
		found, is := a.known[text]
		if !is {
			for _, d := range a.t.Rows(text) {
				if d.InVariant(a.t.Variant) {
					found = d.Name
					break
				}
			}
			a.known[text] = found
		}
		if found != "" {
			return text, found
		}
		text = text[:max(strings.LastIndexAny(text, "."+a.t.Suffix), 0)]
	}
	return "", ""
}
