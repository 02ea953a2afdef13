package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/heddle-gpu/heddle/internal/dap"
)

// A dapClient speaks the protocol as text, without the adapter's library.
type dapClient struct {
	t      *testing.T
	in     *bufio.Reader
	out    io.WriteCloser
	seq    int
	got    chan obj
	events []obj  // received and not yet consumed
	said   string // text of output events
	ended  chan error
}

// An obj is a JSON object.
type obj = map[string]any

// dapSession returns a client of an adapter in this process.
func dapSession(t *testing.T) *dapClient {
	t.Helper()
	a := newApp(t.Context(), os.Stdin, os.Stdout, os.Stderr)
	return dapClientOf(t, func(ctx context.Context, in io.Reader, out io.Writer) error {
		return dap.Serve(ctx, in, out, a.launches)
	})
}

// dapClientOf returns a client of a server.
func dapClientOf(t *testing.T, serve func(context.Context, io.Reader, io.Writer) error) *dapClient {
	t.Helper()
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	c := &dapClient{t: t, in: bufio.NewReader(toClient), out: fromClient, got: make(chan obj, 1<<14), ended: make(chan error, 1)}
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		c.ended <- serve(ctx, toServer, fromServer)
		fromServer.Close()
	}()
	go c.read()
	t.Cleanup(func() {
		fromClient.Close()
		stop()
		for range c.got { // so that the adapter can write what is left
		}
	})
	return c
}

func (c *dapClient) read() {
	defer close(c.got)
	for {
		head, err := c.in.ReadString('\n')
		if err != nil {
			return
		}
		n, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(head, "Content-Length:")))
		if err != nil {
			return
		}
		data := make([]byte, n+2)
		if _, err := io.ReadFull(c.in, data); err != nil {
			return
		}
		var m obj
		if json.Unmarshal(data[2:], &m) != nil {
			return
		}
		c.got <- m
	}
}

// raw sends a message unchanged.
func (c *dapClient) raw(text string) {
	c.t.Helper()
	if _, err := fmt.Fprintf(c.out, "Content-Length: %d\r\n\r\n%s", len(text), text); err != nil {
		c.t.Fatal(err)
	}
}

func (c *dapClient) send(command string, args any) int {
	c.t.Helper()
	c.seq++
	data, err := json.Marshal(obj{"seq": c.seq, "type": "request", "command": command, "arguments": args})
	if err != nil {
		c.t.Fatal(err)
	}
	c.raw(string(data))
	return c.seq
}

// next returns the next message.
func (c *dapClient) next() obj {
	c.t.Helper()
	select {
	case m, ok := <-c.got:
		if !ok {
			c.t.Fatal("the adapter has gone")
		}
		return m
	case <-time.After(60 * time.Second):
		c.t.Fatal("no message for a minute")
	}
	return nil
}

// keep stores an event.
func (c *dapClient) keep(m obj) {
	if m["event"] == "output" {
		c.said += m["body"].(obj)["output"].(string)
	}
	c.events = append(c.events, m)
}

// answer waits for the response to a request.
func (c *dapClient) answer(seq int) obj {
	c.t.Helper()
	for {
		m := c.next()
		if m["type"] == "response" && m["request_seq"] == float64(seq) {
			return m
		}
		c.keep(m)
	}
}

// ask sends a request, which must succeed, and returns its body.
func (c *dapClient) ask(command string, args any) obj {
	c.t.Helper()
	m := c.answer(c.send(command, args))
	if m["success"] != true {
		c.t.Fatalf("%s %v: %v", command, args, m["message"])
	}
	body, _ := m["body"].(obj)
	return body
}

// refused sends a request, which must fail, and returns the message.
func (c *dapClient) refused(command string, args any) string {
	c.t.Helper()
	m := c.answer(c.send(command, args))
	if m["success"] != false {
		c.t.Fatalf("%s %v succeeds: %v", command, args, m["body"])
	}
	return m["message"].(string)
}

// event waits for an event with a name, and returns its body.
func (c *dapClient) event(name string) obj {
	c.t.Helper()
	for {
		for i, m := range c.events {
			if m["event"] == name {
				c.events = append([]obj{}, c.events[i+1:]...)
				body, _ := m["body"].(obj)
				return body
			}
			if m["event"] == "terminated" && name == "stopped" {
				c.t.Fatalf("the run is over: %s", c.said)
			}
		}
		c.events = nil
		c.keep(c.next())
	}
}

