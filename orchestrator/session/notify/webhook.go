package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"autobuild/internal/text"
)

// webhook sends a notice by a POST of its JSON. Its address may be a secret, so only its host is
// shown.
type webhook struct {
	url     string
	agent   string // the User-Agent
	timeout time.Duration
}

func (w webhook) name() string { return "the webhook " + shownAddress(w.url) }

func (w webhook) send(ctx context.Context, t Notice) error {
	data, err := t.encode()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(data))
	if err != nil {
		return errors.New("its address cannot be used")
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", w.agent)
	client := &http.Client{CheckRedirect: func(*http.Request,
		[]*http.Request,
	) error {
		return http.ErrUseLastResponse
	}}
	answer, err := client.Do(request)
	if err != nil {
		return w.reason(err)
	}
	defer answer.Body.Close() //nolint:errcheck // only read from
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 64<<10))
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return fmt.Errorf("it answered %s", text.Clean(answer.Status, 100))
	}
	return nil
}

// reason is err without the address.
func (w webhook) reason(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("it had not answered after %s", text.Duration(w.timeout))
	}
	return errors.New(strings.ReplaceAll(err.Error(), w.url, shownAddress(w.url)))
}

// shownAddress is the scheme and the host of an address. The rest may be secret.
func shownAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "(an address)"
	}
	return u.Scheme + "://" + u.Host + "/…"
}

// CheckAddress returns the mistake in an address, without showing the address.
func CheckAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("the webhook is no address that begins with http:// or https://")
	}
	return nil
}
