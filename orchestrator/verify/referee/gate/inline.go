package gate

import "strings"

// inlineCode is program text that stands in a gate's command.
type inlineCode struct{ dir, suffix, text string }

// followInline follows the program text in gates' commands to the scripts that it names.
func (r *Reach) followInline() {
	for _, code := range r.inline {
		for _, l := range Literals(code.text) {
			if f := r.file(l, place{dirs: []string{code.dir, ""}}); f != "" && SaysCheck(f) {
				r.script(f, place{
					dirs: []string{code.dir, ""},
					why:  "program text in a gate's command",
				})
			}
		}
	}
}

// Literals are the string literals of a text, at most 200 characters each.
func Literals(text string) []string {
	var out []string
	for i := 0; i < len(text); i++ {
		q := text[i]
		if q != '"' && q != '\'' && q != '`' {
			continue
		}
		end := strings.IndexAny(text[i+1:min(len(text), i+202)], string(q)+"\n")
		if end <= 0 || text[i+1+end] != q {
			continue
		}
		out = append(out, text[i+1:i+1+end])
		i += end + 1
	}
	return out
}
