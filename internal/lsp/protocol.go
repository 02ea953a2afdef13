package lsp

import "encoding/json"

// What follows is part of the protocol, with its names.

type documentID struct {
	URI string `json:"uri"`
}

// A docParams is the parameters of a request about a document.
type docParams struct {
	TextDocument documentID `json:"textDocument"`
}

func (p docParams) document() string { return p.TextDocument.URI }

// A posParams is those for a position in a document.
type posParams struct {
	docParams
	Position position `json:"position"`
}

// A rangeParams is those for a range.
type rangeParams struct {
	docParams
	Range textRange `json:"range"`
}

type openParams struct {
	TextDocument struct {
		documentID
		LanguageID string `json:"languageId"`
		Version    int32  `json:"version"`
		Text       string `json:"text"`
	} `json:"textDocument"`
}

type changeParams struct {
	TextDocument struct {
		documentID
		Version int32 `json:"version"`
	} `json:"textDocument"`
	ContentChanges []contentChange `json:"contentChanges"`
}

type initializeParams struct {
	InitializationOptions json.RawMessage `json:"initializationOptions"`
	Capabilities          struct {
		General struct {
			PositionEncodings []encoding `json:"positionEncodings"`
		} `json:"general"`
		TextDocument struct {
			PublishDiagnostics struct {
				RelatedInformation     bool `json:"relatedInformation"`
				CodeDescriptionSupport bool `json:"codeDescriptionSupport"`
			} `json:"publishDiagnostics"`
			DocumentSymbol struct {
				Hierarchical bool `json:"hierarchicalDocumentSymbolSupport"`
			} `json:"documentSymbol"`
			CodeAction struct {
				Literal *json.RawMessage `json:"codeActionLiteralSupport"`
			} `json:"codeAction"`
			Hover struct {
				ContentFormat []string `json:"contentFormat"`
			} `json:"hover"`
		} `json:"textDocument"`
	} `json:"capabilities"`
}

// A client is the capabilities of the client.
type client struct {
	related, describes bool // of diagnostics
	hierarchy          bool // of symbols
	literal            bool // code actions that are no commands
	plain              bool // hovers are plain text, not Markdown
}

type location struct {
	URI   string    `json:"uri"`
	Range textRange `json:"range"`
}

type textEdit struct {
	Range   textRange `json:"range"`
	NewText string    `json:"newText"`
}

type workspaceEdit struct {
	Changes map[string][]textEdit `json:"changes"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

type hover struct {
	Contents markup     `json:"contents"`
	Range    *textRange `json:"range,omitempty"`
}

// Severities of diagnostics.
const (
	severityError = iota + 1
	severityWarning
	severityInformation
	severityHint
)

type diagnostic struct {
	Range              textRange        `json:"range"`
	Severity           int              `json:"severity"`
	Code               string           `json:"code,omitempty"`
	CodeDescription    *codeDescription `json:"codeDescription,omitempty"`
	Source             string           `json:"source"`
	Message            string           `json:"message"`
	RelatedInformation []relatedInfo    `json:"relatedInformation,omitempty"`
}

type codeDescription struct {
	Href string `json:"href"`
}

type relatedInfo struct {
	Location location `json:"location"`
	Message  string   `json:"message"`
}

type publishParams struct {
	URI         string       `json:"uri"`
	Version     int32        `json:"version"`
	Diagnostics []diagnostic `json:"diagnostics"`
}
