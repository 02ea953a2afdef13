package site

import (
	"bytes"
	"html"
	"strings"
)

// pathStart begins the line at the top of a page that leads to what the page is part of.
const pathStart = "<p class=path>"

// Frame is a whole page: what main holds, with the head, the search and the theme around it. root leads from the page to the root of the site: "" of a page
// there, "../" of one in a folder. title is plain text. It says no more than a page without scripts needs, since there are thousands: site.js puts links, the
// search and the switch of the theme into the header, and loads live.js if the site has it. A page that begins with a path to what it is part of has no header
// without scripts.
func Frame(root, title string, main []byte) []byte {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html lang=en><meta charset=utf-8><title>" + html.EscapeString(title) + "</title><meta name=viewport content=\"width=device-width\">" +
		"<link rel=stylesheet href=" + root + "site.css><script src=" + root + "site.js></script>")
	if !bytes.HasPrefix(main, []byte(pathStart)) {
		b.WriteString("<header><a class=home href=" + root + "index.html>heddle</a></header>")
	}
	b.WriteString("<main>")
	b.Write(main)
	b.WriteString("</main>\n")
	return []byte(b.String())
}
