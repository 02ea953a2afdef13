package meaning

import (
	"sync"

	"github.com/heddle-gpu/heddle/ir"
)

// opTables are what is known of ops here. They are made when they are first asked for: a command that explains nothing does not wait for them.
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

// A carry is how a sum or difference is written, and what its second result is called.
type carry struct{ sign, flag string }
