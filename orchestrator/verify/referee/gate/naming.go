package gate

import (
	"path"
	"slices"

	shell "mvdan.cc/sh/v3/syntax"
)

// Naming is a gate's command with the option that makes go test and pytest print the names of tests
// that pass, where it calls them itself. Nothing changes in what runs, or in how it ends.
func Naming(command string) string {
	f := parseShell(command)
	if f == nil {
		return command
	}
	out, from := "", 0
	shell.Walk(f, func(n shell.Node) bool {
		call, ok := n.(*shell.CallExpr)
		if !ok {
			return true
		}
		for i, w := range call.Args {
			if option := namingOption(call.Args[:i], w.Lit()); option != "" {
				end := int(w.End().Offset())
				out, from = out+command[from:end]+" "+option, end
				break
			}
		}
		return true
	})
	return out + command[from:]
}

// namingOption is the option for the program that a word calls behind those before it.
func namingOption(before []*shell.Word, word string) string {
	previous := ""
	if len(before) > 0 {
		previous = before[len(before)-1].Lit()
	}
	switch {
	case word == "test" && previous == "go":
		return "-v"
	case slices.Contains([]string{"pytest", "py.test"}, path.Base(word)) &&
		slices.Contains([]string{"", "-m", "run"}, previous):
		return "-rap"
	}
	return ""
}
