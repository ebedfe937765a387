package cmd

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

	"github.com/spf13/cobra"

	"autobuild/internal/proc"
	"autobuild/render"
	"autobuild/state/store"
)

func (a *app) serveCommand() *cobra.Command {
	var port int
	c := &cobra.Command{
		Use:   "serve",
		Short: "Show the report in a browser, and follow the run",
		Long: `serve shows the page of autobuild report on this machine (127.0.0.1 only) and keeps it up to date while the run goes on. It prints the
address, which holds a random word: who knows it can read the run, logs included, and nobody can change anything. Runs that
were set aside by --fresh are listed too. Ctrl-C ends it; runs do not notice.`,
		Example: `  autobuild serve               print an address to open in a browser
  autobuild serve --port 8080   always at the same port`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if port < 0 || port > 65535 {
				return usage(fmt.Sprintf("--port %d is not possible", port), "give a number up to 65535; 0 takes any that is free")
			}
			p, err := a.openProject(c.Context(), &proc.Runner{}, nil)
			if err != nil {
				return err
			}
			ctx, _, stop := a.signals(c.Context(), func(string) {})
			defer stop()
			var l net.ListenConfig
			ln, err := l.Listen(ctx, "tcp4", fmt.Sprintf("127.0.0.1:%d", port))
			if err != nil {
				return fmt.Errorf("port %d of 127.0.0.1 cannot be used: %w; name another with --port, or leave it out", port, err)
			}
			return a.serve(ctx, p, ln)
		},
	}
	c.Flags().IntVar(&port, "port", 0, "listen on port `N` (default: any that is free)")
	return c
}

// serve answers until ctx ends.
func (a *app) serve(ctx context.Context, p *project, ln net.Listener) error {
	v := &viewer{app: a, project: p, host: ln.Addr().String(), token: rand.Text()}
	server := &http.Server{
		Handler: v, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // whoever listens to events would never leave
	defer stop()
	a.print("http://" + v.host + v.home() + "\n")
	if !store.Exists(p.stateDir) {
		a.note("no run here yet; the page shows one as soon as there is one")
	}
	a.note("who knows this address can read the run; Ctrl-C ends it")
	if err := server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving on %s: %w", v.host, err)
	}
	return nil
}

// viewer answers requests. It reads files and changes nothing.
type viewer struct {
	*app
	project *project
	host    string // 127.0.0.1:PORT
	token   string // the first part of every path
}

func (v *viewer) home() string { return "/" + v.token + "/" }

// How a stream of events keeps time.
const (
	stampEvery  = time.Second      // the files of a run are looked at
	silentEvery = 15 * time.Second // a stream with nothing to tell says that it is there
	pageEvery   = 15 * time.Second // the page of a run that goes on is made anew although nothing was written: time passes on it
)

