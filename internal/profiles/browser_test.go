package profiles

import (
	"bytes"
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
	"github.com/chromedp/chromedp/kb"

	"github.com/heddle-gpu/heddle/debug"
)

// A tab is a page in a browser, with the forbidden things that it has done.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu    sync.Mutex
	wrong []string
}

// openTab opens a file in a browser; the test is skipped if there is none.
func openTab(t *testing.T, file string) *tab {
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
	b := &tab{t: t, ctx: ctx}
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Listen(ctx, b.watch); err != nil {
		t.Fatal(err)
	}
	b.command("network", func(ctx context.Context) error { return call(ctx, network.Enable, network.EnableParams{}) })
	b.command("open", func(ctx context.Context) error {
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
func (b *tab) watch(event any) {
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

// command runs f in the tab.
func (b *tab) command(what string, f func(ctx context.Context) error) {
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
func get[T any](b *tab, expression string) (v T) {
	b.t.Helper()
	b.command(expression, func(ctx context.Context) (err error) {
		v, err = chromedp.Run(ctx, chromedp.Evaluate[T](expression))
		return err
	})
	return v
}

// is checks the value of an expression.
func (b *tab) is(expression, want string) {
	b.t.Helper()
	if got := get[string](b, "String("+expression+")"); got != want {
		b.t.Errorf("%s is %q, want %q", expression, got, want)
	}
}

// heatPage writes the page of testdata/heat.cl.
func heatPage(t *testing.T) (p *Profile, file string) {
	t.Helper()
	p = heat(t)
	embedIn(p, &debug.Sources{Dirs: []string{"testdata"}})
	var out bytes.Buffer
	if err := WriteHTML(&out, []Profile{*p}, nil, &Metrics[0]); err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "heat.html")
	if err := os.WriteFile(file, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return p, file
}

// TestPage: source and listing keep in step, the count that is chosen changes all parts, and the flame graph has the
// shares of the profile.
func TestPage(t *testing.T) {
	p, file := heatPage(t)
	b := openTab(t, file)
	line7 := []string{}
	waves7 := uint64(0)
	for i := range p.List {
		if p.List[i].At.Line == 7 {
			line7, waves7 = append(line7, fmt.Sprint(i)), waves7+p.List[i].Waves
		}
	}
	const chosen = `[...document.querySelectorAll('.listing tr.on')].map(e => e.dataset.i).join()`
	get[bool](b, `document.querySelector('#c0f0l7 th button').click() || true`)
	b.is(chosen, strings.Join(line7, ","))
	if now := get[string](b, `document.querySelector('.now').textContent`); !strings.Contains(now, Share(waves7, p.Instructions)) || !strings.HasPrefix(now, "heat.cl:7") {
		t.Errorf("it says %q", now)
	}
	get[bool](b, `document.querySelector('.listing tbody .go').click() || true`)
	b.is(chosen, "0")
	b.is(`document.querySelector('.source tr.on').id`, fmt.Sprintf("c0f0l%d", p.List[0].At.Line))
	b.is(`document.querySelector('.lines button').textContent.split(' ')[0]`, p.Hottest(&Metrics[0])[0].At.String())

	// Of inlined calls, too, a part of the flame graph is as wide as what is in it.
	inHeat := uint64(0)
	for i := range p.List {
		for _, f := range p.List[i].Frames {
			if f.Name == "heat" {
				inHeat += p.List[i].Waves
			}
		}
	}
	const width = `(t => [...document.querySelectorAll('.flame .fn')].filter(e => e.textContent === t).reduce((s, e) => s + parseFloat(e.style.width), 0).toFixed(1) + ' %')`
	b.is(width+`('heat')`, Share(inHeat, p.Instructions))
	get[bool](b, `[...document.querySelectorAll('.flame button')].find(e => e.textContent === 'heat').click() || true`)
	b.is(width+`('heat')`, "100.0 %")
	b.is(`document.activeElement.textContent`, "heat")

	// Sorted by share, the loop is first; a filter leaves what has the words.
	get[bool](b, `document.querySelector('[data-key=share]').click() || true`)
	b.is(`document.querySelector('.listing tbody tr td').textContent`, Share(rounds, p.Instructions))
	b.is(`document.querySelector('.listing [aria-sort=descending]').textContent`, "share")
	get[bool](b, `(e => { e.value = 'cube v_mul'; e.dispatchEvent(new Event('input', {bubbles: true})); return true })(document.querySelector('.filter input'))`)
	b.is(`[...document.querySelectorAll('.listing tbody tr:not([hidden]) .go')].map(e => e.textContent).join()`, p.at(t, 0x165c).Text)

	get[bool](b, `(e => { e.value = 'conflict_passes'; e.dispatchEvent(new Event('change')); return true })(document.getElementById('by'))`)
	b.is(`[...document.querySelectorAll('.lines button')].map(e => e.textContent.split(' ')[0]).sort().join()`, "heat.cl:13,heat.cl:15")
	b.is(`document.querySelector('.lines span').textContent`, "50.0 %")
	b.is(`document.querySelectorAll('.flame .in').length`, "2")

	// With keys alone.
	get[bool](b, `document.querySelector('#c0f0l7 th button').focus() || true`)
	b.command("keys", func(ctx context.Context) error {
		return chromedp.Do(ctx, chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter)) // the next line with instructions
	})
	b.is(`document.querySelector('.source tr.on').dataset.name`, "heat.cl:12")
}

// TestPageLook: the page is no wider than a phone, its text has enough contrast in light and dark, fields have names.
// With HEDDLE_SCREENSHOTS=FOLDER it saves screenshots there.
func TestPageLook(t *testing.T) {
	_, file := heatPage(t)
	b := openTab(t, file)
	get[bool](b, `document.querySelector('#c0f0l7 th button').click() || true`)
	b.look("profile")
	get[bool](b, `document.getElementById('theme').click() || true`)
	b.is(`getComputedStyle(document.body).backgroundColor`, "rgb(255, 255, 255)") // it was dark
}

// look checks the page in both widths and schemes.
func (b *tab) look(name string) {
	b.t.Helper()
	for _, width := range []int64{1280, 390} {
		for _, scheme := range []string{"light", "dark"} {
			b.command("size", func(ctx context.Context) error { return chromedp.Do(ctx, chromedp.EmulateViewport(width, 900)) })
			b.command("scheme", func(ctx context.Context) error {
				return call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
			})
			what := fmt.Sprintf("at %d, %s", width, scheme)
			if w := get[int64](b, "document.documentElement.scrollWidth"); w > width {
				b.t.Errorf("%s: %d wide", what, w)
			}
			if low := get[[]string](b, contrast); len(low) > 0 {
				b.t.Errorf("%s: text that can hardly be told from what is behind it: %q", what, low)
			}
			if bare := get[[]string](b, `[...document.querySelectorAll('input, select')].filter(e => !e.labels.length).map(e => e.outerHTML)`); len(bare) > 0 {
				b.t.Errorf("%s: fields without names: %q", what, bare)
			}
			b.picture(name, width, scheme)
		}
	}
}

// picture saves a screenshot if that is asked for.
func (b *tab) picture(name string, width int64, scheme string) {
	dir := os.Getenv("HEDDLE_SCREENSHOTS")
	if dir == "" {
		return
	}
	var data []byte
	b.command("picture", func(ctx context.Context) (err error) {
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

// TestColours: colours are those of the site.
func TestColours(t *testing.T) {
	var lines [2][]string
	for i, file := range []string{"assets/profile.css", "../site/assets/site.css"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines[i] = strings.Split(string(data), "\n")[1:4]
	}
	if strings.Join(lines[0], "\n") != strings.Join(lines[1], "\n") {
		t.Errorf("profile.css has\n%s\nand site.css\n%s", lines[0], lines[1])
	}
}
