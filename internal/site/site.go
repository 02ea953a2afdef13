package site

import (
	"embed"
	"fmt"
	"maps"
	"slices"

	"github.com/heddle-gpu/heddle/isa"
)

//go:embed assets
var assets embed.FS

// A File is a file at the root of the site.
type File struct {
	Name string
	Data []byte
}

// Options select what is written.
type Options struct {
	Sets []*isa.Set
	// Live are files at the root with which pages run instructions: live.js, which every page then loads, and what that
	// loads. A live.css becomes part of site.css.
	Live []File
	// Play is the content of main of play.html; nil: there is no such page.
	Play []byte
	// Progress is called with the numbers of pages written and of all pages.
	Progress func(done, total int)
}

// live reports whether pages load a file of Live.
func (o *Options) live(name string) bool {
	for i := range o.Live {
		if o.Live[i].Name == name {
			return true
		}
	}
	return false
}

// A page is a page to write: its path, and the function that makes its bytes.
type page struct {
	name string
	make func() ([]byte, error)
}

// Write makes all files of the site, in a fixed order, and calls put with their names, with slashes. The error is that
// of put, or of a row of the tables that cannot be shown.
func Write(put func(name string, data []byte) error, o Options) error {
	files, err := o.files()
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := put(f.Name, f.Data); err != nil {
			return err
		}
	}
	s, err := gather(&o)
	if err != nil {
		return err
	}
	pages := s.pages()
	for i, p := range pages {
		data, err := p.make()
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if err := put(p.name, data); err != nil {
			return err
		}
		if o.Progress != nil {
			o.Progress(i+1, len(pages))
		}
	}
	return s.putPictures(put)
}

// files returns the files at the root that are not pages.
func (o *Options) files() ([]File, error) {
	style, err := assets.ReadFile("assets/site.css")
	if err != nil {
		return nil, err
	}
	script, err := assets.ReadFile("assets/site.js")
	if err != nil {
		return nil, err
	}
	var list []File
	for _, f := range o.Live {
		if f.Name == "live.css" {
			style = slices.Concat(style, f.Data)
		} else {
			list = append(list, f)
		}
	}
	has := fmt.Sprintf("const heddleHas = {live: %t, play: %t};\n", o.live("live.js"), o.Play != nil)
	return append(list, File{"site.css", style}, File{"site.js", slices.Concat([]byte(has), script)}), nil
}

// putPictures writes the pictures that pages refer to.
func (s *site) putPictures(put func(name string, data []byte) error) error {
	for _, b := range s.books {
		for _, n := range b.pictures.list {
			if err := put(b.Name+"/"+n.file, picture(n.name)); err != nil {
				return err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.rulers)) {
		if err := put(name, s.rulers[name]); err != nil {
			return err
		}
	}
	return nil
}
