package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sourcegraph/jsonrpc2"
	"pgregory.net/rapid"
)

// transcript runs a session of messages as they are written, and returns the answers.
func transcript(t *testing.T, in string) (answers []string, err error) {
	t.Helper()
	var out bytes.Buffer
	err = Serve(context.Background(), strings.NewReader(in), &out, Options{Log: t.Output()})
	for r := newReader(&out); ; {
		size, failed := r.header()
		if failed != nil {
			return answers, err
		}
		body := make([]byte, size)
		if _, failed := io.ReadFull(r.r, body); failed != nil {
			t.Fatalf("an answer that ends too early: %v", failed)
		}
		answers = append(answers, string(body))
	}
}

func framed(bodies ...string) string {
	var b strings.Builder
	for _, s := range bodies {
		fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(s), s)
	}
	return b.String()
}

const (
	sayInitialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`
	sayShutdown   = `{"jsonrpc":"2.0","id":"end","method":"shutdown"}`
	sayExit       = `{"jsonrpc":"2.0","method":"exit"}`
)

// TestTranscripts: messages that cannot be read or come too early or late are answered with the protocol's error
// code, and the session continues.
func TestTranscripts(t *testing.T) {
	end := framed(sayShutdown, sayExit)
	for _, tt := range []struct {
		name, in string
		want     []string // parts of the answers, in order
		err      error
	}{
		{"before initialize", framed(`{"jsonrpc":"2.0","id":7,"method":"textDocument/hover"}`, sayInitialize) + end, []string{`"id":7,"error":{"code":-32002`, `"id":1,"result"`, `"id":"end","result":null`}, nil},
		{"twice", framed(sayInitialize, sayInitialize) + end, []string{`"positionEncoding"`, `-32600`, `"end"`}, nil},
		{"after shutdown", framed(sayInitialize, sayShutdown, `{"jsonrpc":"2.0","id":3,"method":"textDocument/hover"}`, sayExit), []string{`"id":1`, `"end"`, `"id":3,"error":{"code":-32600`}, nil},
		{"no such method", framed(sayInitialize, `{"jsonrpc":"2.0","id":"a","method":"no/such"}`, `{"jsonrpc":"2.0","method":"$/no"}`) + end, []string{`"id":1`, `"id":"a","error":{"code":-32601`, `"end"`}, nil},
		{"no JSON", framed(sayInitialize, `{"jsonrpc":`) + end, []string{`"id":1`, `"id":null,"error":{"code":-32700`, `"end"`}, nil},
		{"no message", framed(sayInitialize, `[1]`, `{"id":null,"method":"x"}`, `{}`, `{"jsonrpc":"2.0","id":{},"method":"x"}`) + end, []string{`"id":1`, `-32600`, `-32600`, `-32600`, `-32600`, `"end"`}, nil},
		{"parameters", framed(sayInitialize, `{"jsonrpc":"2.0","id":2,"method":"textDocument/hover","params":[]}`, `{"jsonrpc":"2.0","id":3,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///x"}}}`) + end, []string{`"id":1`, `"id":2,"error":{"code":-32602`, `"id":3,"error":{"code":-32602`, `"end"`}, nil},
		{"headers", "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length: " + fmt.Sprint(len(sayInitialize)) + "\r\n\r\n" + sayInitialize + "What\r\n\r\n" + "Content-Length: -4\r\n\r\n" + end, []string{`"id":1`, `-32700`, `-32700`, `"end"`}, nil},
		{"a request of HTTP", "POST /a:b HTTP/1.1\r\n" + framed(sayInitialize, sayInitialize) + end, []string{`-32700,"message":"\"POST /a:b HTTP/1.1\" is no line`, `"id":1`, `"end"`}, nil},
		{"exit alone", framed(sayInitialize, sayExit), []string{`"id":1`}, ErrExit},
		{"end of input", framed(sayInitialize), []string{`"id":1`}, ErrExit},
		{"nothing", "", nil, nil},
		{"cut", framed(sayInitialize) + "Content-Length: 900\r\n\r\n{", []string{`"id":1`}, io.ErrUnexpectedEOF},
		{"announced and not there", "Content-Length: 99999999999999\r\n\r\n{", nil, io.ErrUnexpectedEOF},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := transcript(t, tt.in)
			if !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
			slices.Sort(got) // requests are answered concurrently
			for _, want := range tt.want {
				i := slices.IndexFunc(got, func(s string) bool { return strings.Contains(s, want) })
				if i < 0 {
					t.Errorf("no answer with %s among %q", want, got)
					continue
				}
				got = slices.Delete(got, i, i+1)
			}
			if len(got) > 0 {
				t.Errorf("too much: %q", got)
			}
		})
	}
	if _, err := transcript(t, strings.Repeat("x", 2*maxHeader)); err == nil || !strings.Contains(err.Error(), "header of more than") {
		t.Errorf("an endless header: %v", err)
	}
}

// TestTooLarge: a message beyond the limit is skipped.
func TestTooLarge(t *testing.T) {
	body := `{"jsonrpc":"2.0","id":4,"method":"` + strings.Repeat("x", maxMessage) + `"}`
	got, err := transcript(t, framed(sayInitialize, body, sayShutdown, sayExit))
	if err != nil || len(got) != 3 || !strings.Contains(strings.Join(got, ""), "the limit is") {
		t.Errorf("%d answers, %v", len(got), err)
	}
}

// TestEncodings: positions count in the agreed encoding: the same word in the three encodings, after letters of two,
// three and four bytes.
func TestEncodings(t *testing.T) {
	const src = ".isa gcn:gfx8\r\n/* é€𝄞 */ bad v0\r\n"
	for _, tt := range []struct {
		asks string
		from int
	}{{`[]`, 11}, {`["utf-16"]`, 11}, {`["utf-8","utf-16"]`, 16}, {`["x","utf-32"]`, 10}} {
		p := newPeer(t, Options{}, `{"general":{"positionEncodings":`+tt.asks+`}}`)
		p.open("file:///a.s", src)
		d := p.diagnostics("file:///a.s", 1)
		if len(d) != 1 || d[0].Range != (textRange{position{1, tt.from}, position{1, tt.from + 3}}) {
			t.Errorf("%s: %+v", tt.asks, d)
		}
		p.change("file:///a.s", 2, contentChange{&textRange{position{1, tt.from}, position{1, tt.from + 6}}, "s_endpgm"})
		if d := p.diagnostics("file:///a.s", 2); len(d) != 0 {
			t.Errorf("%s: after the change %+v", tt.asks, d)
		}
	}
}

// TestVersions: diagnostics have the version of their text; those of an outdated version are never sent, and a closed
// document has none.
func TestVersions(t *testing.T) {
	p := newPeer(t, Options{Delay: 50 * time.Millisecond}, capable)
	const uri = "file:///a.gfx803.s"
	p.open(uri, "\ts_nap 0\n")
	p.diagnostics(uri, 1)
	for v := range int32(20) {
		p.change(uri, v+2, contentChange{&textRange{position{0, 0}, position{0, 0}}, "\n"})
	}
	if d := p.diagnostics(uri, 21); len(d) != 1 || d[0].Range.Start != (position{20, 1}) {
		t.Errorf("%+v", d)
	}
	p.mu.Lock()
	n := len(p.said[uri])
	p.mu.Unlock()
	if n > 12 {
		t.Errorf("%d times diagnostics of 21 versions in a row", n)
	}
	p.tell("textDocument/didClose", docParams{documentID{uri}})
	if d := p.diagnostics(uri, 0); len(d) != 0 {
		t.Errorf("of what is closed: %+v", d)
	}
	var h *hover
	if err := p.try("textDocument/hover", posOf(uri, 0, 0), &h); err == nil {
		t.Error("a hover of what is closed")
	}
}

// TestCancel: a cancelled request is answered with the error code for it; its document takes long.
func TestCancel(t *testing.T) {
	p := newPeer(t, Options{}, capable)
	const uri = "file:///a.gfx803.s"
	p.open(uri, strings.Repeat("l\\@: s_nop 0\n.rept 3\n\tv_mad_f32 v0, v1, v2, v3\n.endr\n", 20000))
	id := jsonrpc2.ID{Str: "slow", IsString: true}
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	call, err := p.conn.DispatchCall(ctx, "textDocument/semanticTokens/full", docParams{documentID{uri}}, jsonrpc2.PickID(id))
	if err != nil {
		t.Fatal(err)
	}
	p.tell("$/cancelRequest", map[string]any{"id": "slow"})
	var e *jsonrpc2.Error
	if err := call.Wait(ctx, nil); !errors.As(err, &e) || e.Code != codeCancelled {
		t.Errorf("%v", err)
	}
}

// TestSettings: the editor's settings for files, at the beginning and later, and errors in them.
func TestSettings(t *testing.T) {
	p := newPeer(t, Options{}, capable)
	const uri, text = "file:///a.s", "\tadd b32 $r0 $r1 $r2\n"
	p.open(uri, text)
	if d := p.diagnostics(uri, 1); len(d) != 1 || d[0].Code != codeTarget {
		t.Fatalf("%+v", d)
	}
	for v, tt := range []struct{ settings, want string }{
		{`{"heddle":{"isa":"tesla:g80","stage":"fp"}}`, ""},
		{`{"isa":"nv50"}`, ""},
		{`{}`, ""}, // as Neovim sends it: nothing changes
		{`{"other":{"isa":"gcn"}}`, ""},
		{`null`, ""},
		{`{"isa":"gcn"}`, "no instruction"},
		{`{"isa":"voodoo"}`, "no instruction set"},
		{`{"isa":7}`, "settings of heddle"},
		{`{"isa":"tesla","stage":"zz"}`, "no stage of tesla"},
		{`{"isa":"rogue","dialect":"zz"}`, "no dialect of rogue"},
		{`[]`, "want an object"},
		{`{"heddle":{"isa":""}}`, "not known"},
	} {
		p.tell("workspace/didChangeConfiguration", map[string]any{"settings": json.RawMessage(tt.settings)})
		p.change(uri, int32(v+2), contentChange{nil, text})
		list := slices.DeleteFunc(p.diagnostics(uri, int32(v+2)), func(d diagnostic) bool { return d.Severity != severityError })
		if tt.want == "" && len(list) > 0 || tt.want != "" && (len(list) != 1 || !strings.Contains(list[0].Message, tt.want)) {
			t.Errorf("%s: %+v", tt.settings, list)
		}
	}
}

// TestPlainClient: a client without capabilities gets only what the first version of the protocol had.
func TestPlainClient(t *testing.T) {
	p := newPeer(t, Options{}, `{"textDocument":{"hover":{"contentFormat":["plaintext"]}}}`)
	const uri = "file:///a.gfx803.s"
	p.open(uri, "a: s_nop 0\n\tv_add_f32 v0, s1, s2\n")
	if d := p.diagnostics(uri, 1); len(d) != 1 || d[0].CodeDescription != nil || d[0].RelatedInformation != nil {
		t.Errorf("%+v", d)
	}
	var h hover
	if p.ask("textDocument/hover", posOf(uri, 0, 4), &h); h.Contents.Kind != "plaintext" || strings.ContainsAny(h.Contents.Value, "*`") {
		t.Errorf("%+v", h)
	}
	var symbols []symbolInformation
	if p.ask("textDocument/documentSymbol", docParams{documentID{uri}}, &symbols); len(symbols) != 1 || symbols[0].Name != "a" || symbols[0].Location.URI != uri {
		t.Errorf("%+v", symbols)
	}
}

// TestPanic: a panic in a handler is an error answer, and the session continues.
func TestPanic(t *testing.T) {
	s := &session{ctx: context.Background(), methods: map[string]handler{
		"x": of(func(*snapshot, docParams) (any, error) { panic("x") }),
		"y": at(func(*session, *struct{}) (any, error) { panic("y") }),
	}, docs: map[string]*snapshot{"u": documentOf("")}, open: map[string]context.CancelFunc{}, slots: make(chan struct{}, 1), ready: true}
	var out bytes.Buffer
	s.w, s.log = &writer{w: &out}, discardLog()
	in := framed(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"textDocument":{"uri":"u"}}}`, `{"jsonrpc":"2.0","id":2,"method":"y"}`)
	if err := s.serve(newReader(strings.NewReader(in))); err != ErrExit {
		t.Error(err)
	}
	s.work.Wait()
	if got := out.String(); strings.Count(got, "-32603") != 2 {
		t.Error(got)
	}
}

// TestStale: a request that needs the assembly of a text that has changed since is answered with the protocol's
// error, not with an empty result.
func TestStale(t *testing.T) {
	d := documentOf(".isa gcn\na:\ts_nop 0\n")
	d.stale()
	s := &session{docs: map[string]*snapshot{"u": d}}
	r, err := of((*snapshot).inlayHints).run(s, json.RawMessage(`{"textDocument":{"uri":"u"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.later(context.Background()); asRPC(err) == nil || asRPC(err).Code != codeModified {
		t.Errorf("%v", err)
	}
	d = documentOf(d.s)
	d.stale()
	s.docs["u"] = d
	r, _ = of((*snapshot).definition).run(s, json.RawMessage(`{"textDocument":{"uri":"u"},"position":{"line":1,"character":0}}`))
	if got, err := r.later(context.Background()); err != nil || len(got.([]location)) != 1 {
		t.Errorf("what needs no assembly: %v, %v", got, err)
	}
}

// TestSync: a document that is the result of changes gives the same answers as one opened with the final text.
func TestSync(t *testing.T) {
	p := newPeer(t, Options{Delay: time.Hour}, capable)
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		a, b := fmt.Sprintf("file:///a%d.gcn", n), fmt.Sprintf("file:///b%d.gcn", n)
		line := rapid.SampledFrom([]string{"l: s_nop 1\n", "\tv_add_f32 v0, s1, v2 // é𝄞\r\n", "/*", "*/\n", "\"", ".macro m a\n", "\\a\n", ".endm\n", "m l\n"})
		src := strings.Join(rapid.SliceOfN(line, 0, 12).Draw(t, "text"), "")
		x := newText(src, utf16Encoding)
		p.open(a, src)
		for v := range int32(rapid.IntRange(1, 4).Draw(t, "changes")) {
			var list []contentChange
			for range rapid.IntRange(1, 3).Draw(t, "of one message") {
				from := x.position(rapid.IntRange(0, len(x.s)).Draw(t, "from"))
				to := x.position(min(len(x.s), x.offset(from)+rapid.IntRange(0, 20).Draw(t, "by")))
				c := contentChange{&textRange{from, to}, line.Draw(t, "with")}
				x, list = x.apply(&c), append(list, c)
			}
			p.change(a, v+2, list...)
		}
		p.open(b, x.s)
		for _, method := range []string{"textDocument/semanticTokens/full", "textDocument/documentSymbol", "textDocument/foldingRange"} {
			var got, want json.RawMessage
			p.ask(method, docParams{documentID{a}}, &got)
			p.ask(method, docParams{documentID{b}}, &want)
			if !bytes.Equal(got, want) {
				t.Errorf("%s of %q:\n%s\nwant\n%s", method, x.s, got, want)
			}
		}
		p.tell("textDocument/didClose", docParams{documentID{a}})
		p.tell("textDocument/didClose", docParams{documentID{b}})
	})
}
