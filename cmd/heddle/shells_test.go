package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shellScripts ask a shell that has read the completion script for completions. Each prints the words, one per line.
// For zsh they are the arguments of the completion system's functions, which work only in an editor: the replacements
// here do not filter by the prefix of the word.
var shellScripts = map[string]string{
	"bash": `source "$1"; shift
complete -p heddle > /dev/null || exit 3
f=$(complete -p heddle | sed 's/.*-F \([^ ]*\).*/\1/')
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMPREPLY=()
"$f" heddle "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\n' "${COMPREPLY[@]}"`,
	"zsh": `autoload -Uz compinit; compinit -u -d "$TMPDIR/zcompdump"
script=$1; shift
compdef() { loaded="$*" }; _files() { :; }; _arguments() { print -rl -- "$@" }
compadd() { while [[ $1 == -* && $1 != -- ]]; do shift; done; [[ $1 == -- ]] && shift; print -rl -- "$@" }
_describe() { shift; print -rl -- ${(P)1} }; _values() { shift; print -rl -- "$@" }
words=("$@"); CURRENT=$#; PREFIX=${words[-1]}
source $script`,
	"fish": `source $argv[1]; complete --do-complete=(string join -- ' ' $argv[2..-1])`,
}

// TestCompletionInShells: each shell reads its script and completes commands, flags and values. A shell that is not
// installed is skipped with a message.
func TestCompletionInShells(t *testing.T) {
	for shell, ask := range shellScripts {
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skipf("%s is not installed: its completion script is not run", shell)
			}
			dir := t.TempDir()
			script := filepath.Join(dir, "heddle."+shell)
			text, err := exec.Command("heddle", "completion", shell).Output()
			if err == nil {
				err = os.WriteFile(script, text, 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range []struct {
				line, has, not string
				begins         bool // not is excluded because of the prefix
			}{
				{"heddle li", "lint", "run", true}, {"heddle li", "lint", "--severity", false}, {"heddle lint --sev", "--severity", "--isa", true},
				{"heddle step --tr", "", "--trace", false}, {"heddle run --tr", "--trace", "--severity", false},
			} {
				if c.begins && shell == "zsh" {
					continue
				}
				args := append([]string{"-c", ask, shell, script}, strings.Split(c.line, " ")...)
				if shell == "fish" {
					args = slices.Delete(args, 2, 3)
				}
				cmd := exec.Command(path, args...)
				cmd.Env = append(os.Environ(), "TMPDIR="+dir, "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir)
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %v\n%s", c.line, err, out)
				}
				has := func(word string) bool {
					return slices.ContainsFunc(strings.Split(string(out), "\n"), func(l string) bool {
						l = strings.TrimPrefix(l, "*")
						return l == word || strings.HasPrefix(l, word+":") || strings.HasPrefix(l, word+"[") || strings.HasPrefix(l, word+"\t") || strings.HasPrefix(l, word+" ") || strings.HasPrefix(l, word+"=")
					})
				}
				if c.has != "" && !has(c.has) || has(c.not) {
					t.Errorf("%q: want %q and not %q:\n%s", c.line, c.has, c.not, out)
				}
			}
		})
	}
}
