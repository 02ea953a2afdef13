package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

type pipes struct {
	io.Reader
	io.WriteCloser
}

// TestLSP is a session with the command as editors start it. Standard output has only the protocol, whatever goes
// wrong.
func TestLSP(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		bye  bool
		exit int
	}{
		{"shutdown", []string{"lsp", "--stdio", "--isa", "tesla:g80", "--delay", "1ms"}, true, 0},
		{"exit alone", []string{"lsp", "--isa", "tesla:g80", "--stage", "cp", "--delay", "0s"}, false, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, stop := context.WithTimeout(context.Background(), time.Minute)
			defer stop()
			cmd := exec.CommandContext(ctx, "heddle", tt.args...)
			var said strings.Builder
			cmd.Stderr = &said
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			converse(ctx, t, pipes{out, in}, tt.bye)
			err = cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != tt.exit {
				t.Errorf("exit code %d, %v, want %d\n%s", got, err, tt.exit, &said)
			}
			if strings.Contains(said.String(), "panic") || strings.Contains(said.String(), "shutdown") == tt.bye {
				t.Errorf("standard error: %s", &said)
			}
		})
	}
}

// converse opens a file, requests information about it, and ends.
func converse(ctx context.Context, t *testing.T, p pipes, bye bool) {
	wrong := make(chan string, 8)
	handle := func(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) (any, error) {
		wrong <- string(*r.Params)
		return nil, nil
	}
	c := jsonrpc2.NewConn(ctx, jsonrpc2.NewBufferedStream(p, jsonrpc2.VSCodeObjectCodec{}), jsonrpc2.HandlerWithError(handle))
	defer c.Close()
	ask := func(method, params string, result any) {
		if err := c.Call(ctx, method, json.RawMessage(params), result); err != nil {
			t.Fatalf("%s: %v", method, err)
		}
	}
	var begun struct {
		ServerInfo struct{ Name string }
	}
	ask("initialize", `{"processId":null,"rootUri":null,"capabilities":{}}`, &begun)
	if begun.ServerInfo.Name != "heddle" {
		t.Errorf("%+v", begun)
	}
	c.Notify(ctx, "initialized", struct{}{})
	c.Notify(ctx, "textDocument/didOpen", json.RawMessage(`{"textDocument":{"uri":"file:///x.s","languageId":"asm","version":7,"text":"\tadd b32 $r0 $r1 $r2\n\taddd $r1\n"}}`))
	var h struct{ Contents struct{ Value string } }
	ask("textDocument/hover", `{"textDocument":{"uri":"file:///x.s"},"position":{"line":0,"character":2}}`, &h)
	if !strings.Contains(h.Contents.Value, "tesla:g80") || !strings.Contains(h.Contents.Value, "d = a + b") {
		t.Errorf("hover: %s", h.Contents.Value)
	}
	select {
	case got := <-wrong:
		if !strings.Contains(got, `"version":7`) || !strings.Contains(got, `no instruction \"addd\"`) {
			t.Errorf("diagnostics: %s", got)
		}
	case <-ctx.Done():
		t.Error("no diagnostics")
	}
	if bye {
		ask("shutdown", "null", nil)
	}
	c.Notify(ctx, "exit", nil)
}

// lspSession returns the input of a session.
func lspSession() string {
	var b strings.Builder
	for _, m := range []string{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`, `{"jsonrpc":"2.0","id":2,"method":"shutdown"}`, `{"jsonrpc":"2.0","method":"exit"}`} {
		fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(m), m)
	}
	return b.String()
}
