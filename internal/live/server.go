package live

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Server serves files from memory. Files may be added while it serves: a request for a file that does not exist yet
// waits for it.
type Server struct {
	// Patience is how long a request for a page waits before it is answered with the progress; 0: without limit.
	// Requests for other files always wait.
	Patience time.Duration

	mu    sync.Mutex
	files map[string]*entry
	err   error
	more  chan struct{} // closed when files or progress are new
	done  bool
	at    [2]int // pages made, of how many
}

// An entry is a file.
type entry struct {
	data, packed []byte
	tag, kind    string
	once         sync.Once // for packing
}

// NewServer returns a server without files.
func NewServer() *Server { return &Server{files: map[string]*entry{}, more: make(chan struct{})} }

// Put adds a file under its name, with slashes.
func (s *Server) Put(name string, data []byte) error {
	sum := sha256.Sum256(data)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[name] = &entry{data: data, tag: `W/"` + hex.EncodeToString(sum[:12]) + `"`, kind: kindOf(name, data)}
	s.tell()
	return nil
}

// Progress sets how many pages are made, of how many.
func (s *Server) Progress(done, total int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = [2]int{done, total}
}

// Done declares that no more files follow; err is the reason if some are missing.
func (s *Server) Done(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done, s.err = true, err
	s.tell()
}

func (s *Server) tell() {
	close(s.more)
	s.more = make(chan struct{})
}

// kindOf returns the media type of a file. It ignores the tables of the host, which vary.
func kindOf(name string, data []byte) string {
	if path.Ext(name) == ".js" && bytes.HasPrefix(data, []byte("\xff\xfe")) {
		return "text/javascript; charset=utf-16le"
	}
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".png":
		return "image/png"
	case ".json":
		return "application/json"
	}
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		return kind
	}
	return "application/octet-stream"
}

// policy restricts pages to this server: nothing else is loaded, whatever the pages contain. Workers are blobs, as in
// pages opened from a disk.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src blob:; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP answers GET and HEAD.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	head.Set("Content-Security-Policy", policy)
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		head.Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD are answered", http.StatusMethodNotAllowed)
		return
	}
	name, to, ok := nameOf(r.URL.Path)
	if !ok {
		http.NotFound(w, r)
		return
	}
	if to != "" {
		// Browsers cache a permanent redirect, and another program may use the port next.
		http.Redirect(w, r, to, http.StatusFound)
		return
	}
	f, late, err := s.wait(r, name)
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	case f == nil && late:
		s.tellLate(w)
	case f == nil && r.Context().Err() == nil:
		http.NotFound(w, r)
	case f != nil:
		f.serve(w, r)
	}
}

// nameOf returns the file that a path names, or in to the address of its page: "" is index.html, as in folders.
func nameOf(p string) (name, to string, ok bool) {
	if !strings.HasPrefix(p, "/") || strings.ContainsAny(p, "\\\x00") {
		return "", "", false
	}
	clean := path.Clean(p)
	if strings.HasSuffix(p, "/") && clean != "/" {
		clean += "/"
	}
	if clean != p {
		return "", "", false // no path to the parent, and only one address per page
	}
	name = strings.TrimPrefix(p, "/")
	switch {
	case name == "" || strings.HasSuffix(name, "/"):
		return name + "index.html", "", true
	case path.Ext(name) == "":
		return "", p + "/", true
	}
	return name, "", true
}

// wait returns the file as soon as it exists; nil: there is none, the client has gone, or it is late.
func (s *Server) wait(r *http.Request, name string) (f *entry, late bool, err error) {
	var over <-chan time.Time
	if s.Patience > 0 && path.Ext(name) == ".html" {
		timer := time.NewTimer(s.Patience)
		defer timer.Stop()
		over = timer.C
	}
	for {
		s.mu.Lock()
		f, done, err, more := s.files[name], s.done, s.err, s.more
		s.mu.Unlock()
		if f != nil {
			return f, false, nil
		}
		if done {
			return nil, false, err
		}
		select {
		case <-more:
		case <-over:
			return nil, true, nil
		case <-r.Context().Done():
			return nil, false, nil
		}
	}
}

// tellLate answers that pages are being made, with a page that reloads itself.
func (s *Server) tellLate(w http.ResponseWriter) {
	s.mu.Lock()
	at := s.at
	s.mu.Unlock()
	how := "the tables are read and the examples run"
	if at[1] > 0 {
		how = fmt.Sprintf("%d of %d are there", at[0], at[1])
	}
	head := w.Header()
	head.Set("Content-Type", "text/html; charset=utf-8")
	head.Set("Retry-After", "1")
	head.Set("Refresh", "1")
	head.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusServiceUnavailable)
	fmt.Fprintf(w, "<!DOCTYPE html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\"><title>heddle</title>"+
		"<link rel=stylesheet href=/site.css><main><h1>The pages are being made</h1><p role=status>It takes some seconds after the start: %s. This page comes again by itself.</p></main>\n", how)
}

// small is the size below which a file is not compressed.
const small = 512

// serve sends a file, compressed if the client accepts that, or only the status that it is unchanged.
func (f *entry) serve(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	head.Set("Content-Type", f.kind)
	head.Set("ETag", f.tag)
	head.Set("Cache-Control", "no-cache") // revalidate each time: the next server may have another version
	head.Set("Vary", "Accept-Encoding")
	if matches(r.Header.Get("If-None-Match"), f.tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	data := f.data
	if len(data) >= small && takesGzip(r.Header.Get("Accept-Encoding")) {
		f.once.Do(f.pack)
		if f.packed != nil {
			data = f.packed
			head.Set("Content-Encoding", "gzip")
		}
	}
	head.Set("Content-Length", strconv.Itoa(len(data)))
	if r.Method == http.MethodHead {
		return
	}
	w.Write(data) // an error means that the client has gone
}

func (f *entry) pack() {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed) // the level is valid
	z.Write(f.data)                                 // a buffer takes all
	z.Close()
	if b.Len() < len(f.data) {
		f.packed = b.Bytes()
	}
}

// matches reports whether a list of tags contains a tag, or is a star.
func matches(list, tag string) bool {
	for one := range strings.SplitSeq(list, ",") {
		if one = strings.TrimSpace(one); strings.TrimPrefix(one, "W/") == strings.TrimPrefix(tag, "W/") || one == "*" {
			return true
		}
	}
	return false
}

// takesGzip reports whether a client accepts gzip: it names it with a weight other than zero.
func takesGzip(accept string) bool {
	for one := range strings.SplitSeq(accept, ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(one), ";")
		if name = strings.TrimSpace(name); name != "gzip" && name != "*" {
			continue
		}
		q, is := strings.CutPrefix(strings.TrimSpace(weight), "q=")
		return !is || strings.Trim(q, "0.") != ""
	}
	return false
}
