package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autobuild/orchestrator/session/notify"
)

func TestNotifyConfig(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]notify.Settings{
		"notify: [my-notifier, --quiet]":                       {Command: []string{"my-notifier", "--quiet"}},
		"notify: https://hooks.example/x":                      {Webhook: "https://hooks.example/x"},
		"notify: $HOOK":                                        {Webhook: "$HOOK"},
		"notify: false":                                        {},
		"notify: {webhook: $HOOK, on: [halt], timeout: 500ms}": {Webhook: "$HOOK", On: []string{"halt"}, Timeout: "500ms"},
	} {
		got, err := read(t, text)
		if err != nil || got.Notify == nil {
			t.Errorf("%s: %v", text, err)
		} else if diff := cmp.Diff(want, *got.Notify); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
	for text, want := range map[string]string{
		"notify: my-notifier --quiet":           "1:9: notify: the webhook is no address that begins with http:// or https://; a command is a list",
		"notify: ftp://example.com":             "no address",
		"notify: {command: my-notifier}":        "command must be a list of words",
		"notify: {hook: x}":                     "its keys are command, webhook",
		"notify: {command: [a], on: [ends]}":    `there is no event "ends"`,
		"notify: {command: [a], timeout: 2h}":   "at most 1m",
		"notify: {command: [a], timeout: soon}": `timeout "soon" is not possible`,
		"notify: []":                            "the command is empty",
	} {
		if _, err := read(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	nobody, _ := read(t, "notify: false")
	farther, _ := read(t, "notify: http://a.example/x")
	if nobody.Merge(farther).Notify.Any() || !(File{}).Merge(farther).Notify.Any() {
		t.Error("the nearer file decides, and where it says nothing the farther one")
	}
}
