package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/elem"
	"github.com/heddle-gpu/heddle/internal/picture"
)

// held is the buffers of a run, and what is to be done with them.
type held struct {
	bufs  []heldBuf
	views []heldView
	plots []heldView // on standard output
	files []heldFile
}

// A heldBuf is a buffer of a launch, with its initial and current contents.
type heldBuf struct {
	name   string
	data   *[]byte
	size   int
	before snapshot
	typ    elem.Type // the zero Type: unknown
	sums   elem.Type // for the summary
}

// A heldView is elements of a buffer.
type heldView struct {
	elem.View
	data *[]byte
}

// A heldFile is a file to which a buffer is written.
type heldFile struct {
	name  string
	said  string // for a picture
	write func(a *app) (func(io.Writer) error, error)
}

// Size of a plot on standard output, in characters.
const plotColumns, plotRows = 72, 12

// hold adds a buffer before its launch.
func (h *held) hold(name string, data *[]byte, typ elem.Type) {
	h.bufs = append(h.bufs, heldBuf{name, data, len(*data), snapshotOf(*data), typ, typ})
}

// changed reports whether the run has changed the contents.
func (b *heldBuf) changed() bool { return !b.before.equal(*b.data) }

// restart restores the initial contents of all buffers.
func (h *held) restart() {
	for i := range h.bufs {
		h.bufs[i].before.restore(*h.bufs[i].data)
	}
}

// copies returns copies of the current contents.
func (h *held) copies() (list [][]byte) {
	for i := range h.bufs {
		list = append(list, bytes.Clone(*h.bufs[i].data))
	}
	return list
}

// find returns the buffer with a name.
func (h *held) find(name string) (*heldBuf, error) {
	i := slices.IndexFunc(h.bufs, func(b heldBuf) bool { return b.name == name })
	if i >= 0 {
		return &h.bufs[i], nil
	}
	var names []string
	for i := range h.bufs {
		names = append(names, h.bufs[i].name)
	}
	if names == nil {
		return nil, fmt.Errorf("no buffer %q; there are none", name)
	}
	return nil, fmt.Errorf("no buffer %q; there are %s", name, strings.Join(names, ", "))
}

// left sets the results of a manifest's launches; it returns false if some buffers are missing.
func (h *held) left(got map[string][]byte) bool {
	for i := range h.bufs {
		b := &h.bufs[i]
		if *b.data = got[b.name]; len(*b.data) != b.size {
			return false
		}
	}
	return true
}

// resolve checks the requests before the run: names, types, bounds, folders of files.
func (h *held) resolve(w *wants) error {
	for i := range h.bufs {
		b := &h.bufs[i]
		if t := w.typeOf(b.name); t.Known() {
			if b.sums = t; !b.typ.Known() {
				b.typ = t
			}
		}
	}
	for _, f := range w.files() {
		if err := writable(f[1]); err != nil {
			return err
		}
	}
	for i := range w.outs {
		if err := h.out(&w.outs[i]); err != nil {
			return fmt.Errorf("%s: %w", w.outs[i].flag, err)
		}
	}
	for i := range w.prints {
		v, err := h.view(&w.prints[i].Spec, true)
		if err != nil {
			return fmt.Errorf("%s: %w", w.prints[i].flag, err)
		}
		h.views = append(h.views, v)
	}
	for i := range w.pngs {
		if err := h.png(&w.pngs[i]); err != nil {
			return fmt.Errorf("%s: %w", w.pngs[i].flag, err)
		}
	}
	for i := range w.plots {
		if err := h.plot(&w.plots[i]); err != nil {
			return fmt.Errorf("%s: %w", w.plots[i].flag, err)
		}
	}
	return nil
}

// view returns the elements that a flag selects.
func (h *held) view(s *elem.Spec, most bool) (heldView, error) {
	b, err := h.find(s.Name)
	if err != nil {
		return heldView{}, err
	}
	v, err := s.Of(b.typ, b.size, most)
	return heldView{v, b.data}, err
}

func (h *held) out(o *wantOut) error {
	b, err := h.find(o.name)
	if err == nil {
		h.files = append(h.files, heldFile{o.file, "", func(*app) (func(io.Writer) error, error) { return bytesOf(*b.data), nil }})
	}
	return err
}

