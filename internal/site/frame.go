package site

import (
	"bytes"
	"html"
	"strings"
)

// pathStart begins the line at the top of a page with links to its parents.
const pathStart = "<p class=path>"

// Frame returns a whole page: the content of main, with the head, the search and the theme around it. root leads from
// the page to the root of the site: "" for a page there, "../" for one in a folder. title is plain text. Because there
// are thousands of pages, Frame adds only what pages without scripts need: site.js puts links, the search and the theme
// switch into the header, and loads live.js if the site has it. A page that starts with links to its parents has no
// header without scripts.
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
