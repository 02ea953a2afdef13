package check

import "github.com/heddle-gpu/heddle/casefile"

// A BufferResult is the comparison of a buffer of a manifest with its expectation.
type BufferResult struct {
	Buffer *casefile.Buffer
	Output bool   // it has an expectation; otherwise it must be unchanged
	What   string // the difference; "" if there is none
}

// Buffers compares the buffers after the launches of a manifest, by name, except those that the manifest does not
// compare. err reports that an expectation cannot be read.
func Buffers(m *casefile.Manifest, got map[string][]byte) (rs []BufferResult, err error) {
	for i := range m.Buffers {
		b := &m.Buffers[i]
		if b.Compare.Mode == "skip" || b.Expect == "" && b.Unset() {
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
