package gcn

// Queues of pending operations that s_waitcnt waits for. docs/reference/gcn.md 5.
const (
	queueVM   = 0 // vector memory
	queueLGKM = 1 // LDS, GDS, constant memory, messages; scalar loads return out of order
	queueEXP  = 2 // exports and GDS
)
