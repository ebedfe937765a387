package knowledgefile_test

import (
	"fmt"
	"os"
	"path/filepath"

	"autobuild/failure/knowledge"
	"autobuild/orchestrator/session/knowledgefile"
)

func ExampleFile_Load() {
	dir, err := os.MkdirTemp("", "knowledge-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	f := knowledgefile.File{Path: filepath.Join(dir, knowledge.FileName), Shown: knowledge.FileName}
	book, err := f.Load()
	fmt.Println(len(book.Entries()), err)
	// Output: 0 <nil>
}
