package dap

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/google/go-dap"

	"github.com/heddle-gpu/heddle/debug"
)

// A session is one connection. Its fields belong to the goroutine that executes requests, except for those of the
// connection.
type session struct {
	launcher Launcher // nil: there is a program
	program  Program  // nil: there is a launcher
	ctx      context.Context

	wire   sync.Mutex // guards what follows
	out    io.Writer
	seq    int
	bad    error    // of writing
	events []func() // of the run, for the goroutine of the session

	client  client
	state   state
	launch  *Launch
	run     *debug.Session
	pending dap.RequestMessage // launch or attach, to be answered when the run has begun
	fresh   bool               // the run has not been continued yet
	after   func()             // called after the present answer
	leaves  bool

	points  points
	threads []dap.Thread // of the last stop
	views
	gotos []gotoPlace

	news chan struct{} // there are events
}

// A client is the capabilities that a client has declared.
type client struct {
	lines0, columns0    bool // it counts from 0
	memory, invalidated bool // it accepts such events
}

// A state is the progress of a session.
type state uint8

const (
	created     state = iota
	initialized       // and launched next
	launching
	launched
	over
)

// maxQueue limits the waiting requests.
const maxQueue = 1 << 10

// A message is a request of a client, or the error of reading it.
type message struct {
	raw []byte
	err error
}

// Serve executes the requests of one client until it disconnects. The error is that of the connection.
func Serve(ctx context.Context, in io.Reader, out io.Writer, launcher Launcher) error {
	return (&session{launcher: launcher}).serve(ctx, in, out)
}

// Attach is Serve for a client that joins a program and leaves it again, instead of launching one.
func Attach(ctx context.Context, in io.Reader, out io.Writer, to Program) error {
	return (&session{program: to}).serve(ctx, in, out)
}

func (s *session) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s.ctx, s.out, s.news = ctx, out, make(chan struct{}, 1)
	s.points.init()
	defer func() {
		if s.run != nil {
			s.quit()
		}
	}()
	queue, gone := make(chan message, maxQueue), &cancelled{ids: map[int]bool{}}
	go read(ctx, in, queue, gone)
	for !s.leaves {
		select {
		case <-s.news:
			s.hear()
		case m, ok := <-queue:
			if !ok {
				return s.bad
			}
			if m.err != nil {
				if err := s.unreadable(m.err); err != nil {
					return err
				}
				continue
			}
			s.handle(m.raw, gone)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return s.bad
}

// read reads messages, and records cancellations at once.
func read(ctx context.Context, in io.Reader, to chan<- message, gone *cancelled) {
	defer close(to)
	r := bufio.NewReader(in)
	for {
		if _, err := r.Peek(1); errors.Is(err, io.EOF) {
			return
		}
		raw, err := readMessage(r)
		var c struct {
			Command   string
			Arguments struct{ RequestID int }
		}
		if err == nil && json.Unmarshal(raw, &c) == nil && c.Command == "cancel" {
			gone.add(c.Arguments.RequestID)
		}
		select {
		case to <- message{raw, err}:
		case <-ctx.Done():
			return
		}
		if err != nil { // the start of the next message is unknown
			return
		}
	}
}

// The limits of a message, in bytes.
const maxHeader, maxContent = 4 << 10, 4 << 20

// readMessage reads a message: header lines, an empty line, and the number of bytes that the header gives. Header
// names other than Content-Length and Content-Type end the connection: a web page that sends HTTP to the port gets no
// answer.
func readMessage(r *bufio.Reader) ([]byte, error) {
	size, read := -1, 0
	for {
		line, err := r.ReadSlice('\n')
		if read += len(line); errors.Is(err, bufio.ErrBufferFull) || read > maxHeader {
			return nil, fmt.Errorf("a header of more than %d bytes", maxHeader)
		}
		if err != nil {
			return nil, fmt.Errorf("the header ends too early: %w", unexpected(err))
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" && size >= 0 {
			break
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return nil, fmt.Errorf("%q is no line of a header: want Content-Length: BYTES", text)
		}
		switch name = strings.TrimSpace(name); {
		case strings.EqualFold(name, "Content-Type"):
			continue
		case !strings.EqualFold(name, "Content-Length"):
			return nil, fmt.Errorf("%q is no line of a header: want Content-Length: BYTES", text)
		}
		if size, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || size < 0 || size > maxContent {
			return nil, fmt.Errorf("Content-Length: %s: want a number up to %d", strings.TrimSpace(value), maxContent)
		}
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, fmt.Errorf("a message of %d bytes ends too early: %w", size, unexpected(err))
	}
	return data, nil
}

// unexpected returns io.ErrUnexpectedEOF for an end within a message.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// unreadable ends a session that has received something else than a message.
func (s *session) unreadable(err error) error {
	s.say("console", fmt.Sprintf("what was sent is no message of the protocol: %v", err))
	return fmt.Errorf("reading a message: %w", err)
}

// cancelled are the requests that the client has cancelled.
type cancelled struct {
	mu  sync.Mutex
	ids map[int]bool
}

func (c *cancelled) add(id int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.ids) < maxQueue {
		c.ids[id] = true
	}
}

