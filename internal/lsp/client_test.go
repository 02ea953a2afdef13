package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

// A peer is a client whose framing and JSON-RPC are by another author.
type peer struct {
	t    testing.TB
	conn *jsonrpc2.Conn
	done chan error // the result of Serve

	mu   sync.Mutex
	came *sync.Cond
	said map[string][]publishParams // diagnostics, by document
}

type both struct {
	io.Reader
	io.WriteCloser
}

// capable is a client with all capabilities that the server asks for.
const capable = `{"general":{"positionEncodings":["utf-16"]},"textDocument":{
	"publishDiagnostics":{"relatedInformation":true,"codeDescriptionSupport":true},
	"documentSymbol":{"hierarchicalDocumentSymbolSupport":true},"codeAction":{"codeActionLiteralSupport":{}}}}`

// newPeer begins a session, which ends with the test.
func newPeer(t testing.TB, opt Options, capabilities string) *peer {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	p := &peer{t: t, done: make(chan error, 1), said: map[string][]publishParams{}}
	p.came = sync.NewCond(&p.mu)
	if opt.Delay == 0 {
		opt.Delay = AtOnce
	}
	opt.Log = t.Output()
	go func() {
		p.done <- Serve(context.Background(), in, out, opt)
		in.Close()
		out.Close()
	}()
	stream := jsonrpc2.NewBufferedStream(both{fromServer, toServer}, jsonrpc2.VSCodeObjectCodec{})
	p.conn = jsonrpc2.NewConn(context.Background(), stream, jsonrpc2.HandlerWithError(p.handle))
	t.Cleanup(func() { p.conn.Close() })
	var result struct {
		Capabilities map[string]any `json:"capabilities"`
	}
	p.ask("initialize", json.RawMessage(`{"capabilities":`+capabilities+`}`), &result)
	p.tell("initialized", struct{}{})
	return p
}

// handle receives what the server sends on its own.
func (p *peer) handle(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) (any, error) {
	if r.Method != "textDocument/publishDiagnostics" {
		return nil, nil
	}
	var d publishParams
	if err := json.Unmarshal(*r.Params, &d); err != nil {
		p.t.Error(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.said[d.URI] = append(p.said[d.URI], d)
	p.came.Broadcast()
	return nil, nil
}

// diagnostics waits for those of a document's version.
func (p *peer) diagnostics(uri string, version int32) []diagnostic {
	stop := time.AfterFunc(time.Minute, func() { panic(fmt.Sprintf("no diagnostics of %s, version %d", uri, version)) })
	defer stop.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		for _, d := range p.said[uri] {
			if d.Version == version {
				return d.Diagnostics
			}
		}
		p.came.Wait()
	}
}

func (p *peer) try(method string, params, result any) error {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	return p.conn.Call(ctx, method, params, result)
}

func (p *peer) ask(method string, params, result any) {
	p.t.Helper()
	if err := p.try(method, params, result); err != nil {
		p.t.Fatalf("%s: %v", method, err)
	}
}

func (p *peer) tell(method string, params any) {
	p.t.Helper()
	if err := p.conn.Notify(context.Background(), method, params); err != nil {
		p.t.Fatalf("%s: %v", method, err)
	}
}

func (p *peer) open(uri, text string) {
	p.t.Helper()
	p.tell("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": "asm", "version": 1, "text": text}})
}

// change replaces ranges of a document.
func (p *peer) change(uri string, version int32, changes ...contentChange) {
	p.t.Helper()
	p.tell("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri, "version": version}, "contentChanges": changes})
}

// posOf returns parameters for a position, with more members.
func posOf(uri string, line, character int, more ...any) map[string]any {
	m := map[string]any{"textDocument": documentID{uri}, "position": position{line, character}}
	for i := 0; i < len(more); i += 2 {
		m[more[i].(string)] = more[i+1]
	}
	return m
}
