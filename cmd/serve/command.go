package serve

import (
	"context"
	"errors"
	"net/http"
	"time"

	"autobuild/orchestrator"
)

// Bounds of a command: of the request's body in bytes, and of the wait for the run's answer.
const (
	maxCommand  = 16 << 10
	answerLimit = time.Minute
)

// command passes on a command of the page. The path has the token; the headers, which a browser
// sets by itself, have to say that the page of this server sends it.
func (v *Viewer) command(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	from, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
	if from != "" && from != "same-origin" || origin != "" && origin != "http://"+r.Host {
		http.Error(w, "another page sends this", http.StatusForbidden)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxCommand)
	if err := r.ParseForm(); err != nil || r.PostForm.Get("command") == "" {
		http.Error(w, "this is no command", http.StatusBadRequest)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), answerLimit)
	defer cancel()
	text, err := v.c.Command(ctx, orchestrator.Command{
		Kind:  orchestrator.CommandKind(r.PostForm.Get("command")),
		Phase: r.PostForm.Get("phase"), Text: r.PostForm.Get("text"),
		Now: r.PostForm.Get("now") != "",
	})
	if refused, ok := errors.AsType[*orchestrator.CommandError](err); ok {
		http.Error(w, refused.Error(), http.StatusConflict)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	_, _ = w.Write([]byte(text + "\n"))
}
