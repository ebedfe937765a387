package call

import (
	"os"
	"path/filepath"
	"strings"

	"autobuild/internal/text"
)

// nearPlan is a markdown file beside the one that is not there, with almost its name.
func (c *Call) nearPlan(shown string) string {
	entries, err := os.ReadDir(filepath.Dir(c.Path(shown)))
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if !e.IsDir() && strings.EqualFold(filepath.Ext(e.Name()), ".md") &&
			text.Distance(strings.ToLower(filepath.Base(shown)), strings.ToLower(e.Name()),
				2) <= 2 {
			return filepath.Join(filepath.Dir(shown), e.Name())
		}
	}
	return ""
}

// NearCommand is the command that a word that is no path is probably meant to be; empty: none.
func (c *Call) NearCommand(word string) string {
	if strings.ContainsAny(word, `./\`) {
		return ""
	}
	return text.Nearest(word, c.Commands, 3)
}
