package notify

import (
	"strings"
	"time"
)

// Settings are the ways in which people are notified, as autobuild.yaml has them.
type Settings struct {
	Command []string `yaml:"command"` // the JSON comes on its stdin
	Webhook string   `yaml:"webhook"` // an address, or $NAME of the variable that holds it
	On      []string `yaml:"on"`      // events; empty: all
	Timeout string   `yaml:"timeout"`
}

// Keys lists the keys of Settings, for messages.
const Keys = "command, webhook, on, timeout"

// Any reports whether there is a way at all.
func (c *Settings) Any() bool { return len(c.Command) > 0 || c.Webhook != "" }

// deadline is the limit of one way.
func (c *Settings) deadline() time.Duration {
	if d, err := time.ParseDuration(c.Timeout); err == nil && d > 0 {
		return min(d, MaxTimeout)
	}
	return defaultTimeout
}

// url is the webhook's address; empty where its variable is not set.
func (c *Settings) url(getenv func(string) string) string {
	if name, ok := strings.CutPrefix(c.Webhook, "$"); ok {
		return getenv(strings.Trim(name, "{}"))
	}
	return c.Webhook
}

// secrets holds the address, which no output may show.
func (c *Settings) secrets(getenv func(string) string) []string {
	if u := c.url(getenv); u != "" {
		return []string{u}
	}
	return nil
}
