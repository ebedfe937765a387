package serve

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"autobuild/orchestrator"
)

// TestCommand: a command reaches the run only with the token, the host and the origin of the page.
func TestCommand(t *testing.T) {
	const host = "127.0.0.1:8080"
	var sent []orchestrator.Command
	v := New(Config{Host: host, Command: func(_ context.Context, c orchestrator.Command) (string, error) {
		if c.Kind == orchestrator.SkipPhase {
			return "", &orchestrator.CommandError{Why: "phase 1 is complete"}
		}
		sent = append(sent, c)
		return "done", nil
	}})
	read := New(Config{Host: host})
	const form = "application/x-www-form-urlencoded"
	note := "command=note&phase=2a&text=use+%3Cthat%3E"
	for _, c := range []struct {
		name    string
		to      *Viewer
		path    string
		headers []string // name and value in turns
		body    string
		want    int
	}{
		{"a note", v, v.home() + "commands", []string{"Content-Type", form, "Sec-Fetch-Site", "same-origin", "Origin", "http://" + host}, note, 200},
		{"not by a browser", v, v.home() + "commands", []string{"Content-Type", form}, note, 200},
		{"refused", v, v.home() + "commands", []string{"Content-Type", form}, "command=skip&phase=1", 409},
		{"another site", v, v.home() + "commands", []string{"Content-Type", form, "Sec-Fetch-Site", "cross-site"}, note, 403},
		{"another origin", v, v.home() + "commands", []string{"Content-Type", form, "Origin", "http://evil.example"}, note, 403},
		{"a hidden origin", v, v.home() + "commands", []string{"Content-Type", form, "Origin", "null"}, note, 403},
		{"another host", v, v.home() + "commands", []string{"Content-Type", form, "Host", "evil.example:8080"}, note, 421},
		{"no token", v, "/" + strings.Repeat("A", 26) + "/commands", []string{"Content-Type", form}, note, 405},
		{"no form", v, v.home() + "commands", []string{"Content-Type", "text/plain"}, note, 400},
		{"in the address", v, v.home() + "commands?" + note, []string{"Content-Type", form}, "", 400},
		{"too long", v, v.home() + "commands", []string{"Content-Type", form}, note + strings.Repeat("x", maxCommand), 400},
		{"a page to read", read, read.home() + "commands", []string{"Content-Type", form}, note, 405},
	} {
		before := len(sent)
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+host+c.path, strings.NewReader(c.body))
		for i := 0; i < len(c.headers); i += 2 {
			if r.Header.Set(c.headers[i], c.headers[i+1]); c.headers[i] == "Host" {
				r.Host = c.headers[i+1]
			}
		}
		w := httptest.NewRecorder()
		c.to.ServeHTTP(w, r)
		if w.Code != c.want || (len(sent) > before) != (c.want == 200) {
			t.Errorf("%s: %d %q, want %d", c.name, w.Code, w.Body, c.want)
		}
	}
	if len(sent) == 0 || sent[0].Phase != "2a" || sent[0].Text != "use <that>" {
		t.Errorf("sent %+v", sent)
	}
}