func (c *cancelled) has(id int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer delete(c.ids, id)
	return c.ids[id]
}

// handle executes one request.
func (s *session) handle(raw []byte, gone *cancelled) {
	var head struct {
		Seq     int
		Type    string
		Command string
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		s.say("console", fmt.Sprintf("a message that is no JSON object: %v", err))
		return
	}
	if head.Type != "request" {
		return // an answer to a request that was never sent
	}
	req := &dap.Request{ProtocolMessage: dap.ProtocolMessage{Seq: head.Seq, Type: head.Type}, Command: head.Command}
	m, err := dap.DecodeProtocolMessage(raw)
	var unknown *dap.DecodeProtocolMessageFieldError
	switch r, ok := m.(dap.RequestMessage); {
	case errors.As(err, &unknown):
		s.refuse(req, fmt.Errorf("%s is not supported", head.Command))
	case err != nil:
		s.refuse(req, fmt.Errorf("%s: arguments: %w", head.Command, err))
	case !ok:
		s.refuse(req, fmt.Errorf("%s is no request", head.Command))
	case head.Command != "cancel" && gone.has(head.Seq):
		s.refuse(req, errors.New("cancelled"))
	default:
		s.do(r, raw)
	}
}

// do executes a request and answers it.
func (s *session) do(m dap.RequestMessage, raw []byte) {
	req := m.GetRequest()
	h, ok := handlerOf(req.Command)
	if !ok {
		s.refuse(req, fmt.Errorf("%s is not supported", req.Command))
		return
	}
	if err := s.allows(h.needs, req.Command); err != nil {
		s.refuse(req, err)
		return
	}
	if req.Command == "initialize" {
		s.client.read(raw)
	}
	s.after = nil
	answer, err := h.do(s, m)
	switch {
	case err != nil:
		s.refuse(req, err)
	case answer != nil:
		s.answer(req, answer)
	}
	if s.after != nil {
		s.after()
	}
}

// read reads a client's capabilities. Lines count from 1 by default.
func (c *client) read(raw []byte) {
	var m struct {
		Arguments struct {
			LinesStartAt1, ColumnsStartAt1                *bool
			SupportsMemoryEvent, SupportsInvalidatedEvent bool
		}
	}
	if json.Unmarshal(raw, &m) != nil {
		return // the request has been decoded before
	}
	a := &m.Arguments
	c.lines0 = a.LinesStartAt1 != nil && !*a.LinesStartAt1
	c.columns0 = a.ColumnsStartAt1 != nil && !*a.ColumnsStartAt1
	c.memory, c.invalidated = a.SupportsMemoryEvent, a.SupportsInvalidatedEvent
}

// answer sends the response to a request.
func (s *session) answer(req *dap.Request, m dap.ResponseMessage) {
	r := m.GetResponse()
	r.Type, r.RequestSeq, r.Success, r.Command = "response", req.Seq, true, req.Command
	s.send(m, &r.Seq)
}

// refuse answers a request that cannot be executed.
func (s *session) refuse(req *dap.Request, err error) {
	m := &dap.ErrorResponse{}
	m.Type, m.RequestSeq, m.Command, m.Message = "response", req.Seq, req.Command, err.Error()
	m.Body.Error = &dap.ErrorMessage{Id: 1, Format: "{error}", Variables: map[string]string{"error": err.Error()}, ShowUser: req.Command == "launch" || req.Command == "attach"}
	s.send(m, &m.Seq)
}

// event sends an event.
func (s *session) event(name string, m dap.EventMessage) {
	e := m.GetEvent()
	e.Type, e.Event = "event", name
	s.send(m, &e.Seq)
}

// say shows a text to the user.
func (s *session) say(category, text string) {
	if text == "" {
		return
	}
	if category == "console" {
		text += "\n"
	}
	s.event("output", &dap.OutputEvent{Body: dap.OutputEventBody{Category: category, Output: text}})
}

// send writes a message; it may be called concurrently.
func (s *session) send(m dap.Message, seq *int) {
	s.wire.Lock()
	defer s.wire.Unlock()
	s.seq++
	*seq = s.seq
	if err := dap.WriteProtocolMessage(s.out, m); err != nil && s.bad == nil {
		s.bad = fmt.Errorf("writing a message: %w", err)
	}
}

// writer passes on what a run prints.
type writer struct {
	s   *session
	run *debug.Session
}

func (w *writer) Write(p []byte) (int, error) {
	if w.run == nil || !w.run.Replaying() {
		w.s.say("stdout", string(p))
	}
	return len(p), nil
}
