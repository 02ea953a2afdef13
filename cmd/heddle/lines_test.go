package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"testing"
	"time"
)

// TestAnswersOneByOne: the answer to a line is printed when the line is complete, even if the start of the next line
// has arrived with it.
func TestAnswersOneByOne(t *testing.T) {
	in, ask := io.Pipe()
	answers, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer answers.Close()
	code := make(chan int, 1)
	go func() {
		code <- newApp(context.Background(), in, out, os.Stderr).run([]string{"dis", "--isa", "gcn:gfx8", "--lines"})
	}()
	r := bufio.NewReader(answers)
	for _, step := range []struct{ write, want string }{
		{"01050002\n", "v_add_f32_e32 v0, v1, v2\n"},
		{"000081bf\n0105", "s_endpgm\n"},
		{"0002\n0000", "v_add_f32_e32 v0, v1, v2\n"},
		{"81bf\r\nq\n01", "s_endpgm\n"},
		{"", "error: an even number of hexadecimal digits is expected [syntax]\n"},
		{"050002\n", "v_add_f32_e32 v0, v1, v2\n"},
	} {
		if step.write != "" {
			if _, err := io.WriteString(ask, step.write); err != nil {
				t.Fatal(err)
			}
		}
		answers.SetReadDeadline(time.Now().Add(10 * time.Second))
		if got, err := r.ReadString('\n'); err != nil || got != step.want {
			t.Fatalf("%q: %q, %v; want %q", step.write, got, err, step.want)
		}
	}
	ask.Close()
	if c := <-code; c != 0 {
		t.Errorf("exit code %d", c)
	}
}
