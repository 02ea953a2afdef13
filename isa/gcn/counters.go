package gcn

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Queues of pending operations that s_waitcnt waits for. docs/reference/gcn.md 5.
const (
	queueVM   = iota // vector memory
	queueLGKM        // LDS, GDS, constant memory, messages
	queueEXP         // exports and GDS
)

// LGKM counts LDS operations, which end in order, and scalar loads, which do not: waiting for some of them says
// something as long as no scalar load is among them, so the queue is not declared unordered.
var queues = []ir.Queue{
	queueVM:   {Name: "vm", Max: 15},
	queueLGKM: {Name: "lgkm", Max: 15},
	queueEXP:  {Name: "exp", Max: 7},
}

// issued marks the start of an operation that will write n registers from c up.
func issued(l *isa.Lift, queue int, c ir.Cell, n int) {
	if n == 0 {
		l.Issue(queue, nil, nil)
		return
	}
	l.Issue(queue, []ir.Span{{Cell: c, Count: uint16(n)}}, nil)
}
