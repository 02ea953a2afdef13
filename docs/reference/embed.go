// Package reference holds the pages of this folder as text, for programs that show them where there is no checkout:
// the site of heddle docs. Package internal/reference reads them, and says how rows cite them.
package reference

import "embed"

// Pages are the pages by the names of their files, as they were when the program was built.
//
//go:embed *.md
var Pages embed.FS
