package live_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/heddle-gpu/heddle/internal/live"
)

// answer returns the server's response to a request.
func answer(t *testing.T, s *live.Server, method, path string, head ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, "http://localhost/", nil)
	r.URL.Path = path
	for i := 0; i+1 < len(head); i += 2 {
		r.Header.Set(head[i], head[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result()
}

// full returns a server with some files.
func full(t *testing.T) *live.Server {
	t.Helper()
	s := live.NewServer()
	for name, data := range map[string]string{"index.html": "<p>front", "gcn/index.html": "<p>gcn", "gcn/v_add_f32.html": strings.Repeat("<p>add", 500),
		"site.css": "a{}", "live.js": "1", "wide.js": "\xff\xfe1\x00", "x.json": "{}"} {
		if err := s.Put(name, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	s.Done(nil)
	return s
}

// TestServer: paths, types, methods.
func TestServer(t *testing.T) {
	s := full(t)
	for _, c := range []struct {
		method, path string
		code         int
		kind, body   string
	}{
		{"GET", "/", 200, "text/html; charset=utf-8", "<p>front"},
		{"GET", "/index.html", 200, "text/html; charset=utf-8", "<p>front"},
		{"HEAD", "/index.html", 200, "text/html; charset=utf-8", ""},
		{"GET", "/gcn/", 200, "text/html; charset=utf-8", "<p>gcn"},
		{"GET", "/gcn", 302, "", ""},
		{"GET", "/site.css", 200, "text/css; charset=utf-8", "a{}"},
		{"GET", "/live.js", 200, "text/javascript; charset=utf-8", "1"},
		{"GET", "/wide.js", 200, "text/javascript; charset=utf-16le", "\xff\xfe1\x00"},
		{"GET", "/x.json", 200, "application/json", "{}"},
		{"GET", "/nothing.html", 404, "", ""},
		{"GET", "/../go.mod", 404, "", ""},
		{"GET", "/gcn/../index.html", 404, "", ""},
		{"GET", "//index.html", 404, "", ""},
		{"GET", "/gcn\\index.html", 404, "", ""},
		{"GET", "/\x00", 404, "", ""},
		{"GET", "index.html", 404, "", ""},
		{"POST", "/", 405, "", ""},
		{"PUT", "/index.html", 405, "", ""},
		{"TRACE", "/", 405, "", ""},
	} {
		r := answer(t, s, c.method, c.path)
		body, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != c.code || c.kind != "" && r.Header.Get("Content-Type") != c.kind || c.code == 200 && string(body) != c.body {
			t.Errorf("%s %q: %d, %s, %.40q, %v; want %d, %s, %q", c.method, c.path, r.StatusCode, r.Header.Get("Content-Type"), body, err, c.code, c.kind, c.body)
		}
		if !strings.Contains(r.Header.Get("Content-Security-Policy"), "default-src 'none'") || r.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s %q: headers are %v", c.method, c.path, r.Header)
		}
		if c.code == 405 && r.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: Allow is %q", c.method, r.Header.Get("Allow"))
		}
	}
}

// TestPacked: gzip for clients that accept it, and an empty answer for those that have the file.
func TestPacked(t *testing.T) {
	s := full(t)
	const path = "/gcn/v_add_f32.html"
	plain := answer(t, s, "GET", path)
	want, err := io.ReadAll(plain.Body)
	if err != nil || len(want) != 3000 || plain.Header.Get("Content-Encoding") != "" {
		t.Fatal(len(want), err, plain.Header)
	}
	for accept, packed := range map[string]bool{"gzip": true, "br, gzip;q=0.5": true, "*": true, "gzip;q=0": false, "gzip; q=0.0, br": false, "identity": false, "xgzip": false} {
		r := answer(t, s, "GET", path, "Accept-Encoding", accept)
		if got := r.Header.Get("Content-Encoding") == "gzip"; got != packed {
			t.Errorf("%s: packed is %v", accept, got)
			continue
		}
		var body io.Reader = r.Body
		if packed {
			if body, err = gzip.NewReader(r.Body); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := io.ReadAll(body); err != nil || string(got) != string(want) {
			t.Errorf("%s: %d bytes, %v", accept, len(got), err)
		}
	}
	tag := plain.Header.Get("ETag")
	for have, code := range map[string]int{tag: 304, strings.TrimPrefix(tag, "W/"): 304, `"x", ` + tag: 304, "*": 304, `"x"`: 200, "": 200} {
		if r := answer(t, s, "GET", path, "If-None-Match", have); r.StatusCode != code {
			t.Errorf("with %s: %d, want %d", have, r.StatusCode, code)
		}
	}
	other := answer(t, s, "GET", "/index.html")
	if tag == "" || other.Header.Get("ETag") == tag {
		t.Errorf("tags are %q and %q", tag, other.Header.Get("ETag"))
	}
}

// TestLate: a request for a file that is not made yet is answered when it is, or when it turns out that it never will
// be.
func TestLate(t *testing.T) {
	s := live.NewServer()
	got := make(chan int, 3)
	for _, path := range []string{"/a.html", "/b.html"} {
		go func() { got <- answer(t, s, "GET", path).StatusCode }()
	}
	select {
	case code := <-got:
		t.Fatalf("%d before there is anything", code)
	case <-time.After(20 * time.Millisecond):
	}
	if err := s.Put("a.html", []byte("a")); err != nil {
		t.Fatal(err)
	}
	if code := <-got; code != 200 {
		t.Errorf("a.html: %d", code)
	}
	s.Done(errors.New("the tables are wrong"))
	if code := <-got; code != 500 {
		t.Errorf("b.html: %d", code)
	}
	hasty := live.NewServer()
	hasty.Patience = time.Millisecond
	hasty.Progress(3, 7)
	r := answer(t, hasty, "GET", "/d.html")
	body, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != 503 || r.Header.Get("Refresh") != "1" || !strings.Contains(string(body), "3 of 7") {
		t.Errorf("a page that is late: %d %v %s", r.StatusCode, r.Header, body)
	}
	gone, leave := context.WithCancel(context.Background())
	w := httptest.NewRecorder()
	leave()
	live.NewServer().ServeHTTP(w, httptest.NewRequestWithContext(gone, "GET", "/c.html", nil)) // must return
	if w.Body.Len() != 0 {
		t.Errorf("who has gone is told %q", w.Body)
	}
}
