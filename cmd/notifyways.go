package cmd

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

	"autobuild/internal/proc"
	"autobuild/render"
)

// commandWay tells by a program: JSON on its stdin, no shell. It runs apart from the run, and is ended with all that it started when its
// time is over.
type commandWay struct {
	runner  *proc.Runner
	argv    func(notification) []string
	dir     string
	env     []string
	timeout time.Duration
	what    string
}

func (w commandWay) name() string { return w.what }

func (w commandWay) tell(ctx context.Context, t notification) error {
	data, err := t.encode()
	if err != nil {
		return err
	}
	e, err := w.runner.Run(ctx, proc.Command{
		Argv: w.argv(t), Dir: w.dir, Env: w.env, Stdin: bytes.NewReader(data), Timeout: w.timeout, Grace: time.Second,
	})
	switch {
	case err != nil:
		return err
	case e.OK():
		return nil
	case e.Ended == proc.Timeout:
		return fmt.Errorf("it had not ended after %s", shortly(w.timeout))
	case e.Ended != proc.Exited:
		return fmt.Errorf("it was %s", e.Ended)
	case e.Signal != "":
		return fmt.Errorf("it was ended by %s", e.Signal)
	}
	said := ""
	if e.Last != "" {
		said = ": " + e.Last
	}
	return fmt.Errorf("exit code %d%s", e.Code, said)
}

// desktop is the program that shows a message on the desktop of a system; nil where none is known. Texts are arguments of their own, so that
// no quote in them means anything.
func desktop(goos string) func(notification) []string {
	title := func(t notification) string { return "autobuild: " + t.Event }
	switch goos {
	case "darwin":
		const script = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run"
		return func(t notification) []string { return []string{"osascript", "-e", script, title(t), t.Text} }
	case "linux", "freebsd", "openbsd", "netbsd":
		plain := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;") // the body is read as markup
		return func(t notification) []string {
			return []string{"notify-send", "--app-name=autobuild", "--", title(t), plain.Replace(t.Text)}
		}
	}
	return nil
}

// webhook tells by a POST of the JSON. Its address is a secret as often as not, so only its host is ever shown.
type webhook struct {
	url     string
	timeout time.Duration
}

func (w webhook) name() string { return "the webhook " + shownWebhook(w.url) }

func (w webhook) tell(ctx context.Context, t notification) error {
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
	request.Header.Set("User-Agent", "autobuild/"+version())
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(request)
	if err != nil {
		return w.reason(err)
	}
	defer answer.Body.Close() //nolint:errcheck // only read from
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 64<<10))
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return fmt.Errorf("it answered %s", render.Clean(answer.Status, 100))
	}
	return nil
}

// reason is what went wrong, without the address.
func (w webhook) reason(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("it had not answered after %s", shortly(w.timeout))
	}
	return errors.New(strings.ReplaceAll(err.Error(), w.url, shownWebhook(w.url)))
}

// shownWebhook is an address without what may be secret in it.
func shownWebhook(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "(an address)"
	}
	return u.Scheme + "://" + u.Host + "/…"
}

// checkWebhook says what is wrong with an address, without showing it.
func checkWebhook(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("the webhook is no address that begins with http:// or https://")
	}
	return nil
}
