package eval

import "github.com/heddle-gpu/heddle/internal/meaning"

// ValueText is a value of so many bits as what it is meant: the name of the type, "" of none, and the value as people read it.
func ValueText(bits int, v uint64, f meaning.Format) (typ, text string) { return shown(bits, v, f) }
