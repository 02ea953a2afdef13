package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/sets"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (c *completionCmd) Help() string {
	return `What is printed is for the shell's own file of completions, or for one session.

Examples:
  heddle completion bash > heddle.bash
  heddle completion zsh > _heddle
  heddle completion fish > heddle.fish`
}

func (c *completionCmd) Run(a *app) error {
	a.printf("%s", map[string]func([]completed) string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[c.Shell](completedOf(a.model)))
	return nil
}

// A completed is the part of a command's grammar that shells need.
type completed struct {
	name, help string
	flags      []completedFlag
	words      []string // values of its first argument, if there are only some
}

type completedFlag struct {
	long, short string // short may be ""
	help        string
	value       string // name of its value; "": it has none
	values      []string
}

func completedOf(app *kong.Application) (list []completed) {
	var names []string
	for _, n := range app.Children {
		names = append(names, n.Name)
	}
	for _, n := range app.Children {
		c := completed{name: n.Name, help: n.Help}
		for _, f := range slices.Concat(n.Flags, app.Flags) {
			if !f.Hidden {
				c.flags = append(c.flags, completedFlagOf(f))
			}
		}
		for _, p := range n.Positional {
			c.words = append(c.words, split(p.Enum)...)
		}
		if n.Name == "help" {
			c.words = names
		}
		list = append(list, c)
	}
	return list
}

func completedFlagOf(f *kong.Flag) completedFlag {
	x := completedFlag{long: f.Name, help: f.Help, values: split(f.Enum)}
	if f.Short != 0 {
		x.short = string(f.Short)
	}
	if !f.IsBool() {
		x.value = f.FormatPlaceHolder()
	}
	switch f.Name {
	case "isa": // variants alone: a colon separates words in bash
		for _, s := range sets.Sets() {
			x.values = append(x.values, s.Name)
			for _, v := range s.Variants {
				if v.Name != s.Name {
					x.values = append(x.values, v.Name)
				}
			}
		}
	case "engine":
		x.values = engines.Names()
	}
	return x
}

func split(enum string) (words []string) {
	for w := range strings.SplitSeq(enum, ",") {
		if w != "" {
			words = append(words, w)
		}
	}
	return words
}

// options returns the flags as written on a command line.
func (c *completed) options() (words []string) {
	for _, f := range c.flags {
		words = append(words, "--"+f.long)
		if f.short != "" {
			words = append(words, "-"+f.short)
		}
	}
	return words
}

func bashCompletion(list []completed) string {
	var b strings.Builder
	var names []string
	for _, c := range list {
		names = append(names, c.name)
	}
	fmt.Fprintf(&b, `# bash completion of heddle: source it, or put it where bash-completion looks.
_heddle() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} cmd= i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in -*) ;; *) cmd=${COMP_WORDS[i]}; break ;; esac
    done
    COMPREPLY=()
    if [ -z "$cmd" ]; then
        COMPREPLY=($(compgen -W "%s --help --version" -- "$cur"))
        return
    fi
    case $cmd:$prev in
`, strings.Join(names, " "))
	for _, c := range list {
		for _, f := range c.flags {
			if len(f.values) == 0 {
				continue
			}
			pattern := c.name + ":--" + f.long
			if f.short != "" {
				pattern += "|" + c.name + ":-" + f.short
			}
			fmt.Fprintf(&b, "    %s) COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); return ;;\n", pattern, strings.Join(f.values, " "))
		}
	}
	b.WriteString("    esac\n    case $cmd in\n")
	for _, c := range list {
		fmt.Fprintf(&b, "    %s)\n        case $cur in -*) COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")) ;;", c.name, strings.Join(c.options(), " "))
		if len(c.words) > 0 {
			fmt.Fprintf(&b, " *) COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")) ;;", strings.Join(c.words, " "))
		}
		b.WriteString(" esac ;;\n")
	}
	b.WriteString("    esac\n}\ncomplete -o default -F _heddle heddle\n")
	return b.String()
}

// zshText escapes a text for single quotes in a description, where brackets and colons are special.
func zshText(s string) string {
	return strings.NewReplacer(`\`, `\\`, `'`, `'\''`, `[`, `\[`, `]`, `\]`, `:`, `\:`).Replace(s)
}

func zshCompletion(list []completed) string {
	var b strings.Builder
	b.WriteString("#compdef heddle\n# zsh completion of heddle: put it as _heddle into a folder of $fpath.\n_heddle() {\n  local -a commands\n  commands=(\n")
	for _, c := range list {
		fmt.Fprintf(&b, "    '%s:%s'\n", c.name, zshText(c.help))
	}
	b.WriteString("  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n  local cmd=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $cmd in\n")
	for _, c := range list {
		fmt.Fprintf(&b, "  %s)\n    _arguments \\\n", c.name)
		for _, f := range c.flags {
			value, eq := "", ""
			if f.value != "" {
				eq = "="
				value = ":" + zshText(f.value) + ":_files"
				if len(f.values) > 0 {
					value = ":" + zshText(f.value) + ":(" + strings.Join(f.values, " ") + ")"
				}
			}
			fmt.Fprintf(&b, "      '*--%s%s[%s]%s' \\\n", f.long, eq, zshText(f.help), value)
			if f.short != "" {
				fmt.Fprintf(&b, "      '*-%s[%s]%s' \\\n", f.short, zshText(f.help), value)
			}
		}
		if len(c.words) > 0 {
			fmt.Fprintf(&b, "      '1:word:(%s)' ;;\n", strings.Join(c.words, " "))
		} else {
			b.WriteString("      '*:file:_files' ;;\n")
		}
	}
	b.WriteString("  esac\n}\n_heddle \"$@\"\n")
	return b.String()
}

func fishCompletion(list []completed) string {
	quote := strings.NewReplacer(`\`, `\\`, `'`, `\'`)
	var b strings.Builder
	b.WriteString("# fish completion of heddle: put it as heddle.fish into ~/.config/fish/completions.\n")
	for _, c := range list {
		fmt.Fprintf(&b, "complete -c heddle -n __fish_use_subcommand -f -a %s -d '%s'\n", c.name, quote.Replace(c.help))
	}
	for _, c := range list {
		on := fmt.Sprintf("complete -c heddle -n '__fish_seen_subcommand_from %s'", c.name)
		for _, f := range c.flags {
			fmt.Fprintf(&b, "%s -l %s", on, f.long)
			if f.short != "" {
				fmt.Fprintf(&b, " -s %s", f.short)
			}
			if len(f.values) > 0 {
				fmt.Fprintf(&b, " -x -a '%s'", strings.Join(f.values, " "))
			} else if f.value != "" {
				b.WriteString(" -r")
			}
			fmt.Fprintf(&b, " -d '%s'\n", quote.Replace(f.help))
		}
		if len(c.words) > 0 {
			fmt.Fprintf(&b, "%s -f -a '%s'\n", on, strings.Join(c.words, " "))
		}
	}
	return b.String()
}
