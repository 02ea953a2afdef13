package meaning

import (
	"sync"

	"github.com/heddle-gpu/heddle/ir"
)

// opTables is what this package knows about ops. It is made at its first use, so that commands that explain nothing do
// not wait for it.
type opTables struct {
	kinds, uses    map[ir.Op]Kind
	silent, rounds map[ir.Op]bool
	infixes        map[ir.Op]infix
	words          map[ir.Op]string
	carries        map[ir.Op]carry
}

var tables = sync.OnceValue(func() *opTables {
	return &opTables{kindsOf(), usesOf(), silentOf(), roundsOf(), infixesOf(), wordsOf(), carriesOf()}
})

// A carry is the operator of a sum or difference, and the name of its second result.
type carry struct{ sign, flag string }
