package safefile_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"autobuild/internal/safefile"
)

func Example() {
	dir, err := os.MkdirTemp("", "safefile")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	path := filepath.Join(dir, "result.json")
	if err = os.WriteFile(path, []byte(`{"status": "complete"}`), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	data, err := safefile.Read(path, safefile.Small)
	fmt.Println(string(data), err)
	_, err = safefile.Read(path, 10)
	large, ok := errors.AsType[*safefile.TooLargeError](err)
	fmt.Println(ok, large.Size, large.Limit)
	// Output:
	// {"status": "complete"} <nil>
	// true 22 10
}
