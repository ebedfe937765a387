package report

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"autobuild/internal/call"
	"autobuild/internal/config"
)

// TestCollector: variables and the setting name the collector; a redirect is not followed, and no
// error shows what may be secret.
func TestCollector(t *testing.T) {
	status := http.StatusOK
	var heard []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		heard = append(heard, r.URL.Path+" "+r.Header.Get("X-Key"))
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
	}))
	defer server.Close()
	secret := strings.Replace(server.URL, "://", "://user:hunter2@", 1)
	for _, c := range []struct {
		name    string
		environ []string
		flag    string
		status  int
		heard   string // empty: nothing is sent
		err     string
	}{
		{name: "nothing"},
		{name: "flag", flag: server.URL, heard: "/v1/traces "},
		{
			name:    "variables",
			environ: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + server.URL, "OTEL_EXPORTER_OTLP_HEADERS=x-key=a%20b"},
			heard:   "/v1/traces a b",
		},
		{name: "whole", environ: []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=" + server.URL + "/t"}, heard: "/t "},
		{name: "grpc", environ: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + server.URL, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"}},
		{name: "another form", environ: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=localhost:4317"}},
		{name: "no address", flag: "localhost:4318", err: "no address"},
		{name: "redirect", flag: secret, status: http.StatusFound, heard: "/v1/traces ", err: "302"},
		{name: "refused", flag: secret, status: http.StatusTooManyRequests, heard: "/v1/traces ", err: "429"},
		{name: "nobody", flag: "http://user:hunter2@127.0.0.1:1", err: "connect"},
	} {
		heard, status = nil, http.StatusOK
		if c.status > 0 {
			status = c.status
		}
		o := &config.Options{TraceOTLP: c.flag}
		s, err := CollectorOf(&call.Call{Environ: c.environ}, o)
		if err == nil && s.url != "" {
			err = s.send(t.Context(), []byte("{}"))
		}
		if strings.Join(heard, ",") != c.heard || (err == nil) != (c.err == "") ||
			err != nil && (!strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "hunter2")) {
			t.Errorf("%s: heard %q, want %q; %v, want %q", c.name, heard, c.heard, err, c.err)
		}
	}
}
