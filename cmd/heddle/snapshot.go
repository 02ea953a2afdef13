package main

import "bytes"

// A snapshot is a copy of a buffer. It takes no memory for blocks of zeros, and neither taking nor comparing it writes
// to the buffer, so zeros that the system has not backed with memory stay so.
type snapshot struct {
	blocks [][]byte // nil: zeros
	size   int
}

// zeros is a block of a snapshot.
var zeros [64 << 10]byte

func snapshotOf(data []byte) snapshot {
	s := snapshot{make([][]byte, 0, len(data)/len(zeros)+1), len(data)}
	for from := 0; from < len(data); from += len(zeros) {
		block := data[from:min(from+len(zeros), len(data))]
		if bytes.Equal(block, zeros[:len(block)]) {
			block = nil
		}
		s.blocks = append(s.blocks, bytes.Clone(block))
	}
	return s
}

// block returns a block, and the same bytes of data, which has the size of the snapshot.
func (s *snapshot) block(i int, data []byte) (was, now []byte) {
	from := i * len(zeros)
	now = data[from:min(from+len(zeros), s.size)]
	if was = s.blocks[i]; was == nil {
		was = zeros[:len(now)]
	}
	return was, now
}

// equal reports whether data is as it was.
func (s *snapshot) equal(data []byte) bool {
	for i := range s.blocks {
		if was, now := s.block(i, data); !bytes.Equal(was, now) {
			return false
		}
	}
	return true
}

// restore makes data what it was. It writes only to blocks that differ.
func (s *snapshot) restore(data []byte) {
	for i := range s.blocks {
		if was, now := s.block(i, data); !bytes.Equal(was, now) {
			copy(now, was)
		}
	}
}

// zero reports whether all bytes are 0.
func (s *snapshot) zero() bool {
	for _, b := range s.blocks {
		if b != nil {
			return false
		}
	}
	return true
}

// bytes returns the copy.
func (s *snapshot) bytes() []byte {
	data := make([]byte, s.size)
	s.restore(data)
	return data
}
