// Package serve shows the page of a run in a browser of the same machine and keeps it up to date.
// The page is made anew for every request; a stream of events makes the browser ask for it again.
// It reads state directories and does not know how a page is made. A command of the user goes to
// the run, which decides about it.
package serve

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
	"autobuild/orchestrator"
	"autobuild/render/html"
	"autobuild/state/store"
)

// Config is the run that a Viewer shows, and its address.
type Config struct {
	StateDir string // of the present run; archived runs are below it
	LockDir  string // of the present run
	Host     string // 127.0.0.1:PORT, where the listener is
	Now      func() time.Time
	// store.ErrNoRun: no run yet
	Page func(ctx context.Context, stateDir string) (html.Page, error)
	// sends a command to the run; nil: the page can only be read
	Command func(ctx context.Context, c orchestrator.Command) (answer string, err error)
}

// Viewer answers requests. It reads files and changes none.
type Viewer struct {
	c     Config
	token string // the first part of every path
}

// New makes a Viewer with a random token.
func New(c Config) *Viewer { return &Viewer{c: c, token: rand.Text()} }

// Address is the URL of the page. It holds the token.
func (v *Viewer) Address() string { return "http://" + v.c.Host + v.home() }

func (v *Viewer) home() string { return "/" + v.token + "/" }

// Serve answers requests until ctx ends.
func (v *Viewer) Serve(ctx context.Context, ln net.Listener) error {
	server := &http.Server{
		Handler: v, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute,
		MaxHeaderBytes: 16 << 10,
		BaseContext:    func(net.Listener) context.Context { return ctx },
	}
	// a stream of events does not end by itself
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving on %s: %w", v.c.Host, err)
	}
	return nil
}

// How a stream of events keeps time.
const (
	stampEvery = time.Second      // the files of a run are looked at
	aliveEvery = 15 * time.Second // a stream without changes sends a comment
	// the page of a live run is made anew without a change: it shows how long phases run
	pageEvery = 15 * time.Second
)

// ServeHTTP answers requests that hold the token and the host of the address. Processes of other
// users and pages of other sites do not have the token. The host keeps out sites whose name
// resolves to 127.0.0.1.
func (v *Viewer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for name, value := range map[string]string{
		"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
		"Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
	} {
		h.Set(name, value)
	}
	_, port, _ := net.SplitHostPort(v.c.Host)
	switch {
	case r.Host != v.c.Host && r.Host != "localhost:"+port:
		http.Error(w, "this is not the host that you asked for", http.StatusMisdirectedRequest)
		return
	case r.Method == http.MethodPost && v.c.Command != nil && r.URL.Path == v.home()+commandPath:
		v.command(w, r)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "this page can only be read", http.StatusMethodNotAllowed)
		return
	}
	first, rest, slash := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if !slash || !sameWord(first, v.token) {
		http.NotFound(w, r)
		return
	}
	stateDir, base := v.c.StateDir, v.home()
	name, inner, ok := strings.Cut(strings.TrimPrefix(rest, historyPath), "/")
	if ok && strings.HasPrefix(rest, historyPath) {
		if !slices.Contains(store.Archived(v.c.StateDir), name) {
			http.NotFound(w, r)
			return
		}
		stateDir, base = filepath.Join(stateDir, store.HistoryDir, name), base+historyPath+name+"/"
		rest = inner
	}
	switch file, isFile := strings.CutPrefix(rest, filesPath); {
	case rest == "":
		v.page(w, r, stateDir, base)
	case rest == "events":
		v.events(w, r, stateDir)
	case isFile:
		v.file(w, r, stateDir, file)
	default:
		http.NotFound(w, r)
	}
}

// The parts of a path behind the token.
const (
	historyPath = "history/"
	filesPath   = "files/"
	commandPath = "commands"
)

