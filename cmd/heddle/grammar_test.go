package main

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestGrammarOfCommand: a line that begins with a command is parsed by the grammar of that command alone, which says
// of it what the whole grammar says.
func TestGrammarOfCommand(t *testing.T) {
	model := func(args ...string) *kong.Application {
		parser, err := kong.New(grammarFor(args), kong.Name("heddle"), helpVars(), numbers)
		if err != nil {
			t.Fatal(err)
		}
		hideRefused(parser.Model)
		return parser.Model
	}
	text := func(n *kong.Node) string {
		var b strings.Builder
		b.WriteString(n.Help + n.Detail + n.Summary())
		for _, f := range n.AllFlags(false) {
			for _, x := range f {
				b.WriteString("\n" + x.String() + x.Help)
			}
		}
		for _, p := range n.Positional {
			b.WriteString("\n" + p.Summary() + p.Help)
		}
		return b.String()
	}
	whole := model()
	if len(model("--max-input", "1G", "dis").Children) != len(whole.Children) || len(model("dos").Children) != len(whole.Children) {
		t.Error("a line that begins with no command does not have the whole grammar")
	}
	for _, n := range whole.Children {
		part := model(n.Name, "-").Children
		if all := wholeGrammar[n.Name]; all != (len(part) == len(whole.Children)) || !all && len(part) != 1 {
			t.Errorf("%s is parsed by a grammar of %d commands", n.Name, len(part))
		} else if !all && text(part[0]) != text(n) {
			t.Errorf("%s alone is described as\n%s\nand among all as\n%s", n.Name, text(part[0]), text(n))
		}
	}
}
