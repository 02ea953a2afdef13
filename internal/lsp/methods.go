package lsp

import (
	"encoding/json"
	"slices"
	"sort"
	"time"

	"github.com/heddle-gpu/heddle/asm"
)

// methods returns the methods of the server.
func methods() map[string]handler {
	return map[string]handler{
		"initialize":                        first(at((*session).initialize)),
		"initialized":                       at(func(*session, *struct{}) (any, error) { return nil, nil }),
		"shutdown":                          at((*session).shutdown),
		"$/cancelRequest":                   at((*session).cancel),
		"$/setTrace":                        at(func(*session, *struct{}) (any, error) { return nil, nil }),
		"workspace/didChangeConfiguration":  at((*session).configure),
		"textDocument/didOpen":              at((*session).didOpen),
		"textDocument/didChange":            at((*session).didChange),
		"textDocument/didClose":             at((*session).didClose),
		"textDocument/didSave":              at(func(*session, *struct{}) (any, error) { return nil, nil }),
		"textDocument/hover":                of((*snapshot).hover),
		"textDocument/codeAction":           of((*snapshot).codeActions),
		"textDocument/completion":           of((*snapshot).complete),
		"completionItem/resolve":            at(resolve),
		"textDocument/signatureHelp":        of((*snapshot).signatures),
		"textDocument/definition":           of((*snapshot).definition),
		"textDocument/references":           of((*snapshot).references),
		"textDocument/documentHighlight":    of((*snapshot).highlights),
		"textDocument/documentSymbol":       of((*snapshot).symbols),
		"textDocument/foldingRange":         of((*snapshot).folds),
		"textDocument/prepareRename":        of((*snapshot).prepareRename),
		"textDocument/rename":               of((*snapshot).rename),
		"textDocument/inlayHint":            of((*snapshot).inlayHints),
		"textDocument/semanticTokens/full":  of((*snapshot).tokensFull),
		"textDocument/semanticTokens/range": of((*snapshot).tokensRange),
	}
}

// first makes a method valid before initialize.
func first(h handler) handler {
	h.always = true
	return h
}

// initialize begins the session.
func (s *session) initialize(p *initializeParams) (any, error) {
	if s.ready {
		return nil, failf(codeInvalidRequest, "initialize a second time")
	}
	enc := utf16Encoding
	for _, e := range p.Capabilities.General.PositionEncodings {
		if e == utf8Encoding || e == utf16Encoding || e == utf32Encoding {
			enc = e
			break
		}
	}
	doc := &p.Capabilities.TextDocument
	s.client = client{
		related: doc.PublishDiagnostics.RelatedInformation, describes: doc.PublishDiagnostics.CodeDescriptionSupport,
		hierarchy: doc.DocumentSymbol.Hierarchical, literal: doc.CodeAction.Literal != nil,
		plain: len(doc.Hover.ContentFormat) > 0 && !slices.Contains(doc.Hover.ContentFormat, "markdown"),
	}
	s.encoding = enc
	s.config.base = s.opt.Target
	s.config.read(p.InitializationOptions)
	s.complain()
	s.ready = true
	return s.capabilities(), nil
}

// complain reports what is wrong with the settings.
func (s *session) complain() {
	if err := s.config.err; err != nil {
		s.log.Print(err)
		s.w.notify("window/showMessage", map[string]any{"type": severityError, "message": err.Error()})
	}
}

func (s *session) shutdown(*struct{}) (any, error) {
	s.ended = true
	for _, d := range s.docs {
		d.stale()
	}
	return nil, nil
}

// cancel ends a running request.
func (s *session) cancel(p *struct {
	ID json.RawMessage `json:"id"`
}) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stop := s.open[string(p.ID)]; stop != nil {
		stop()
	}
	return nil, nil
}

// configure applies new settings to all open documents.
func (s *session) configure(p *struct {
	Settings json.RawMessage `json:"settings"`
}) (any, error) {
	s.config.read(p.Settings)
	s.complain()
	for _, d := range s.docs {
		s.replace(s.snapshot(d.uri, d.language, d.version, d.text), 0)
	}
	return nil, nil
}

func (s *session) didOpen(p *openParams) (any, error) {
	t := &p.TextDocument
	s.replace(s.snapshot(t.URI, t.LanguageID, t.Version, newText(t.Text, s.encoding)), 0)
	return nil, nil
}

func (s *session) didChange(p *changeParams) (any, error) {
	d := s.docs[p.TextDocument.URI]
	if d == nil {
		return nil, failf(codeInvalidParams, "%q is not open", p.TextDocument.URI)
	}
	t := d.text
	for i := range p.ContentChanges {
		t = t.apply(&p.ContentChanges[i])
	}
	s.replace(s.snapshot(d.uri, d.language, p.TextDocument.Version, t), s.opt.Delay)
	return nil, nil
}

// replace makes a snapshot the current one of its document.
func (s *session) replace(d *snapshot, delay time.Duration) {
	s.mu.Lock()
	if old := s.docs[d.uri]; old != nil {
		old.stale()
	}
	s.docs[d.uri] = d
	s.mu.Unlock()
	s.diagnose(d, delay)
}

func (s *session) didClose(p *docParams) (any, error) {
	d := s.docs[p.TextDocument.URI]
	if d == nil {
		return nil, failf(codeInvalidParams, "%q is not open", p.TextDocument.URI)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d.stale()
	delete(s.docs, d.uri)
	return nil, s.w.notify("textDocument/publishDiagnostics", map[string]any{"uri": d.uri, "diagnostics": []diagnostic{}})
}

// pieceAt returns the index of the first piece that ends at or after an offset.
func pieceAt(o *asm.Outline, off int) int {
	return sort.Search(len(o.Pieces), func(i int) bool { return o.Pieces[i].To >= off })
}

// capabilities returns what the server announces in initialize.
func (s *session) capabilities() any {
	return map[string]any{
		"serverInfo": map[string]string{"name": "heddle", "version": s.opt.Version},
		"capabilities": map[string]any{
			"positionEncoding":          s.encoding,
			"textDocumentSync":          map[string]any{"openClose": true, "change": 2, "save": map[string]bool{"includeText": false}},
			"hoverProvider":             true,
			"codeActionProvider":        map[string]any{"codeActionKinds": []string{quickFixKind}},
			"completionProvider":        map[string]any{"triggerCharacters": []string{".", "$", "@", "\\"}, "resolveProvider": true},
			"signatureHelpProvider":     map[string]any{"triggerCharacters": []string{" ", ","}},
			"definitionProvider":        true,
			"referencesProvider":        true,
			"documentHighlightProvider": true,
			"documentSymbolProvider":    true,
			"foldingRangeProvider":      true,
			"renameProvider":            map[string]bool{"prepareProvider": true},
			"inlayHintProvider":         true,
			"semanticTokensProvider": map[string]any{
				"legend": map[string]any{"tokenTypes": tokenTypes(), "tokenModifiers": []string{"declaration"}},
				"full":   true, "range": true,
			},
		},
	}
}
