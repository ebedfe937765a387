package tamper

import (
	"os"
	"testing"
	"time"
)

// BenchmarkCompare looks at this machine as it is.
func BenchmarkCompare(b *testing.B) {
	w, err := Take(Config{Environ: os.Environ(), Root: "../..", StateDir: b.TempDir(), Above: []string{b.TempDir()}, Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("%d paths, %d directories, %d libraries, %d bytes copied", len(w.items), len(w.listings), len(w.trees), w.copied)
	for name, commands := range map[string][]string{"paths": nil, "libraries": {"go test ./... && python3 -m pytest && npm test"}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if found := w.Compare(commands...); len(found) > 0 {
					b.Fatal(found)
				}
			}
		})
	}
}
