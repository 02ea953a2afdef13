package check

import "github.com/heddle-gpu/heddle/object"

// A BufferResult says how a buffer of a manifest compares with what is expected.
type BufferResult struct {
	Buffer *object.Buffer
	Output bool   // it has an expectation; otherwise it must stay as it was
	What   string // what differs, or nothing
}

// Buffers compares the buffers that the launches of a manifest left, by name, but for those that the
// manifest leaves open. The error is of reading an expectation.
func Buffers(m *object.Manifest, got map[string][]byte) (rs []BufferResult, err error) {
	for i := range m.Buffers {
		b := &m.Buffers[i]
		if b.Compare.Mode == "skip" {
			continue
		}
		want, err := m.ExpectData(b)
		if err != nil {
			return rs, err
		}
		rs = append(rs, BufferResult{b, b.Expect != "", CompareBuffer(b, want, got[b.Name])})
	}
	return rs, nil
}
