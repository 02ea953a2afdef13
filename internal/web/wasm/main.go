//go:build js && wasm

// Command wasm is package web as a page in a browser has it: it defines the function heddleCall(method, request) of
// the global object, which takes and gives JSON, and waits. The page loads it in a worker, so that it can end what
// takes too long.
package main

import (
	"context"
	"syscall/js"

	"github.com/heddle-gpu/heddle/internal/web"
)

func main() {
	js.Global().Set("heddleCall", js.FuncOf(func(_ js.Value, args []js.Value) any {
		if len(args) != 2 || args[0].Type() != js.TypeString || args[1].Type() != js.TypeString {
			return `{"error":{"message":"heddleCall takes two strings, a method and its request"}}`
		}
		return string(web.Call(context.Background(), args[0].String(), []byte(args[1].String())))
	}))
	js.Global().Call("heddleReady")
	select {}
}
