package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// The limits of input.
const (
	maxHeader  = 8 << 10  // bytes of the header of a message
	maxMessage = 64 << 20 // and of its content
)

// Codes of errors: of JSON-RPC, and of the protocol.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
	codeNotInitialized = -32002
	codeCancelled      = -32800
	codeModified       = -32801
	codeFailed         = -32803
)

// A rpcError is the error in an answer.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return e.Message }

func failf(code int, format string, args ...any) *rpcError {
	return &rpcError{code, fmt.Sprintf(format, args...)}
}

// A message is a request, a notification (without ID) or a response.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  *string         `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

// A reader reads messages. An error that is an *rpcError concerns one message, and reading can continue; others end
// the session.
type reader struct{ r *bufio.Reader }

func newReader(r io.Reader) *reader { return &reader{bufio.NewReaderSize(r, maxHeader)} }

// next returns the next message.
func (r *reader) next() (*message, error) {
	size, err := r.header()
	if err != nil {
		return nil, err
	}
	if size > maxMessage {
		if _, err := io.CopyN(io.Discard, r.r, size); err != nil {
			return nil, unexpected(err)
		}
		return nil, failf(codeInvalidRequest, "a message of %d bytes; the limit is %d", size, maxMessage)
	}
	var body bytes.Buffer // which grows with what arrives, not with the announced length
	if _, err := io.CopyN(&body, r.r, size); err != nil {
		return nil, unexpected(err)
	}
	return parse(body.Bytes())
}

// unexpected returns the error of a truncated message.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// header reads the header of a message and returns its length.
func (r *reader) header() (size int64, err error) {
	size = -1
	var bad *rpcError
	for n, lines := 0, 0; ; lines++ {
		line, err := r.r.ReadSlice('\n')
		if n += len(line); err == io.EOF && n > 0 {
			err = io.ErrUnexpectedEOF
		}
		if errors.Is(err, bufio.ErrBufferFull) || err == nil && n > maxHeader {
			err = fmt.Errorf("a header of more than %d bytes", maxHeader)
		}
		if err != nil {
			return 0, err
		}
		text := strings.TrimRight(string(line), "\r\n")
		switch name, value, ok := strings.Cut(text, ":"); {
		case text == "" && lines == 0: // blank lines between messages
			n, lines = 0, -1
		case text == "" && bad == nil && size < 0:
			return 0, failf(codeParse, "a header without Content-Length")
		case text == "" && bad != nil:
			if _, err := io.CopyN(io.Discard, r.r, max(size, 0)); err != nil {
				return 0, err
			}
			return 0, bad
		case text == "":
			return size, nil
		case !ok, !strings.EqualFold(name, "Content-Length") && !strings.EqualFold(name, "Content-Type"): // such as an HTTP request
			bad = failf(codeParse, "%q is no line of a header; want Content-Length: BYTES", text)
		case strings.EqualFold(name, "Content-Length"):
			v, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			if err != nil || v < 0 {
				bad = failf(codeParse, "Content-Length: %q is no number of bytes", strings.TrimSpace(value))
				continue
			}
			size = v
		}
	}
}

// parse reads the content of a message.
func parse(body []byte) (*message, error) {
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) || json.Valid(body) {
			return nil, failf(codeInvalidRequest, "no message of JSON-RPC: %v", err)
		}
		return nil, failf(codeParse, "no JSON: %v", err)
	}
	if m.ID != nil && m.ID[0] != '"' && m.ID[0] != '-' && (m.ID[0] < '0' || m.ID[0] > '9') {
		return nil, failf(codeInvalidRequest, "the id %s is neither a number nor a string", m.ID)
	}
	if m.Method == nil && (m.ID == nil || m.Result == nil && m.Error == nil) {
		return nil, failf(codeInvalidRequest, "a message without method that is no response")
	}
	return &m, nil
}

// A writer writes whole messages; it is safe for concurrent use.
type writer struct {
	mu  sync.Mutex
	w   io.Writer
	err error // the first write error: nothing is written after it
}

func (w *writer) send(v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		_, w.err = w.w.Write(append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...))
	}
	return w.err
}

// reply answers a request; without id one that could not be read.
func (w *writer) reply(id json.RawMessage, result any, failure *rpcError) error {
	if id == nil {
		id = json.RawMessage("null")
	}
	if failure != nil {
		return w.send(struct {
			JSONRPC string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Error   *rpcError       `json:"error"`
		}{"2.0", id, failure})
	}
	return w.send(struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  any             `json:"result"`
	}{"2.0", id, result})
}

// notify sends a notification.
func (w *writer) notify(method string, params any) error {
	return w.send(struct {
		JSONRPC string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}{"2.0", method, params})
}
