package site

import (
	"html"
	"strings"
)

// Frame is a whole page: what main holds, with the head, the search and the theme around it. root leads from the page to the root of the site: "" of a page
// there, "../" of one in a folder. title is plain text. site.js puts links, the search and the switch of the theme into the header. The page loads live.css and live.js if the options have them.
func Frame(root, title string, main []byte, o *Options) []byte {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html lang=en data-root=\"" + root + "\"")
	if o.Play != nil {
		b.WriteString(" data-play")
	}
	b.WriteString("><meta charset=utf-8><title>" + html.EscapeString(title) + " · heddle</title><meta name=viewport content=\"width=device-width\"><link rel=stylesheet href=" + root + "site.css>")
	if o.live("live.css") {
		b.WriteString("<link rel=stylesheet href=" + root + "live.css>")
	}
	b.WriteString("<script src=" + root + "site.js></script>")
	if o.live("live.js") {
		b.WriteString("<script src=" + root + "live.js defer></script>")
	}
	b.WriteString("<header><a class=home href=" + root + "index.html>heddle</a></header><main>")
	b.Write(main)
	b.WriteString("</main>\n")
	return []byte(b.String())
}