// begin launches, and stops at the entry.
func (c *dapClient) begin(launch obj) obj {
	c.t.Helper()
	c.ask("initialize", obj{"adapterID": "heddle", "supportsVariableType": true})
	launch["stopOnEntry"] = true
	c.ask("launch", launch)
	c.event("initialized")
	c.ask("configurationDone", nil)
	e := c.event("stopped")
	if e["reason"] != "entry" {
		c.t.Fatalf("stopped: %v", e)
	}
	return e
}

// goes continues the run, and returns the event of its next stop.
func (c *dapClient) goes(command string, args obj) obj {
	c.t.Helper()
	if args["threadId"] == nil {
		args["threadId"] = 1
	}
	c.ask(command, args)
	return c.event("stopped")
}

// value returns the value of an expression.
func (c *dapClient) value(expr string) string {
	c.t.Helper()
	return c.ask("evaluate", obj{"expression": expr, "context": "watch"})["result"].(string)
}

// number returns a value as a number.
func (c *dapClient) number(expr string) float64 {
	c.t.Helper()
	return c.numberIn(expr, c.value(expr))
}

// numberIn parses the number at the start of a value; addresses are hexadecimal.
func (c *dapClient) numberIn(expr, value string) float64 {
	c.t.Helper()
	text, _, _ := strings.Cut(value, " ")
	if digits, hex := strings.CutPrefix(text, "0x"); hex {
		n, err := strconv.ParseUint(digits, 16, 64)
		if err != nil {
			c.t.Fatalf("%s: %v", expr, err)
		}
		return float64(n)
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		c.t.Fatalf("%s: %v", expr, err)
	}
	return x
}

// frame returns the innermost frame of a thread.
func (c *dapClient) frame(thread any) obj {
	c.t.Helper()
	return c.ask("stackTrace", obj{"threadId": thread})["stackFrames"].([]any)[0].(obj)
}

// scope returns the reference of the scope whose name begins with name.
func (c *dapClient) scope(frame obj, name string) float64 {
	c.t.Helper()
	for _, s := range c.ask("scopes", obj{"frameId": frame["id"]})["scopes"].([]any) {
		if strings.HasPrefix(s.(obj)["name"].(string), name) {
			return s.(obj)["variablesReference"].(float64)
		}
	}
	c.t.Fatalf("no scope %s", name)
	return 0
}

// variables returns the variables of a reference, by name.
func (c *dapClient) variables(ref any) map[string]obj {
	c.t.Helper()
	all := map[string]obj{}
	for _, v := range c.ask("variables", obj{"variablesReference": ref, "format": obj{"hex": true}})["variables"].([]any) {
		all[v.(obj)["name"].(string)] = v.(obj)
	}
	return all
}

// state returns all registers of a thread, in all lanes, and its position.
func (c *dapClient) state(thread any) string {
	c.t.Helper()
	f := c.frame(thread)
	var b strings.Builder
	fmt.Fprintf(&b, "%v at position %v\n", f["instructionPointerReference"], c.value("position"))
	for _, s := range c.ask("scopes", obj{"frameId": f["id"]})["scopes"].([]any) {
		if s.(obj)["presentationHint"] != "registers" {
			continue
		}
		for _, v := range c.ask("variables", obj{"variablesReference": s.(obj)["variablesReference"], "format": obj{"hex": true}})["variables"].([]any) {
			fmt.Fprintf(&b, "%v=%v", v.(obj)["name"], v.(obj)["value"])
			if strings.HasPrefix(v.(obj)["value"].(string), "[") {
				for _, l := range c.ask("variables", obj{"variablesReference": v.(obj)["variablesReference"], "format": obj{"hex": true}})["variables"].([]any) {
					fmt.Fprintf(&b, " %v", l.(obj)["value"])
				}
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// end continues the run to its end, and returns the exit code.
func (c *dapClient) end() float64 {
	c.t.Helper()
	c.ask("continue", obj{"threadId": 1})
	code := c.event("exited")["exitCode"].(float64)
	c.event("terminated")
	c.ask("disconnect", nil)
	if err := <-c.ended; err != nil {
		c.t.Error(err)
	}
	return code
}
