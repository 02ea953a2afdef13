package coverage_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/internal/browsertest"
	"github.com/heddle-gpu/heddle/internal/coverage"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/profile"
)

// page writes the page of two programs: the text of this test, and a kernel beside its source.
func page(t *testing.T) (file, html string) {
	t.Helper()
	c := coverage.New()
	c.Add("lanes", "", counted(t, 128))
	const kernel = "../../examples/turn/padded/turn.hsaco"
	m, err := heddle.Load(kernel)
	if err != nil {
		t.Fatal(err)
	}
	counts := profile.New(nil)
	l := heddle.Launch{Grid: [3]uint32{64, 4}, Block: [3]uint32{64, 4}, Settings: launch.Settings{Watcher: counts}}
	if _, err := m.Launch(context.Background(), l, make([]float32, 4096), make([]float32, 4096), uint32(64)); err != nil {
		t.Fatal(err)
	}
	c.Add("turn", kernel, counts)
	var out bytes.Buffer
	if err := c.WriteHTML(&out); err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "coverage.html")
	if err := os.WriteFile(file, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return file, out.String()
}

// TestPage: the page says what ran in text, beside the source, and which forms did not. Of the text 8 of 10
// instructions ran, three of them in some lanes, and its branches go one way; of the kernel all ran.
func TestPage(t *testing.T) {
	file, _ := page(t)
	b := browsertest.Open(t, file)
	b.Is(`document.querySelectorAll('.code').length`, "2")
	const of = `[...document.querySelectorAll('.code')[0].querySelectorAll('.listing tbody tr')].map(e => e.cells[0].textContent + ' ' + e.cells[2].textContent).join('; ')`
	b.Is(of, "ran all; ran all; never taken some; ran some; ran some; ran all; always taken all; not run ; not run ; ran all")
	// A filter leaves what did not run; the page says how much that is.
	b.Is(`(e => { e.value = 'not run'; e.dispatchEvent(new Event('input', {bubbles: true})); return e.form.querySelector('output').textContent })(document.querySelector('.code input'))`, "2 of 10")
	// A line of the source leads to its instructions, and back.
	b.Is(`[...document.querySelectorAll('.code')[1].querySelectorAll('.source tr')].filter(e => e.textContent.includes('square[x * ROW + i]'))[0].cells[0].textContent`, "ran")
	browsertest.Get[bool](b, `[...document.querySelectorAll('.source button')].pop().click() || true`)
	if n := browsertest.Get[int](b, `document.querySelectorAll('.listing tr.on').length`); n == 0 {
		t.Error("a line of the source leads to no instruction")
	}
	// Marks are text and a sign, not colours alone.
	b.Is(`getComputedStyle(document.querySelector('.code .s-none .mark'), '::before').content`, `"✗"`)
	// v_add_f32_e64 ran with omod, and not with clamp; v_sub_f32_e64 did not run.
	const row = `(n => [...document.querySelectorAll('.forms tbody tr')].filter(e => e.querySelector('code').textContent === n)[0])`
	b.Is(row+`('v_add_f32_e64').cells[3].textContent.trim()`, "omod=1")
	if s := browsertest.Get[string](b, row+`('v_add_f32_e64').cells[4].textContent`); !strings.Contains(s, "clamp") || strings.Contains(s, "omod") {
		t.Errorf("v_add_f32_e64 did not run with %s", s)
	}
	b.Is(row+`('v_sub_f32_e64').cells[0].textContent`, "not run")
	browsertest.Get[bool](b, `(e => { e.open = true; e.dispatchEvent(new Event('toggle')); return true })(document.querySelector('.forms'))`)
	if s := browsertest.Get[string](b, `(e => { e.value = 'v_sub_f32_e64'; e.dispatchEvent(new Event('input', {bubbles: true})); return e.form.querySelector('output').textContent })(document.querySelector('.forms input'))`); !strings.HasPrefix(s, "1 of ") {
		t.Errorf("the forms filter says %q", s)
	}
}

// TestPageLook: the page fits a desk and a phone, light and dark.
func TestPageLook(t *testing.T) {
	file, html := page(t)
	for _, s := range []string{"http://", "https://", " src=", "@import"} {
		if strings.Contains(html, s) {
			t.Errorf("the page has %q: it asks for something", s)
		}
	}
	b := browsertest.Open(t, file)
	browsertest.Get[bool](b, `(document.querySelector('.forms').open = true)`)
	b.Look("coverage")
}