func (h *held) png(p *wantPNG) error {
	b, err := h.find(p.name)
	if err != nil {
		return err
	}
	typ := p.typ
	if !typ.Known() {
		typ = b.typ
	}
	if !typ.Known() {
		return fmt.Errorf("the type of %s is not known; give it after the size, as in %dx%d:u32: %s", p.name, p.width, p.height, picture.Shown)
	}
	if err := picture.CheckElements(typ, p.width, p.height, b.size); err != nil {
		return fmt.Errorf("buffer %s: %w", p.name, err)
	}
	h.files = append(h.files, heldFile{p.file, fmt.Sprintf("%dx%d", p.width, p.height), func(a *app) (func(io.Writer) error, error) {
		img, err := picture.OfElements(typ, p.width, p.height, *b.data)
		return pngOf(a.ctx, img), err
	}})
	return nil
}

func (h *held) plot(p *wantPlot) error {
	v, err := h.view(&p.Spec, false)
	if err != nil {
		return err
	}
	if p.file == "" {
		h.plots = append(h.plots, v)
		return nil
	}
	h.files = append(h.files, heldFile{p.file, "a plot of " + p.Name, func(a *app) (func(io.Writer) error, error) {
		return pngOf(a.ctx, v.plot().Image()), nil
	}})
	return nil
}

// plot returns the plot of a view.
func (v *heldView) plot() *picture.Plot {
	p := &picture.Plot{Title: fmt.Sprintf("%s: %s, elements %d to %d of %d", shown(v.Name), v.Type, v.From, v.To-1, v.All), From: v.From, N: v.Len()}
	if v.Len() == 0 {
		p.Title = fmt.Sprintf("%s: %s, no element", shown(v.Name), v.Type)
	}
	for lane := range v.Type.Lanes {
		p.Curves = append(p.Curves, v.Curve(*v.data, lane))
	}
	return p
}

// show prints what is requested on standard output.
func (h *held) show(a *app, indent string) {
	for i := range h.views {
		v := h.views[i]
		v.Name = shown(v.Name)
		a.printf("%s", v.Text(*v.data, indent))
	}
	for i := range h.plots {
		for line := range strings.Lines(h.plots[i].plot().Text(plotColumns, plotRows)) {
			a.printf("%s%s", indent, line)
		}
	}
}

// write writes the files.
func (h *held) write(a *app) error {
	for i := range h.files {
		f := &h.files[i]
		write, err := f.write(a)
		if err == nil {
			err = a.save(f.name, write)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// told prints which pictures were written.
func (h *held) told(a *app) {
	for i := range h.files {
		if f := &h.files[i]; f.said != "" {
			a.say("  wrote %s, %s\n", f.name, f.said)
		}
	}
}

// A printed is elements of a buffer, in JSON.
type printed struct {
	Name   string          `json:"name"`
	Type   string          `json:"type"`
	From   int             `json:"from"`
	Left   int             `json:"left_out,omitempty"` // number of elements that are omitted because no range was given
	Values json.RawMessage `json:"values"`
}

// printed returns the requested elements.
func (h *held) printed() (list []printed) {
	for i := range h.views {
		v := &h.views[i]
		p := printed{Name: v.Name, Type: v.Type.String(), From: v.From, Values: v.JSON(*v.data)}
		if !v.Bounded {
			p.Left = v.All - v.To
		}
		list = append(list, p)
	}
	return list
}

// A summed is a summary of a buffer, empty if the type of the buffer is unknown.
type summed struct {
	Summary *elem.Summary `json:"-"`
	*elem.Fields
}

// summary is that of the buffer of a name.
func (h *held) summary(name string) summed {
	b, err := h.find(name)
	if err != nil {
		return summed{}
	}
	return b.summary(true)
}

// mostIdle is the number of bytes up to which the numbers of a buffer are read although the run has not changed it.
const mostIdle = 16 << 20

// summary returns the summary of the contents. For a large buffer without changes it has no statistics: reading it may
// take longer than the run.
func (b *heldBuf) summary(changed bool) (s summed) {
	switch {
	case !b.sums.Known():
		return s
	case changed || b.size <= mostIdle:
		s.Summary = elem.Summarize(b.sums, *b.data)
	default:
		s.Summary = elem.Count(b.sums, b.size)
	}
	s.Fields = s.Summary.Fields()
	return s
}
