package live

import (
	"bytes"
	"embed"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/heddle-gpu/heddle/internal/web"
)

//go:embed assets
var assets embed.FS

// The names of the files, at the root of the site. Pages load the first two at once, and the third when it is needed.
const (
	Script = "live.js"
	Style  = "live.css"
	Engine = "heddle.wasm.js"
)

// A File is a file at the root of the site.
type File struct {
	Name string
	Data []byte
}

// Pages returns the files that pages load: the script and the style. They need Engine in the same folder.
func Pages() []File {
	var b bytes.Buffer
	b.WriteString("// What runs heddle in pages; see internal/live. It asks nothing of any network.\n(function () {\n'use strict';\n")
	list, err := assets.ReadDir("assets")
	if err != nil {
		panic("live: " + err.Error()) // the files are embedded
	}
	for _, f := range list {
		if strings.HasSuffix(f.Name(), ".js") {
			b.Write(asset(f.Name()))
		}
	}
	b.WriteString("})();\n")
	return []File{{Script, b.Bytes()}, {Style, asset("live.css")}}
}

func asset(name string) []byte {
	data, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic("live: " + err.Error())
	}
	return data
}

// firstUnit is the first of 32768 UTF-16 code units that encode 15 bits each: none of them is a surrogate or ends a
// line or a string.
const firstUnit = 0x3400

// File returns the script that holds the engine. Pages opened from a disk can load scripts only, so the packed code is
// encoded as a string: in UTF-16 with 15 bits per code unit, lowest first, which takes a fifth less than base64. Its
// byte order mark overrides the encoding that a server declares.
func (w *Wasm) File() File {
	exec, err := json.Marshal(string(w.Exec)) // escapes what would end a script
	if err != nil {
		panic("live: " + err.Error())
	}
	b := make([]byte, 0, 2*len(exec)+len(w.Packed)*16/15+256)
	b = append(b, 0xff, 0xfe)
	b = wide(b, "heddleWasm("+string(exec)+","+strconv.Itoa(len(w.Packed))+`,"`)
	bits, n := uint32(0), 0
	for _, c := range w.Packed {
		bits |= uint32(c) << n
		if n += 8; n >= 15 {
			b = binary.LittleEndian.AppendUint16(b, firstUnit+uint16(bits&0x7fff))
			bits, n = bits>>15, n-15
		}
	}
	if n > 0 {
		b = binary.LittleEndian.AppendUint16(b, firstUnit+uint16(bits))
	}
	return File{Engine, wide(b, "\")\n")}
}

// wide appends a text in UTF-16.
func wide(b []byte, text string) []byte {
	for _, u := range utf16.Encode([]rune(text)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return b
}

// Play returns the content of main of the play page: its parts, descriptions of the sets, and example programs.
func Play() []byte {
	b := bytes.NewBuffer(bytes.Clone(asset("play.html")))
	data := func(id string, v any) {
		text, err := json.Marshal(v)
		if err != nil {
			panic("live: " + err.Error())
		}
		fmt.Fprintf(b, "<script type=\"application/json\" id=%s>%s</script>\n", id, text) // Marshal escapes <
	}
	data("live-sets", web.Sets())
	data("live-programs", programs())
	return b.Bytes()
}

// programs returns example fragment programs, by set.
func programs() map[string]string {
	list, err := assets.ReadDir("assets/programs")
	if err != nil {
		panic("live: " + err.Error())
	}
	all := map[string]string{}
	for _, f := range list {
		all[strings.TrimSuffix(f.Name(), ".s")] = string(asset("programs/" + f.Name()))
	}
	return all
}
