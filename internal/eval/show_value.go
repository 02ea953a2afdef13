package eval

import "github.com/heddle-gpu/heddle/internal/meaning"

// ValueText formats a value of so many bits by its format: the name of the type, "" if there is none, and the value.
func ValueText(bits int, v uint64, f meaning.Format) (typ, text string) { return shown(bits, v, f) }
