package exec

import "github.com/heddle-gpu/heddle/ir"

// MostRecycled is mostRecycled.
const MostRecycled = mostRecycled

// RecycledBuffers returns how many buffers of states of that machine and width are used again.
func RecycledBuffers(m *ir.Machine, lanes int) int64 {
	r, _ := recyclers.Load(recyclerKey{m, lanes})
	return r.(*recycler).made.Load()
}
