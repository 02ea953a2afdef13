// Package web is the interface of heddle for a page in a browser, in Go: a method by name, with JSON in and JSON out.
// Package web/wasm puts it into a browser; here nothing depends on one, so that all of it can be tested, and used by
// a server as well.
//
//	answer := web.Call(ctx, "eval", []byte(`{"isa": "gcn:gfx8", "text": "v_add_f32 v0, v1, v2", "state": "v1=1.5 v2=2.25,-3"}`))
//
// An answer is {"result": ...}, or {"error": {...}} with the places in the text that are at fault. Requests come from
// anyone who opens a page: their size is limited (see the constants of each method), and the caller must limit the
// time that a program takes.
package web
