package cmd

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/internal/proc"
	"autobuild/orchestrator/session/call"
)

// served is autobuild serve in this process.
type served struct {
	t        *testing.T
	stateDir string
	base     string // http://127.0.0.1:PORT
	home     string // /WORD/
	stop     func() error
}

// startServe serves a copy of the example's state and one run that was set aside.
func startServe(t *testing.T) *served {
	t.Helper()
	dir := t.TempDir()
	there := filepath.Join(dir, ".autobuild")
	for _, to := range []string{there, filepath.Join(there, "history", "20260101-000000-abcd")} {
		if err := os.CopyFS(to, os.DirFS("../.autobuild.example")); err != nil {
			t.Fatal(err)
		}
	}
	return serveIn(t, dir)
}

// serveIn is autobuild serve in this process, called in a directory.
func serveIn(t *testing.T, dir string) *served {
	t.Helper()
	s := &served{t: t, stateDir: filepath.Join(dir, ".autobuild")}
	var stdout, stderr bytes.Buffer
	a := newApp(&call.Call{Stdout: &stdout, Stderr: &stderr, Environ: os.Environ(), Dir: dir})
	p, err := a.OpenProject(t.Context(), &proc.Runner{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var l net.ListenConfig
	ln, err := l.Listen(t.Context(), "tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.serve(ctx, p, ln) }()
	s.stop = func() error { cancel(); return <-ended }
	s.base = "http://" + ln.Addr().String()
	s.get("GET", "/", "") // it answers, so it has printed its address
	s.home = strings.TrimSuffix(strings.TrimPrefix(stdout.String(), s.base), "\n")
	if len(s.home) < 22 {
		t.Fatalf("the address is %q", stdout.String())
	}
	return s
}

// get asks for a path, as host where that is given.
func (s *served) get(method, path, host string) (int, http.Header, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.base+path, http.NoBody)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Host = host
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close() //nolint:errcheck // it was only read
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer.StatusCode, answer.Header, string(body)
}

// The address gives access to the run and its logs; without it every request is refused, and no
// request changes anything.
func TestServe(t *testing.T) {
	t.Parallel()
	s := startServe(t)
	port := s.base[strings.LastIndexByte(s.base, ':'):]
	for _, c := range []struct {
		method, path, host string
		want               int
		has                string
	}{
		{"GET", s.home, "", 200, "A greeting that lacks a word"},
		{"GET", s.home, "localhost" + port, 200, "2A Name"},
		{"HEAD", s.home, "", 200, ""},
		{"GET", s.home, "evil.example" + port, 421, ""},
		{"GET", s.home, "127.0.0.1", 421, ""},
		{"POST", s.home, "", 405, ""},
		{"DELETE", s.home + "files/logs/phase-1.1.log", "", 405, ""},
		{"GET", "/", "", 404, ""},
		{"GET", "/" + strings.Repeat("A", len(s.home)-2) + "/", "", 404, ""},
		{"GET", strings.TrimSuffix(s.home, "/"), "", 404, ""},
		{"GET", s.home + "files/logs/phase-2a.2.test.log", "", 200, "nobody has written name.txt yet"},
		{"GET", s.home + "files/config.json", "", 404, ""},
		{"GET", s.home + "files/logs/../config.json", "", 404, ""},
		{"GET", s.home + "files/logs/%2e%2e/config.json", "", 404, ""},
		{"GET", s.home + "files/logs/..%5cconfig.json", "", 404, ""},
		{"GET", s.home + "files/logs/none.log", "", 404, ""},
		{"GET", s.home + "history/20260101-000000-abcd/", "", 200, `<b aria-current="page">`},
		{"GET", s.home + "history/20260101-000000-abcd/files/logs/phase-1.1.log", "", 200, ""},
		{"GET", s.home + "history/../", "", 404, ""},
		{"GET", s.home + "history/none/", "", 404, ""},
		{"GET", s.home + "config.json", "", 404, ""},
	} {
		code, header, body := s.get(c.method, c.path, c.host)
		if code != c.want || !strings.Contains(body, c.has) {
			t.Errorf("%s %s (host %q): %d, want %d with %q\n%.300s", c.method, c.path, c.host, code, c.want, c.has, body)
		}
		if code != 200 && strings.Contains(body, "greeting") {
			t.Errorf("%s %s: the answer %d tells of the run", c.method, c.path, code)
		}
		for _, want := range [][2]string{
			{"X-Content-Type-Options", "nosniff"}, {"Cache-Control", "no-store"}, {"Referrer-Policy", "no-referrer"}, {"Cross-Origin-Resource-Policy", "same-origin"},
		} {
			if header.Get(want[0]) != want[1] {
				t.Errorf("%s %s: %s is %q", c.method, c.path, want[0], header.Get(want[0]))
			}
		}
		policy := header.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s %s: the policy is %q", c.method, c.path, policy)
		}
	}
	_, first, page := s.get("GET", s.home, "")
	_, second, _ := s.get("GET", s.home, "")
	if first.Get("Content-Security-Policy") == second.Get("Content-Security-Policy") || !strings.Contains(page, "<script nonce=") {
		t.Error("two answers have the same nonce")
	}
	if _, header, _ := s.get("GET", s.home+"files/logs/phase-1.1.log", ""); header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("a log is %q", header.Get("Content-Type"))
	}
	if err := s.stop(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

// A listener gets an event at once, again after every change of the run, and the end of the stream
// with the end of the server.
func TestServeEvents(t *testing.T) {
	t.Parallel()
	s := startServe(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.base+s.home+"events", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close() //nolint:errcheck // it was only read
	if kind := answer.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Fatalf("the stream is %q", kind)
	}
	lines := bufio.NewScanner(answer.Body)
	hear := func(want string) {
		t.Helper()
		for lines.Scan() {
			if lines.Text() == want {
				return
			}
		}
		t.Fatalf("the stream ended before %q: %v", want, lines.Err())
	}
	hear("event: change")
	hear("data: 1")
	diary, err := os.OpenFile(filepath.Join(s.stateDir, "events.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = diary.WriteString(`{"v":1,"type":"notice","run":"x","time":"2026-11-21T00:00:00Z","text":"more"}` + "\n")
	}
	if err = errors.Join(err, diary.Close()); err != nil {
		t.Fatal(err)
	}
	hear("data: 2") // the change alone causes it: no run holds the lock
	if err := os.RemoveAll(filepath.Join(s.stateDir, "phases")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(s.stateDir, "config.json")); err != nil {
		t.Fatal(err)
	}
	hear("data: 3")
	if code, _, page := s.get("GET", s.home, ""); code != 200 || !strings.Contains(page, "no run yet") {
		t.Errorf("without a run: %d\n%.300s", code, page)
	}
	if err := s.stop(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "data") {
			t.Errorf("after the end: %s", lines.Text())
		}
	}
}
