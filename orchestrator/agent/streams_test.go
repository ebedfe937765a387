package agent

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"autobuild/internal/proc"
)

var update = flag.Bool("update", false, "write what comes out as what is wanted")

// stream is a small run of an agent, written by hand: testdata/streams/AGENT-CASE.txtar.
type stream struct {
	path    string
	agent   string
	archive *txtar.Archive
}

func streams(t testing.TB) []stream {
	t.Helper()
	paths, err := filepath.Glob("testdata/streams/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no streams: %v", err)
	}
	var all []stream
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(filepath.Base(path), "-")
		all = append(all, stream{path, name, a})
	}
	return all
}

func (s stream) file(name string) string {
	for _, f := range s.archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func (s stream) exit() proc.Exit {
	if strings.TrimSpace(s.file("exit")) == "stopped" {
		return proc.Exit{Code: 143, Ended: proc.Stopped}
	}
	return recorded(s.file("exit"), s.file("stderr"))
}

// TestStreams says of every kind of end what is made of it, for every agent.
func TestStreams(t *testing.T) {
	seen := make(map[string]bool)
	for _, s := range streams(t) {
		t.Run(strings.TrimSuffix(filepath.Base(s.path), ".txtar"), func(t *testing.T) {
			seen[s.agent] = true
			out := replay(specNamed(t, s.agent), s.file("stdout"), s.exit(), 5)
			out.Tail = ""
			if strings.Contains(s.path, "-done") && out.Final == "" {
				t.Error("there is no final message")
			}
			got := golden(t, out)
			if *update {
				s.archive.Files[len(s.archive.Files)-1].Data = []byte(got)
				if err := os.WriteFile(s.path, txtar.Format(s.archive), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if want := s.file("want"); got != want && !*update {
				t.Errorf("%s\n got %s\nwant %s", s.archive.Comment, got, want)
			}
		})
	}
	for _, name := range printing() {
		if !seen[name] {
			t.Errorf("there is no stream of %s", name)
		}
	}
}

// golden is an outcome as JSON, without what is empty.
func golden(t *testing.T, out Outcome) string {
	t.Helper()
	raw, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err = json.Unmarshal(raw, &fields); err != nil {
		t.Fatal(err)
	}
	for name, v := range fields {
		switch v {
		case nil, "", 0.0, false, "0001-01-01T00:00:00Z":
			delete(fields, name)
		}
	}
	raw, err = json.MarshalIndent(fields, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw) + "\n"
}
