package git

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
)

// TryFilters runs the filters that the configuration requires and that the attributes of head name.
// An *UnusableError names one that does not run (git-lfs that is not installed, say): files could
// neither be checked out nor committed.
func (d *ScratchDir) TryFilters(ctx context.Context, head string) error {
	for _, s := range d.programs {
		name, required := strings.CutSuffix(s.Key, ".required")
		if !required || !isTrue(s.Value) {
			continue
		}
		name = strings.TrimPrefix(name, "filter.")
		used, err := d.filterUsed(ctx, head, name)
		if err != nil {
			return err
		}
		if !used {
			continue
		}
		attributes := filepath.Join("info", "probe")
		if err = d.Write(attributes, []byte("probe filter="+name+"\n")); err != nil {
			return err
		}
		_, _, err = d.do(ctx, Files{}, []byte{}, nil,
			"-c", "core.attributesFile="+d.Path(attributes), "hash-object", "--stdin",
			"--path=probe")
		if err != nil {
			return &UnusableError{
				What: fmt.Sprintf("git's filter %s is required here, and does not run: %s",
					text.Quote(name), err.Error()),
				Next: "install what it calls, or take filter=" + name + " out of .gitattributes",
			}
		}
	}
	return nil
}

// filterUsed reports whether the attributes of a commit, or those of the checkout alone, name a
// filter.
func (d *ScratchDir) filterUsed(ctx context.Context, head, name string) (bool, error) {
	entries, err := d.LsTree(ctx, head)
	if err != nil {
		return false, err
	}
	var files []string
	for _, e := range entries {
		if path.Base(e.Path) == ".gitattributes" {
			files = append(files, e.Path)
		}
	}
	word := "filter=" + name
	local, unread := safefile.ReadPlain(d.Path("info", "attributes"), safefile.Large)
	if unread == nil && strings.Contains(string(local), word) {
		return true, nil
	}
	if len(files) == 0 {
		return false, nil
	}
	return d.Holds(ctx, head, []string{"-w", "-F", "-e", word}, files...)
}
