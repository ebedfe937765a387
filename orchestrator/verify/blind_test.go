package verify

import (
	"bytes"
	"strings"
	"testing"
)

// A log that grows is read once, and a failure is seen also where it is written in parts.
func TestWatchFailure(t *testing.T) {
	for _, tt := range []struct {
		parts []string
		want  bool
	}{
		{[]string{"PASS\n", "ok\n"}, false},
		{[]string{"=== RUN TestA\n", "--- FAIL: TestA (0.00s)\n"}, true},
		{[]string{"=== RUN TestA\n--- F", "AIL: TestA (0.00s)\n"}, true},
		{[]string{"  File \"a.py\", line 1\n    )(\n    ^\nSyntaxError: unmatched ')'\n"}, true},
		{[]string{"not ok 3 - adds\n"}, true},
		{[]string{"src/a.c:1:1: error: expected identifier\n"}, false}, // the compiler ends by itself
		{[]string{strings.Repeat("line\n", 40_000), "not ok 1\n"}, true},
		{[]string{"test that FAIL is printed ... ok\n"}, false},
	} {
		var log []byte
		seen := watchFailure(readerAt{&log}, 0)
		got := false
		for _, part := range tt.parts {
			log = append(log, part...)
			for range 5 {
				got = seen()
			}
		}
		if got != tt.want {
			t.Errorf("%.60q: %t", tt.parts, got)
		}
	}
}

type readerAt struct{ text *[]byte }

func (r readerAt) ReadAt(p []byte, at int64) (int, error) {
	return bytes.NewReader(*r.text).ReadAt(p, at)
}
