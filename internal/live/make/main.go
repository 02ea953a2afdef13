// Command make builds package internal/web/wasm into the folder that package live embeds: make wasm runs it.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/heddle-gpu/heddle/internal/live"
)

func main() {
	if err := live.Build(context.Background(), ".", filepath.Join("internal", "live", "wasm")); err != nil {
		fmt.Fprintln(os.Stderr, "make wasm:", err)
		os.Exit(1)
	}
}