// ServeHTTP lets nobody in who does not know the address: another user's process does not, and a page from elsewhere neither knows it nor,
// by a name of its own for 127.0.0.1, gets past the host.
func (v *viewer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for name, value := range map[string]string{
		"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
	} {
		h.Set(name, value)
	}
	_, port, _ := net.SplitHostPort(v.host)
	switch {
	case r.Host != v.host && r.Host != "localhost:"+port:
		http.Error(w, "this is not the host that you asked for", http.StatusMisdirectedRequest)
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
	stateDir, base := v.project.stateDir, v.home()
	if name, inner, ok := strings.Cut(strings.TrimPrefix(rest, historyPath), "/"); ok && strings.HasPrefix(rest, historyPath) {
		if !slices.Contains(archived(v.project), name) {
			http.NotFound(w, r)
			return
		}
		stateDir, base, rest = filepath.Join(stateDir, stateHistory, name), base+historyPath+name+"/", inner
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

// The parts of a path behind the word.
const (
	historyPath = "history/"
	filesPath   = "files/"
)

// page shows a run.
func (v *viewer) page(w http.ResponseWriter, r *http.Request, stateDir, base string) {
	page, err := v.storedPage(r.Context(), v.project, stateDir)
	switch {
	case errors.Is(err, store.ErrNoRun):
		page.Run = nil
	case err != nil:
		page.Run = nil
		page.Observed = append(page.Observed, strings.Split(err.Error(), "\n")...)
	}
	page.Files = filesPath
	page.Live = &render.Live{Nonce: rand.Text(), Runs: v.runs(base)}
	raw, err := render.HTML(page)
	if err != nil {
		http.Error(w, "the page cannot be made", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", page.Policy()+"; frame-ancestors 'none'")
	_, _ = w.Write(raw) //nolint:gosec // html/template has escaped it
}

// file shows a log as text, whatever is in it.
func (v *viewer) file(w http.ResponseWriter, r *http.Request, stateDir, name string) {
	if !strings.HasPrefix(name, "logs/") || !filepath.IsLocal(filepath.FromSlash(name)) || strings.Contains(name, "..") {
		http.NotFound(w, r)
		return
	}
	text := readLog(stateDir, name)
	if text == "" && !fileExists(filepath.Join(stateDir, filepath.FromSlash(name))) {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(text)) //nolint:gosec // it is plain text, and says so
}

// events tells whenever the page would look different. The first word is always that: what happened between the page and
// the stream is not to be missed.
func (v *viewer) events(w http.ResponseWriter, r *http.Request, stateDir string) {
	w.Header().Set("Content-Type", "text/event-stream")
	if r.Method == http.MethodHead {
		return
	}
	out := http.NewResponseController(w)
	say := func(text string) bool {
		_ = out.SetWriteDeadline(time.Now().Add(20 * time.Second)) // who does not read is not waited for
		_, err := w.Write([]byte(text))
		return err == nil && out.Flush() == nil
	}
	tick := time.NewTicker(stampEvery)
	defer tick.Stop()
	shown, told := "", time.Time{}
	for n := 1; ; n++ {
		now := time.Now()
		seen, alive := v.stamp(stateDir)
		switch {
		case seen != shown, alive && now.Sub(told) >= pageEvery:
			if !say(fmt.Sprintf("event: change\nid: %d\ndata: %d\n\n", n, n)) {
				return
			}
			shown, told = seen, now
		case now.Sub(told) >= silentEvery:
			if !say(": still here\n\n") {
				return
			}
			told = now
		}
		select {
		case <-tick.C:
		case <-r.Context().Done():
			return
		}
	}
}

// stamp differs when a run does: every event that is kept makes the diary longer, a session that is gone gives up its lock.
func (v *viewer) stamp(stateDir string) (stamp string, alive bool) {
	for _, name := range []string{stateDiary, stateConfig, stateResult, statePhases, stateHistory} {
		if info, err := os.Lstat(filepath.Join(stateDir, name)); err == nil {
			stamp += fmt.Sprintf("%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		}
	}
	alive = stateDir == v.project.stateDir && store.Working(v.project.stateDir, v.project.lockDir)
	return stamp + fmt.Sprint(alive), alive
}

// archived are the names of the runs that were set aside, the latest first.
func archived(p *project) []string {
	entries, err := os.ReadDir(filepath.Join(p.stateDir, stateHistory))
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && store.Exists(filepath.Join(p.stateDir, stateHistory, e.Name())) {
			names = append(names, e.Name())
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(b, a) })
	return names
}

// runs are the links to all runs of the directory, where there are several.
func (v *viewer) runs(base string) []render.RunLink {
	earlier := archived(v.project)
	if len(earlier) == 0 {
		return nil
	}
	links := []render.RunLink{{Name: v.runName(v.project.stateDir, "the present run"), Address: v.home(), Here: base == v.home()}}
	for _, name := range earlier {
		address := v.home() + historyPath + name + "/"
		links = append(links, render.RunLink{Name: v.runName(filepath.Join(v.project.stateDir, stateHistory, name), name), Address: address, Here: base == address})
	}
	return links
}

// runName is a run in a few words.
func (*viewer) runName(stateDir, otherwise string) string {
	var config struct {
		ID    string `json:"run_id"`
		Plan  string `json:"plan"`
		Title string `json:"plan_title"`
	}
	var result struct {
		Outcome string `json:"outcome"`
	}
	if json.Unmarshal([]byte(readLog(stateDir, stateConfig)), &config) != nil || config.ID == "" {
		return otherwise
	}
	_ = json.Unmarshal([]byte(readLog(stateDir, stateResult)), &result) // without one it has not ended
	return render.Clean(strings.Join([]string{config.ID, cmp.Or(config.Title, config.Plan), cmp.Or(result.Outcome, "not ended")}, " · "), 120)
}

// sameWord compares without telling by its time how much of a guess was right.
func sameWord(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
