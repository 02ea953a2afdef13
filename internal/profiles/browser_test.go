package profiles

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/heddle-gpu/heddle/debug"
	"github.com/heddle-gpu/heddle/internal/browsertest"
)

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
	b := browsertest.Open(t, file)
	line7 := []string{}
	waves7 := uint64(0)
	for i := range p.List {
		if p.List[i].At.Line == 7 {
			line7, waves7 = append(line7, fmt.Sprint(i)), waves7+p.List[i].Waves
		}
	}
	const chosen = `[...document.querySelectorAll('.listing tr.on')].map(e => e.dataset.i).join()`
	browsertest.Get[bool](b, `document.querySelector('#c0f0l7 th button').click() || true`)
	b.Is(chosen, strings.Join(line7, ","))
	if now := browsertest.Get[string](b, `document.querySelector('.now').textContent`); !strings.Contains(now, Share(waves7, p.Instructions)) || !strings.HasPrefix(now, "heat.cl:7") {
		t.Errorf("it says %q", now)
	}
	browsertest.Get[bool](b, `document.querySelector('.listing tbody .go').click() || true`)
	b.Is(chosen, "0")
	b.Is(`document.querySelector('.source tr.on').id`, fmt.Sprintf("c0f0l%d", p.List[0].At.Line))
	b.Is(`document.querySelector('.lines button').textContent.split(' ')[0]`, p.Hottest(&Metrics[0])[0].At.String())

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
	b.Is(width+`('heat')`, Share(inHeat, p.Instructions))
	browsertest.Get[bool](b, `[...document.querySelectorAll('.flame button')].find(e => e.textContent === 'heat').click() || true`)
	b.Is(width+`('heat')`, "100.0 %")
	b.Is(`document.activeElement.textContent`, "heat")

	// Sorted by share, the loop is first; a filter leaves what has the words.
	browsertest.Get[bool](b, `document.querySelector('[data-key=share]').click() || true`)
	b.Is(`document.querySelector('.listing tbody tr td').textContent`, Share(rounds, p.Instructions))
	b.Is(`document.querySelector('.listing [aria-sort=descending]').textContent`, "share")
	browsertest.Get[bool](b, `(e => { e.value = 'cube v_mul'; e.dispatchEvent(new Event('input', {bubbles: true})); return true })(document.querySelector('.filter input'))`)
	b.Is(`[...document.querySelectorAll('.listing tbody tr:not([hidden]) .go')].map(e => e.textContent).join()`, p.at(t, 0x165c).Text)

	browsertest.Get[bool](b, `(e => { e.value = 'conflict_passes'; e.dispatchEvent(new Event('change')); return true })(document.getElementById('by'))`)
	b.Is(`[...document.querySelectorAll('.lines button')].map(e => e.textContent.split(' ')[0]).sort().join()`, "heat.cl:13,heat.cl:15")
	b.Is(`document.querySelector('.lines span').textContent`, "50.0 %")
	b.Is(`document.querySelectorAll('.flame .in').length`, "2")

	// With keys alone.
	browsertest.Get[bool](b, `document.querySelector('#c0f0l7 th button').focus() || true`)
	b.Command("keys", func(ctx context.Context) error {
		return chromedp.Do(ctx, chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter)) // the next line with instructions
	})
	b.Is(`document.querySelector('.source tr.on').dataset.name`, "heat.cl:12")
}

// TestPageLook: the page is no wider than a phone, its text has enough contrast in light and dark, fields have names.
// With HEDDLE_SCREENSHOTS=FOLDER it saves screenshots there.
func TestPageLook(t *testing.T) {
	_, file := heatPage(t)
	b := browsertest.Open(t, file)
	browsertest.Get[bool](b, `document.querySelector('#c0f0l7 th button').click() || true`)
	b.Look("profile")
	browsertest.Get[bool](b, `document.getElementById('theme').click() || true`)
	b.Is(`getComputedStyle(document.body).backgroundColor`, "rgb(255, 255, 255)") // it was dark
}

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
