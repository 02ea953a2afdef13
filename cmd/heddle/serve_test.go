//go:build unix

package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestServe: the address is printed when the server answers; another server cannot use it; an interrupt or SIGTERM ends
// the command with 0, after answers in progress.
func TestServe(t *testing.T) {
	self, err := exec.LookPath("heddle") // the test binary under that name: see TestMain
	if err != nil {
		t.Fatal(err)
	}
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		c := exec.Command(self, "serve", "--addr", "127.0.0.1:0", "--no-live")
		var wrong bytes.Buffer
		c.Stderr = &wrong
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil || !strings.HasPrefix(line, "http://127.0.0.1:") {
			t.Fatalf("it says %q: %v %s", line, err, wrong.String())
		}
		url := strings.TrimSpace(line)
		client := &http.Client{Timeout: time.Minute}
		r, err := client.Get(url + "site.css")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || r.StatusCode != 200 || !bytes.Contains(body, []byte("--accent")) {
			t.Errorf("site.css: %d, %d bytes, %v", r.StatusCode, len(body), err)
		}
		second := exec.Command(self, "serve", "--no-live", "--addr", strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/"))
		text, err := second.CombinedOutput()
		if second.ProcessState.ExitCode() != 2 || !strings.Contains(string(text), "another program listens there; --addr localhost:0 takes any free port") {
			t.Errorf("a second server: %v, %s", err, text)
		}
		if err := c.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		rest, err := io.ReadAll(out)
		if end := c.Wait(); end != nil || err != nil || len(rest) > 0 || wrong.Len() > 0 {
			t.Errorf("%v ends it with %v, %v; it says %q and %q", signal, end, err, rest, wrong.String())
		}
	}
}
