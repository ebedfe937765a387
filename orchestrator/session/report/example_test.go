package report_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"autobuild/orchestrator/session/call"
	"autobuild/orchestrator/session/config"
	"autobuild/orchestrator/session/report"
)

// A call that began no run leaves a page that says why.
func ExampleWrite() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir) //nolint:errcheck // of an example
	var out bytes.Buffer
	c := &call.Call{Stdout: &out, Stderr: &out, Dir: dir, Now: time.Now}
	report.Write(c, &config.Options{Report: "page.html"}, "plan.md", nil, errors.New("the disk is full"))
	page, err := os.ReadFile(filepath.Join(dir, "page.html"))
	fmt.Println(strings.Contains(string(page), "the disk is full"), err)
	// Output: true <nil>
}
