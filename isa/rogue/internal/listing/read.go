package listing

import (
	"strings"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// Open reports whether a group of a listing continues on the next line: within braces, after a comma, before a
// colon, and in a numbered group up to the next number, label or directive.
func Open(text, next string) bool {
	next = strings.TrimLeft(next, " \t")
	if strings.HasPrefix(next, ":") || strings.Count(text, "{") > strings.Count(text, "}") || strings.HasSuffix(strings.TrimRight(text, " \t\n"), ",") {
		return strings.TrimSpace(text) != ""
	}
	if n := pastNumber(text); n == 0 || next == "" || next[0] == '.' || strings.Contains(text, "}") {
		return false
	}
	n := isa.WordLen(next)
	return pastNumber(next) == 0 && !strings.HasPrefix(next[n:], ":")
}

// pastNumber is the position after a group's number and its colon; 0: there is no number.
func pastNumber(text string) int {
	at := 0
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	from := at
	for at < len(text) && text[at] >= '0' && text[at] <= '9' {
		at++
	}
	if at == from {
		return 0
	}
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	if at == len(text) || text[at] != ':' {
		return 0
	}
	return at + 1
}

// A token is an operand or a mnemonic of a statement, in lower case, and its position.
type token struct {
	text string
	at   int
}

// A statement is one statement of a listing.
type statement struct {
	token
	ops []token
	end int
}

// op is operand i, or "" if it is left out.
func (st *statement) op(i int) string {
	if i >= len(st.ops) {
		return ""
	}
	return st.ops[i].text
}

// A reader reads a group of a listing.
type reader struct {
	set    Set
	text   Text
	s      *isa.Scan
	g      *group.Contents
	list   []statement
	bits   bool       // the group is one of the bit unit
	outs   []outgoing // moves that name the destinations of results
	source token      // what FTE stands for; "": nothing with a name
	fixed0 bool       // .route gives is0
	alias  [6]int8    // 1 + the source with the same register; 0: none
	routed [6]bool    // .route gives the selector
}

// An outgoing is a line that gives the destination of a result.
type outgoing struct{ to, from token }

// Read reads the text of a group into its contents. It returns where the group begins and ends.
func Read(set Set, s *isa.Scan, text Text) (start, end int, err error) {
	r := reader{set: set, text: text, s: s, g: text.Contents()}
	s.Pos += pastNumber(s.Line[s.Pos:])
	s.Space()
	start = s.Pos
	if err = r.read(); err != nil {
		return start, s.Pos, err
	}
	end = s.Pos
	if err = r.parts(); err == nil {
		err = r.finish()
	}
	return start, end, err
}

func (r *reader) wrong(at int, code, msg string) error {
	return &isa.Error{Code: code, Line: 1, Col: at + 1, Source: r.s.Line, Msg: msg}
}

// read splits the group: condition, statements, and flags.
func (r *reader) read() error {
	s := r.s
	braces, err := r.conditions()
	if err != nil {
		return err
	}
	for {
		r.between()
		switch {
		case s.Pos >= len(s.Line):
			if braces {
				return r.wrong(len(s.Line), isa.ErrSyntax, `"}" is missing`)
			}
		case s.Peek() == '}' && braces:
			s.Pos++
			braces = false
			r.between()
			if !s.End() && s.Peek() != '.' {
				return r.wrong(s.Pos, isa.ErrSyntax, "behind a group stand .olchk, .atom, .end, .route(…), .form(…) and .pad(…)")
			}
			continue
		case s.Peek() == '.':
			if braces {
				return r.wrong(s.Pos, isa.ErrSyntax, `"}" is missing`)
			}
			return r.flags()
		default:
			st, err := r.statement()
			if err != nil {
				return err
			}
			r.list = append(r.list, st)
			continue
		}
		if len(r.list) == 0 {
			return r.wrong(s.Pos, isa.ErrSyntax, "no instruction here")
		}
		return nil
	}
}

// between skips separators between statements.
func (r *reader) between() {
	for r.s.Space(); r.s.Byte(';') || r.s.Byte(':'); r.s.Space() {
	}
}

// conditions reads if (p0), (ignorepe), (rpt4) and the brace.
func (r *reader) conditions() (braces bool, err error) {
	s := r.s
	for {
		at := s.Pos
		rest := s.Line[at:]
		switch {
		case s.Byte('{'):
			return true, nil
		case len(rest) > 2 && strings.EqualFold(rest[:2], "if") && (rest[2] == ' ' || rest[2] == '('):
			n := strings.IndexByte(rest, ')')
			if n < 0 {
				return false, r.wrong(at, isa.ErrSyntax, `")" is missing`)
			}
			switch strings.ToLower(strings.Join(strings.Fields(rest[:n+1]), "")) {
			case "if(p0)":
				r.g.Condition = group.IfP0
			case "if(!p0)":
				r.g.Condition = group.IfNotP0
			default:
				return false, r.wrong(at, isa.ErrSyntax, "a condition is if(p0) or if(!p0)")
			}
			s.Pos += n + 1
		case rest != "" && rest[0] == '(':
			if err := r.inParens(rest, at); err != nil {
				return false, err
			}
		default:
			return false, nil
		}
		s.Space()
	}
}

// inParens reads ignorepe and rpt1 to rpt4 in parentheses.
func (r *reader) inParens(rest string, at int) error {
	s := r.s
	n := strings.IndexByte(rest, ')')
	if n < 0 {
		return r.wrong(at, isa.ErrSyntax, `")" is missing`)
	}
	word := strings.ToLower(strings.TrimSpace(rest[1:n]))
	switch {
	case word == "ignorepe":
		r.g.Condition = group.Always
	case len(word) == 4 && word[:3] == "rpt" && word[3] >= '1' && word[3] <= '4':
		r.g.Repeat = int(word[3] - '0')
	default:
		return r.wrong(at, isa.ErrSyntax, "in parentheses stand ignorepe, or rpt1 to rpt4")
	}
	s.Pos += n + 1
	return nil
}

// statement reads a mnemonic and its operands, up to text that cannot be an operand.
func (r *reader) statement() (st statement, err error) {
	s := r.s
	st.at = s.Pos
	w := s.Word()
	s.Pos += len(w)
	if strings.HasSuffix(w, ".if") && s.Peek() == '(' {
		if n := strings.IndexByte(s.Line[s.Pos:], ')'); n >= 0 {
			s.Pos += n + 1
			s.Pos += isa.WordLen(s.Line[s.Pos:])
		}
	}
	if w == "" {
		return st, r.wrong(s.Pos, isa.ErrSyntax, "an instruction is expected")
	}
	st.text = strings.ToLower(s.Line[st.at:s.Pos])
	for more := !r.ended(); more; {
		op := r.operand(isBranch(st.text))
		st.ops = append(st.ops, op)
		r.inLine()
		if more = s.Byte(','); more {
			r.afterComma()
			if s.Pos >= len(s.Line) || strings.IndexByte(";}", s.Line[s.Pos]) >= 0 || r.mnemonic() {
				st.ops, more = append(st.ops, token{"", s.Pos}), false
			}
		}
	}
	st.end = s.Pos
	return st, nil
}

func isBranch(name string) bool {
	name, _, _ = strings.Cut(name, ".")
	return name == "br" || name == "brl" || name == "ba" || name == "bal"
}

func (r *reader) inLine() {
	for r.s.Peek() == ' ' || r.s.Peek() == '\t' {
		r.s.Pos++
	}
}

// ended reports whether a statement ends here; it skips blanks before that.
func (r *reader) ended() bool {
	r.inLine()
	switch r.s.Peek() {
	case 0, '\n', ';', ':', '}', '.':
		return true
	}
	return false
}

// afterComma skips line ends and the colons of continuation lines.
func (r *reader) afterComma() {
	for r.s.Space(); r.s.Byte(':'); r.s.Space() {
	}
}

// operand reads an operand. It ends at a comma, or at a blank outside of brackets and not next to an operator. If whole
// is set (branches), it extends to the end of the line.
func (r *reader) operand(whole bool) token {
	s := r.s
	at, depth := s.Pos, 0
	for s.Pos < len(s.Line) {
		c := s.Line[s.Pos]
		if c == '[' || c == '(' {
			depth++
		} else if c == ']' || c == ')' {
			depth--
		}
		if c == '\n' || c == ';' || c == '}' || depth == 0 && (c == ',' || c == ':' && !whole) {
			break
		}
		if (c == ' ' || c == '\t') && depth == 0 && !r.joined(at) {
			if !whole || strings.HasPrefix(strings.TrimLeft(s.Line[s.Pos:], " \t"), ".") {
				break
			}
		}
		s.Pos++
	}
	text := strings.TrimRight(s.Line[at:s.Pos], " \t")
	s.Pos = at + len(text)
	if !whole {
		text = strings.ToLower(text)
	}
	return token{text, at}
}

const operators = "+-*/%&|^<>"

// joined reports whether the blanks here are next to an operator of the operand that begins at `from`.
func (r *reader) joined(from int) bool {
	s := r.s
	rest := strings.TrimLeft(s.Line[s.Pos:], " \t")
	before := strings.TrimRight(s.Line[from:s.Pos], " \t")
	return rest != "" && strings.IndexByte(operators, rest[0]) >= 0 || before != "" && strings.IndexByte(operators, before[len(before)-1]) >= 0
}

// mnemonic reports whether an instruction's name, and not an operand, is next.
func (r *reader) mnemonic() bool {
	w := r.s.Word()
	rest := r.s.Line[r.s.Pos+len(w):]
	if w == "" || rest == "" || rest[0] != ' ' && rest[0] != '\t' {
		return false
	}
	w = strings.ToLower(w)
	base, _, _ := strings.Cut(w, ".")
	return standsFor(base) != "" || r.known(w) != ""
}

// known is the longest name of rows with which the word begins, or "".
func (r *reader) known(w string) string {
	for n := len(w); n > 0; n = strings.LastIndexByte(w[:n], '.') {
		if len(r.s.Target.Rows(w[:n])) > 0 {
			return w[:n]
		}
	}
	return ""
}

// flags reads the flags after the statements.
func (r *reader) flags() error {
	s := r.s
	for !s.End() {
		if strings.HasPrefix(s.Line[s.Pos:], ".route(") {
			s.Pos += len(".route(")
			if err := r.route(); err != nil {
				return err
			}
			continue
		}
		end := strings.Index(s.Line[s.Pos:], ".route(")
		if end < 0 {
			return r.text.Flags()
		}
		line := s.Line
		s.Line = line[:s.Pos+end]
		err := r.text.Flags()
		s.Line = line
		if err != nil {
			isa.AsError(err).Source = line
			return err
		}
	}
	return nil
}

// route reads assignments up to ")".
func (r *reader) route() error {
	s := r.s
	for {
		s.Space()
		at, w := s.Pos, s.Word()
		if len(w) < 2 || len(w) > 3 || strings.IndexByte("siw", w[0]) < 0 || w[len(w)-1] < '0' || w[len(w)-1] > '5' || !r.text.Assigns(at+len(w)) {
			return r.wrong(at, isa.ErrSyntax, "a route is s0 = r1, is0 = s4, is4 = ft1 or w1 = r2")
		}
		if err := r.text.Assignment(w); err != nil {
			return err
		}
		n := w[len(w)-1] - '0'
		switch {
		case w == "is0":
			r.fixed0 = true
		case w[0] == 'i':
			r.routed[n] = true
		case w[0] == 's':
			Pick(s, int(n), r.g.Src[n])
		}
		s.Space()
		if s.Byte(')') {
			return nil
		}
		if !s.Byte(',') {
			return r.wrong(s.Pos, isa.ErrSyntax, `"," or ")" is expected`)
		}
	}
}
