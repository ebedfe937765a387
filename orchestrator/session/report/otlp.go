package report

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"autobuild/internal/call"
	"autobuild/internal/config"
	"autobuild/internal/text"
	"autobuild/render/ci"
	"autobuild/state/store"
)

// Bounds of the time in which a collector has to take a run's spans.
const (
	sendTime     = 10 * time.Second
	longSendTime = time.Minute
)

// Collector is where the spans of a run are sent. The zero Collector is nowhere.
type Collector struct {
	url     string
	headers http.Header
	timeout time.Duration
}

// CollectorOf is the collector that the settings or OpenTelemetry's variables name. Without a
// setting, variables that ask for another protocol than HTTP name none. The error does not show the
// address.
func CollectorOf(c *call.Call, o *config.Options) (Collector, error) {
	get := c.Environ.Get
	first := func(name string) string {
		if v := get("OTEL_EXPORTER_OTLP_TRACES_" + name); v != "" {
			return v
		}
		return get("OTEL_EXPORTER_OTLP_" + name)
	}
	base, whole := o.TraceOTLP, ""
	if base == "" {
		if strings.EqualFold(get("OTEL_SDK_DISABLED"), "true") ||
			get("OTEL_TRACES_EXPORTER") == "none" || first("PROTOCOL") == "grpc" {
			return Collector{}, nil
		}
		base, whole = get("OTEL_EXPORTER_OTLP_ENDPOINT"), get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
	}
	if base == "" && whole == "" {
		return Collector{}, nil
	}
	if whole == "" {
		whole = strings.TrimSuffix(base, "/") + "/v1/traces"
	}
	u, err := url.Parse(whole)
	wrong := err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https"
	if wrong && o.TraceOTLP == "" {
		return Collector{}, nil // the variable is set for other programs too
	}
	if wrong {
		return Collector{}, call.Usage("the collector of traces is no address with http:// or https://",
			"for example: --trace-otlp http://localhost:4318")
	}
	s := Collector{url: whole, headers: make(http.Header), timeout: sendTime}
	for pair := range strings.SplitSeq(first("HEADERS"), ",") {
		if key, value, ok := strings.Cut(pair, "="); ok {
			if plain, err := url.PathUnescape(strings.TrimSpace(value)); err == nil {
				s.headers.Set(strings.TrimSpace(key), plain)
			}
		}
	}
	if ms, err := strconv.Atoi(first("TIMEOUT")); err == nil && ms > 0 {
		s.timeout = min(time.Duration(ms)*time.Millisecond, longSendTime)
	}
	return s, nil
}

// Context is the place of a run in the trace of its caller; ok is false where nothing is sent.
func (s Collector) Context(c *call.Call, run string) (t ci.TraceContext, ok bool) {
	return ci.NewTraceContext(run, c.Environ.Get("TRACEPARENT")), s.url != ""
}

// send posts one document. A redirect is not followed: it would take the headers elsewhere.
func (s Collector) send(ctx context.Context, document []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(document))
	if err != nil {
		return errors.New("its address cannot be used")
	}
	request.Header = s.headers.Clone()
	request.Header.Set("Content-Type", "application/json")
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	answer, err := client.Do(request)
	if err != nil {
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err // without the address, which may hold a password
		}
		return err
	}
	defer answer.Body.Close() //nolint:errcheck // only read from
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 64<<10))
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return fmt.Errorf("it answered %s", text.Clean(answer.Status, 100))
	}
	return nil
}

// spans sends the spans of the session that has ended.
func (w writer) spans(end *End) error {
	collector, err := CollectorOf(w.Call, w.o)
	if err != nil || collector.url == "" {
		return err
	}
	place, _ := collector.Context(w.Call, end.Run.Config.RunID)
	documents, err := ci.OTLP(place, call.Version(), store.ReadDiary(end.Project.StateDir))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), collector.timeout)
	defer cancel()
	for _, d := range documents {
		if err = collector.send(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// CheckCollector finds a collector out that no span could be sent to, before anything is paid for.
func CheckCollector(c *call.Call, o *config.Options) error {
	_, err := CollectorOf(c, o)
	return err
}
