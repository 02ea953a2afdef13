package clang

import "regexp/syntax"

// expand are all words that an expression without repetition matches.
func expand(expr string) []string {
	r, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		panic(err)
	}
	return wordsOf(r)
}

func wordsOf(r *syntax.Regexp) (list []string) {
	switch r.Op {
	case syntax.OpLiteral:
		return []string{string(r.Rune)}
	case syntax.OpCharClass:
		for i := 0; i < len(r.Rune); i += 2 {
			for c := r.Rune[i]; c <= r.Rune[i+1]; c++ {
				list = append(list, string(c))
			}
		}
		return list
	case syntax.OpAlternate:
		for _, s := range r.Sub {
			list = append(list, wordsOf(s)...)
		}
		return list
	case syntax.OpQuest:
		return append(wordsOf(r.Sub[0]), "")
	case syntax.OpCapture:
		return wordsOf(r.Sub[0])
	case syntax.OpConcat:
		list = []string{""}
		for _, s := range r.Sub {
			var next []string
			for _, a := range list {
				for _, b := range wordsOf(s) {
					next = append(next, a+b)
				}
			}
			list = next
		}
		return list
	}
	return []string{""} // beginnings and ends
}
