package lsp_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/internal/lsp"
)

// A session whose client makes one request and exits. An editor would use pipes.
func ExampleServe() {
	var in, out bytes.Buffer
	for _, m := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"textDocument/brew"}`,
		`{"jsonrpc":"2.0","id":3,"method":"shutdown"}`,
		`{"jsonrpc":"2.0","method":"exit"}`,
	} {
		fmt.Fprintf(&in, "Content-Length: %d\r\n\r\n%s", len(m), m)
	}
	err := lsp.Serve(context.Background(), &in, &out, lsp.Options{})
	_, answer, _ := strings.Cut(out.String(), `"id":2,`)
	answer, _, _ = strings.Cut(answer, "}}")
	fmt.Println(answer, err)
	// Output: "error":{"code":-32601,"message":"no method \"textDocument/brew\"" <nil>
}
