// Package browsertest lets tests look at a page in a browser.
package browsertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// A Tab is a page in a browser, with the forbidden things that it has done.
type Tab struct {
	t   *testing.T
	ctx context.Context

	mu    sync.Mutex
	wrong []string
}

// Open opens a file in a browser; the test is skipped if there is none. It fails at its end if the page has asked for
// anything, or has thrown an exception.
func Open(t *testing.T, file string) *Tab {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skip("NOT TESTED: no browser is installed; apt-get install chromium has one")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()), chromedp.WSURLReadTimeout(2*time.Minute))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, end := chromedp.NewContext(ctx)
	t.Cleanup(end)
	b := &Tab{t: t, ctx: ctx}
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Listen(ctx, b.watch); err != nil {
		t.Fatal(err)
	}
	b.Command("network", func(ctx context.Context) error { return call(ctx, network.Enable, network.EnableParams{}) })
	b.Command("open", func(ctx context.Context) error {
		return chromedp.Do(ctx, chromedp.Navigate("file://"+filepath.ToSlash(file)))
	})
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, w := range b.wrong {
			t.Error(w)
		}
	})
	return b
}

// watch records exceptions, and requests other than the page itself.
func (b *Tab) watch(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; !strings.HasSuffix(u, ".html") && !strings.HasPrefix(u, "data:") {
			b.wrong = append(b.wrong, "it asked for "+u)
		}
	case *runtime.EventExceptionThrown:
		b.wrong = append(b.wrong, fmt.Sprintf("exception: %s %+v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception))
	}
}

// Command runs f in the tab.
func (b *Tab) Command(what string, f func(ctx context.Context) error) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 2*time.Minute)
	defer cancel()
	if err := f(ctx); err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
}

func call[P any](ctx context.Context, c cdp.Command[P, cdp.Empty], params P) error {
	_, err := chromedp.Call(ctx, c, params)
	return err
}

// get evaluates an expression.
func Get[T any](b *Tab, expression string) (v T) {
	b.t.Helper()
	b.Command(expression, func(ctx context.Context) (err error) {
		v, err = chromedp.Run(ctx, chromedp.Evaluate[T](expression))
		return err
	})
	return v
}

// Is checks the value of an expression.
func (b *Tab) Is(expression, want string) {
	b.t.Helper()
	if got := Get[string](b, "String("+expression+")"); got != want {
		b.t.Errorf("%s is %q, want %q", expression, got, want)
	}
}

// Look checks the page for a desk and a phone, light and dark: that it is not wider than the screen, that its text can
// be told from what is behind it, and that fields have names. With HEDDLE_SCREENSHOTS=FOLDER it saves pictures there.
func (b *Tab) Look(name string) {
	b.t.Helper()
	for _, width := range []int64{1280, 390} {
		for _, scheme := range []string{"light", "dark"} {
			b.Command("size", func(ctx context.Context) error { return chromedp.Do(ctx, chromedp.EmulateViewport(width, 900)) })
			b.Command("scheme", func(ctx context.Context) error {
				return call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
			})
			what := fmt.Sprintf("at %d, %s", width, scheme)
			if w := Get[int64](b, "document.documentElement.scrollWidth"); w > width {
				b.t.Errorf("%s: %d wide", what, w)
			}
			if low := Get[[]string](b, contrast); len(low) > 0 {
				b.t.Errorf("%s: text that can hardly be told from what is behind it: %q", what, low)
			}
			if bare := Get[[]string](b, `[...document.querySelectorAll('input, select')].filter(e => !e.labels.length).map(e => e.outerHTML)`); len(bare) > 0 {
				b.t.Errorf("%s: fields without names: %q", what, bare)
			}
			b.picture(name, width, scheme)
		}
	}
}

// picture saves a screenshot if that is asked for.
func (b *Tab) picture(name string, width int64, scheme string) {
	dir := os.Getenv("HEDDLE_SCREENSHOTS")
	if dir == "" {
		return
	}
	var data []byte
	b.Command("picture", func(ctx context.Context) (err error) {
		data, err = chromedp.Run(ctx, chromedp.FullScreenshot(100))
		return err
	})
	if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)), data, 0o666); err != nil {
		b.t.Error(err)
	}
}

// contrast finds texts whose contrast with the background is below 4.5 to 1, by WCAG 2.1. Backgrounds may let through
// what is behind them.
const contrast = `(() => {
	const parse = (s) => { const n = (s.match(/[\d.]+/g) || []).map(Number), of = s.startsWith('color(') ? 255 : 1; return [n[0] * of, n[1] * of, n[2] * of, n.length > 3 ? n[3] : 1]; };
	const light = (c) => { const f = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; return 0.2126 * f(c[0]) + 0.7152 * f(c[1]) + 0.0722 * f(c[2]); };
	const behind = (e) => { if (!e) return [255, 255, 255, 1]; const c = parse(getComputedStyle(e).backgroundColor); if (c[3] === 1) return c; const d = behind(e.parentElement); return [0, 1, 2].map(i => c[i] * c[3] + d[i] * (1 - c[3])); };
	return [...document.querySelectorAll('body *')].filter(e => e.checkVisibility() && !e.closest('option, script, noscript, style') && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())).filter(e => {
		const a = light(parse(getComputedStyle(e).color)), b = light(behind(e));
		return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5;
	}).map(e => e.tagName + '.' + e.className + ': ' + e.textContent.slice(0, 40));
})()`
