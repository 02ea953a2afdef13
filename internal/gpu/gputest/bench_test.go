//go:build linux && amd64

package gputest

import (
	"fmt"
	"path/filepath"
	"testing"
)

// BenchmarkSubmit is the time of a submission that Vulkan waits for: empty, and with a dispatch of one wave. Most of
// its packets are the driver's preamble.
func BenchmarkSubmit(b *testing.B) {
	vkrun := client(b)
	source := "testdata/shaders/basic.comp"
	spv := filepath.Join(b.TempDir(), "basic.spv")
	compile(b, source, spv)
	for _, dispatches := range []int{0, 1} {
		b.Run(fmt.Sprintf("dispatches=%d", dispatches), func(b *testing.B) {
			args := append([]string{vkrun, spv}, argsOf(b, source)...)
			r := onGPU(b, "polaris10", []string{"VK_ICD_FILENAMES=" + radv}, append(args, "-n", fmt.Sprint(dispatches), "-s", fmt.Sprint(b.N))...)
			if r.code != nil || r.log != "" {
				b.Fatal(r.code, r.err, r.log)
			}
			b.ReportMetric(float64(r.stats.Time.Load())/float64(b.N), "dispatch-ns/op")
			b.ReportMetric(float64(r.stats.Packets.Load())/float64(b.N), "packets/op")
		})
	}
}
