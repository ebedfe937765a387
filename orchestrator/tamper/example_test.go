package tamper_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"autobuild/orchestrator/tamper"
)

// Restore names the files that an agent plants in the home, and puts them aside.
func Example() {
	dir, err := os.MkdirTemp("", "tamper")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	w, err := tamper.Take(tamper.Config{Environ: []string{"HOME=" + dir}, StateDir: filepath.Join(dir, ".autobuild")})
	if err != nil {
		fmt.Println(err)
		return
	}
	// the agent
	_ = os.WriteFile(filepath.Join(dir, ".npmrc"), []byte("script-shell=/bin/true\n"), 0o600)

	notes, err := w.Restore(w.Compare())
	fmt.Println(strings.ReplaceAll(strings.Join(notes, "\n"), dir, "~"), err)
	// Output: npm's configuration ~/.npmrc was created; put aside as .autobuild/kept/.npmrc.1 <nil>
}
