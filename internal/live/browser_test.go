package live_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/heddle-gpu/heddle/internal/live"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/internal/site"
)

// browsers are names of browsers with a headless mode; Debian's comes first.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}

// patience limits the time of a step; test machines may be busy.
const patience = 2 * time.Minute

// A tab is a page in a browser, with the forbidden things that it has done.
type tab struct {
	t    *testing.T
	ctx  context.Context
	base string // prefix of all URLs that may be loaded

	mu    sync.Mutex
	wrong []string
	asked int // number of requests
}

// openBrowser starts a browser; the test is skipped if there is none.
func openBrowser(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range browsers {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skipf("NOT TESTED: no browser, none of %s is installed; apt-get install chromium has one", strings.Join(browsers, ", "))
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.WSURLReadTimeout(patience))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, end := chromedp.NewContext(ctx)
	t.Cleanup(end)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("%s does not start: %v", path, err)
	}
	return ctx
}

// open opens a page of a site in a new tab.
func open(t *testing.T, browser context.Context, base, page string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx, base: base}
	if err := chromedp.Listen(ctx, b.watch); err != nil {
		t.Fatal(err)
	}
	b.command("network", func(ctx context.Context) error { return call(ctx, network.Enable, network.EnableParams{}) })
	b.command("log", func(ctx context.Context) error { return call(ctx, cdplog.Enable, cdp.Empty{}) })
	b.do("open "+page, chromedp.Navigate(base+page))
	t.Cleanup(b.check)
	return b
}

// watch records requests that leave the site, and errors on the console.
func (b *tab) watch(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.asked++
		if u := e.Request.URL; !strings.HasPrefix(u, b.base) && !strings.HasPrefix(u, "blob:") && !strings.HasPrefix(u, "data:") {
			b.wrong = append(b.wrong, "it asked for "+u)
		}
	case *runtime.EventExceptionThrown:
		b.wrong = append(b.wrong, fmt.Sprintf("exception: %s %s:%d %s", e.ExceptionDetails.Text, e.ExceptionDetails.URL, e.ExceptionDetails.LineNumber, thrown(e.ExceptionDetails)))
	case *cdplog.EventEntryAdded:
		if e.Entry.Level == cdplog.EntryLevelError && !strings.Contains(e.Entry.URL, "favicon.ico") {
			b.wrong = append(b.wrong, "console: "+e.Entry.Text+" "+e.Entry.URL)
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError {
			b.wrong = append(b.wrong, "console.error was called")
		}
	}
}

// check reports the forbidden things that the page has done.
func (b *tab) check() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.asked < 3 { // the page, its style, its script
		b.t.Errorf("%d requests were seen: the test is blind", b.asked)
	}
	for _, w := range b.wrong {
		b.t.Error(w)
	}
}

// do runs actions.
func (b *tab) do(what string, actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	b.command(what, func(ctx context.Context) error { return chromedp.Do(ctx, actions...) })
}

// command runs f in the tab, with a time limit.
func (b *tab) command(what string, f func(ctx context.Context) error) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := f(ctx); err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
}

// call returns the error of a protocol command without result.
func call[P any](ctx context.Context, c cdp.Command[P, cdp.Empty], params P) error {
	_, err := chromedp.Call(ctx, c, params)
	return err
}

// get evaluates an expression.
func get[T any](b *tab, expression string) (v T) {
	b.t.Helper()
	b.command(expression, func(ctx context.Context) (err error) {
		v, err = chromedp.Run(ctx, chromedp.Evaluate[T](expression))
		return err
	})
	return v
}

// until waits until an expression is true. The page's policy forbids it to wait by itself, as chromedp.Poll does.
func (b *tab) until(expression string) {
	b.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if get[bool](b, "!!("+expression+")") {
			return
		}
	}
	b.t.Fatalf("waiting for %s; the page says\n%s", expression, get[string](b, "[...document.querySelectorAll('.live')].map(e => e.innerText.slice(0, 1000)).join()"))
}

// write replaces the text of a field as a user does, and waits for the effect.
func (b *tab) write(field, text string) {
	b.t.Helper()
	get[bool](b, fmt.Sprintf("(e => { e.focus(); e.select(); return true })(document.querySelector(%q))", field))
	if text == "" {
		text = "\b"
	}
	b.do("write into "+field, chromedp.SendKeys(field, text))
}

// choose selects an entry of a list.
func (b *tab) choose(field, value string) {
	b.t.Helper()
	script := fmt.Sprintf("(e => { e.value = %q; e.dispatchEvent(new Event('change', {bubbles: true})); return e.value })(document.querySelector(%q))", value, field)
	if got := get[string](b, script); got != value {
		b.t.Fatalf("%s has no entry %q", field, value)
	}
}

// testSite makes a site in a folder and on a server. Its pages of instructions are those of the two smallest sets: one
// has registers of four components, the other registers of one.
func testSite(t *testing.T) (server, folder string) {
	t.Helper()
	w, err := live.Find(context.Background(), live.Options{Say: func(what string) { t.Log(what) }})
	if err != nil {
		t.Fatal(err)
	}
	dir, files := t.TempDir(), live.NewServer()
	put := func(name string, data []byte) error {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		return errors.Join(files.Put(name, data), os.WriteFile(path, data, 0o666))
	}
	o := site.Options{Play: live.Play(), Live: []site.File{site.File(w.File())}}
	for _, name := range []string{"attila", "tesla"} {
		target, err := sets.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		o.Sets = append(o.Sets, target.Set)
	}
	for _, f := range live.Pages() {
		o.Live = append(o.Live, site.File(f))
	}
	if err := site.Write(put, o); err != nil {
		t.Fatal(err)
	}
	files.Done(nil)
	s := httptest.NewServer(files)
	t.Cleanup(s.Close)
	return s.URL + "/", "file://" + filepath.ToSlash(dir) + "/"
}

// both runs a test on pages from a server and on pages from a folder.
func both(t *testing.T, f func(t *testing.T, browser context.Context, base string)) {
	browser := openBrowser(t)
	server, folder := testSite(t)
	t.Run("server", func(t *testing.T) { f(t, browser, server) })
	t.Run("folder", func(t *testing.T) { f(t, browser, folder) })
}

// thrown describes a thrown exception.
func thrown(d *runtime.ExceptionDetails) string {
	if d.Exception == nil {
		return ""
	}
	return d.Exception.Description
}
