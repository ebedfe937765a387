package cmd

import (
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// notifyConfig says how people are told who are not there.
type notifyConfig struct {
	Command []string `yaml:"command"` // the JSON comes on its stdin
	Webhook string   `yaml:"webhook"` // an address, or $NAME of the variable that holds it
	Desktop bool     `yaml:"desktop"`
	On      []string `yaml:"on"` // events; empty: all
	Timeout string   `yaml:"timeout"`
}

// notifyKeys are its keys.
const notifyKeys = "command, webhook, desktop, on, timeout"

func (c *notifyConfig) any() bool { return len(c.Command) > 0 || c.Webhook != "" || c.Desktop }

// deadline is what one way of telling may take.
func (c *notifyConfig) deadline() time.Duration {
	if d, err := time.ParseDuration(c.Timeout); err == nil && d > 0 {
		return min(d, maxNotifyTimeout)
	}
	return defaultNotifyTimeout
}

// url is the webhook's address; empty where its variable is not set.
func (c *notifyConfig) url(getenv func(string) string) string {
	if name, ok := strings.CutPrefix(c.Webhook, "$"); ok {
		return getenv(strings.Trim(name, "{}"))
	}
	return c.Webhook
}

// secrets are what must not be shown: the address, as a whole.
func (c *notifyConfig) secrets(getenv func(string) string) []string {
	if u := c.url(getenv); u != "" {
		return []string{u}
	}
	return nil
}

// notify reads who is told: a list is a command, a word is an address or desktop, a mapping says more.
func (r *configReader) notify(n *yaml.Node) {
	c := &notifyConfig{}
	r.c.notify = c
	switch n.Kind {
	case yaml.SequenceNode:
		r.strings(n, &c.Command)
	case yaml.MappingNode:
		r.notifyFields(n, c)
	case yaml.ScalarNode:
		switch {
		case n.Tag == "!!null" || n.Value == "" || n.Tag == "!!bool" && strings.EqualFold(n.Value, "false"):
			return // nobody: not even whom a farther file names
		case n.Value == "desktop":
			c.Desktop = true
		default:
			c.Webhook = n.Value
		}
	default:
		r.bad(n, "write [PROGRAM, ARGS], an address, or desktop", "notify is none of those")
		return
	}
	r.checkNotify(n, c)
}

func (r *configReader) notifyFields(n *yaml.Node, c *notifyConfig) {
	if word, ok := wordForList(n); ok {
		r.bad(word.value, "no shell splits them; for example [my-notifier, --quiet]", "notify: %s must be a list of words", word.key)
		return
	}
	if err := n.Load(c, yaml.WithKnownFields()); err != nil {
		r.bad(n, "its keys are "+notifyKeys, "notify: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
}

func (r *configReader) checkNotify(n *yaml.Node, c *notifyConfig) {
	if len(c.Command) > 0 && c.Command[0] == "" || n.Kind == yaml.SequenceNode && len(c.Command) == 0 {
		r.bad(n, "for example [my-notifier, --quiet]", "notify: the command is empty")
	}
	if c.Webhook != "" && !strings.HasPrefix(c.Webhook, "$") && checkWebhook(c.Webhook) != nil {
		r.bad(n, "a command is a list: [PROGRAM, ARGS]; an address may stand in a variable: $NAME", "notify: the webhook is no address that begins with http:// or https://")
	}
	for _, event := range c.On {
		if !slices.Contains(notifyEvents, event) {
			r.bad(n, didYouMean(event, slices.Clone(notifyEvents)), "notify: there is no event %q", event)
		}
	}
	if d, err := time.ParseDuration(c.Timeout); c.Timeout != "" && (err != nil || d <= 0 || d > maxNotifyTimeout) {
		r.bad(n, "write for example 10s, at most "+shortly(maxNotifyTimeout), "notify: timeout %q is not possible", c.Timeout)
	}
}