// page shows a run.
func (v *Viewer) page(w http.ResponseWriter, r *http.Request, stateDir, base string) {
	page, err := v.c.Page(r.Context(), stateDir)
	switch {
	case errors.Is(err, store.ErrNoRun):
		page.Run = nil
	case err != nil:
		page.Run = nil
		page.Observed = append(page.Observed, strings.Split(err.Error(), "\n")...)
	}
	page.Files = filesPath
	page.Live = &html.Live{
		Nonce: rand.Text(), Runs: v.runs(base),
		Steers: v.c.Command != nil && base == v.home(),
	}
	raw, err := html.Document(page)
	if err != nil {
		http.Error(w, "the page cannot be made", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", page.Policy()+"; frame-ancestors 'none'")
	_, _ = w.Write(raw)
}

// file sends a log as plain text, so that a browser runs nothing in it.
func (v *Viewer) file(w http.ResponseWriter, r *http.Request, stateDir, name string) {
	if !strings.HasPrefix(name, "logs/") || !filepath.IsLocal(filepath.FromSlash(name)) ||
		strings.Contains(name, "..") {
		http.NotFound(w, r)
		return
	}
	text := store.ReadText(stateDir, name)
	if text == "" && !safefile.Exists(filepath.Join(stateDir, filepath.FromSlash(name))) {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(text)) //nolint:gosec // it is plain text, and says so
}

// events sends an event whenever the page would look different. It sends one at its start, too, for
// changes between the page and the stream.
func (v *Viewer) events(w http.ResponseWriter, r *http.Request, stateDir string) {
	w.Header().Set("Content-Type", "text/event-stream")
	if r.Method == http.MethodHead {
		return
	}
	out := http.NewResponseController(w)
	say := func(text string) bool {
		// a client that does not read is dropped
		_ = out.SetWriteDeadline(v.c.Now().Add(20 * time.Second))
		_, err := w.Write([]byte(text))
		return err == nil && out.Flush() == nil
	}
	tick := time.NewTicker(stampEvery)
	defer tick.Stop()
	shown, sent := "", time.Time{}
	for n := 1; ; n++ {
		now := v.c.Now()
		seen, alive := v.stamp(stateDir)
		switch {
		case seen != shown, alive && now.Sub(sent) >= pageEvery:
			if !say(fmt.Sprintf("event: change\nid: %d\ndata: %d\n\n", n, n)) {
				return
			}
			shown, sent = seen, now
		case now.Sub(sent) >= aliveEvery:
			if !say(": still here\n\n") {
				return
			}
			sent = now
		}
		select {
		case <-tick.C:
		case <-r.Context().Done():
			return
		}
	}
}

// stamp differs when the stored run differs: every saved event makes the diary longer, and a
// session that ended releases its lock.
func (v *Viewer) stamp(stateDir string) (stamp string, alive bool) {
	for _, name := range []string{
		store.DiaryName, store.ConfigName, store.ResultName,
		store.PhasesDir, store.HistoryDir,
	} {
		if info, err := os.Lstat(filepath.Join(stateDir, name)); err == nil {
			stamp += fmt.Sprintf("%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		}
	}
	alive = stateDir == v.c.StateDir && store.Working(v.c.StateDir, v.c.LockDir)
	return stamp + fmt.Sprint(alive), alive
}

// runs are the links to all runs of the directory, where there are several.
func (v *Viewer) runs(base string) []html.RunLink {
	earlier := store.Archived(v.c.StateDir)
	if len(earlier) == 0 {
		return nil
	}
	links := []html.RunLink{{
		Name: v.runName(v.c.StateDir, "the present run"), Address: v.home(), Here: base == v.home(),
	}}
	for _, name := range earlier {
		address := v.home() + historyPath + name + "/"
		dir := filepath.Join(v.c.StateDir, store.HistoryDir, name)
		links = append(links, html.RunLink{
			Name: v.runName(dir, name), Address: address,
			Here: base == address,
		})
	}
	return links
}

// runName is a run in a few words.
func (*Viewer) runName(stateDir, otherwise string) string {
	var config struct {
		ID    string `json:"run_id"`
		Plan  string `json:"plan"`
		Title string `json:"plan_title"`
	}
	var result struct {
		Outcome string `json:"outcome"`
	}
	if json.Unmarshal([]byte(store.ReadText(stateDir, store.ConfigName)), &config) != nil ||
		config.ID == "" {
		return otherwise
	}
	// without one it has not ended
	_ = json.Unmarshal([]byte(store.ReadText(stateDir, store.ResultName)), &result)
	words := []string{
		config.ID, cmp.Or(config.Title, config.Plan),
		cmp.Or(result.Outcome, "not ended"),
	}
	return text.Clean(strings.Join(words, " · "), 120)
}

// sameWord compares without telling by its time how much of a guess was right.
func sameWord(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
