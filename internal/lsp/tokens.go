package lsp

import (
	"bytes"
	"slices"
	"sort"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa"
)

// A tokenType is an index into tokenTypes.
type tokenType int

const (
	tokenComment tokenType = iota
	tokenString
	tokenNumber
	tokenMnemonic
	tokenDirective
	tokenMacro
	tokenLabel
	tokenRegister
	tokenSymbol
	tokenParameter
	tokenOther
)

// tokenTypes returns the protocol's names of the types.
func tokenTypes() []string {
	return []string{"comment", "string", "number", "keyword", "decorator", "macro", "label", "variable", "enumMember", "parameter", "property"}
}

// tokenDeclares is the bit of the one modifier, declaration.
const tokenDeclares = 1

type token struct {
	asm.Extent
	kind  tokenType
	flags int
}

type tokenData struct {
	Data []int `json:"data"`
}

func (d *snapshot) tokensFull(docParams) (any, error) { return d.tokens(0, len(d.s)), nil }

func (d *snapshot) tokensRange(p rangeParams) (any, error) {
	return d.tokens(d.offset(p.Range.Start), d.offset(p.Range.End)), nil
}

// tokens returns those that overlap a part of the document, in order, in the protocol's encoding: each by its
// distance from the previous one.
func (d *snapshot) tokens(from, to int) tokenData {
	o := d.outline()
	var list []token
	sets := map[*isa.Target]*registers{}
	for i := pieceAt(o, from); i < len(o.Pieces) && o.Pieces[i].From < to; i++ {
		t := o.Target(i)
		if sets[t] == nil {
			sets[t] = newRegisters(t)
		}
		list = d.pieceTokens(list, &o.Pieces[i], sets[t])
	}
	for i := sort.Search(len(o.Comments), func(i int) bool { return o.Comments[i].To >= from }); i < len(o.Comments) && o.Comments[i].From < to; i++ {
		list = append(list, token{o.Comments[i], tokenComment, 0})
	}
	slices.SortStableFunc(list, func(a, b token) int { return a.From - b.From })
	data := tokenData{make([]int, 0, 5*len(list))}
	before, last, line := asm.Extent{}, 0, d.lineOf(max(0, from)) // the previous token, and its line
	for _, k := range list {
		if k.From < before.To || k.From == k.To {
			continue // of two that overlap the first
		}
		for line+1 < len(d.lines) && d.lines[line+1] <= k.From {
			line++
		}
		if k.From < d.lines[line] { // a statement of several lines begins before the range
			line = d.lineOf(k.From)
		}
		start := d.lines[line]
		if line == last {
			start = max(start, before.From)
		}
		data.Data = append(data.Data, line-last, d.length(start, k.From), d.length(k.From, k.To), int(k.kind), k.flags)
		before, last = k.Extent, line
	}
	return data
}

// pieceTokens appends the tokens of a piece.
func (d *snapshot) pieceTokens(list []token, p *asm.Piece, sets *registers) []token {
	text := d.outline().Text
	head := asm.Extent{From: p.From, To: p.From + p.Name}
	switch p.Kind {
	case asm.PieceData:
		return append(list, token{p.Extent, tokenString, 0})
	case asm.PieceLabel:
		return append(list, token{head, tokenLabel, tokenDeclares})
	case asm.PieceDirective:
		list = append(list, token{head, tokenDirective, 0})
	case asm.PieceMacro:
		list = append(list, token{head, tokenMacro, 0})
	case asm.PieceAssignment:
		list = append(list, token{head, tokenSymbol, tokenDeclares})
	case asm.PieceInstruction:
		if head = sets.head(text, p); head.From < head.To {
			list = append(list, token{head, tokenMnemonic, 0})
		}
		sets.each(text, p, func(r register) {
			if r.To <= head.From || r.From >= head.To {
				list = append(list, token{r.Extent, tokenRegister, 0})
			}
		})
	}
	return d.wordTokens(list, p, head)
}

// wordTokens appends names, numbers, texts and other words of a piece, except for its head.
func (d *snapshot) wordTokens(list []token, p *asm.Piece, head asm.Extent) []token {
	text := d.outline().Text[:p.To]
	for at := p.From; at < p.To; {
		n := isa.WordLen(text[at:])
		switch {
		case at >= head.From && at < head.To:
			at = head.To
			continue
		case text[at] == '"':
			end := bytes.IndexByte(text[at+1:], '"')
			n = end + 2
			if end < 0 {
				n = p.To - at
			}
			list = append(list, token{asm.Extent{From: at, To: at + n}, tokenString, 0})
		case n > 0:
			list = append(list, d.wordToken(asm.Extent{From: at, To: at + n}))
		}
		at += max(n, 1)
	}
	return list
}

// wordToken returns the token of a word that is no register.
func (d *snapshot) wordToken(e asm.Extent) token {
	k := token{e, tokenOther, 0}
	if c := d.s[e.From]; c >= '0' && c <= '9' {
		k.kind = tokenNumber
	}
	at := d.names().at(e.From)
	if at == nil || at.From != e.From {
		return k
	}
	k.kind = [...]tokenType{labelName: tokenLabel, symbolName: tokenSymbol, macroName: tokenMacro, paramName: tokenParameter}[at.kind]
	if at.def {
		k.flags = tokenDeclares
	}
	return k
}
