package config

import (
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"autobuild/internal/text"
	"autobuild/orchestrator/session/notify"
)

// notify reads the ways of notices: a list is a command, a word is an address, a mapping has
// the keys of notify.Settings.
func (r *reader) notify(n *yaml.Node) {
	c := &notify.Settings{}
	r.c.Notify = c
	switch n.Kind {
	case yaml.SequenceNode:
		r.strings(n, &c.Command)
	case yaml.MappingNode:
		if !r.wordForList(n, "notify", "[my-notifier, --quiet]") {
			r.load(n, c, "notify", notify.Keys)
		}
	case yaml.ScalarNode:
		if isOff(n) {
			return // off, also where a farther file names a way
		}
		c.Webhook = n.Value
	default:
		r.bad(n, "write [PROGRAM, ARGS], or an address", "notify is none of those")
		return
	}
	r.checkNotify(n, c)
}

func (r *reader) checkNotify(n *yaml.Node, c *notify.Settings) {
	if len(c.Command) > 0 && c.Command[0] == "" || n.Kind == yaml.SequenceNode &&
		len(c.Command) == 0 {
		r.bad(n, "for example [my-notifier, --quiet]", "notify: the command is empty")
	}
	if c.Webhook != "" && !strings.HasPrefix(c.Webhook, "$") &&
		notify.CheckAddress(c.Webhook) != nil {
		r.bad(n, "a command is a list: [PROGRAM, ARGS]; an address may stand in a variable: $NAME",
			"notify: the webhook is no address that begins with http:// or https://")
	}
	for _, event := range c.On {
		if !slices.Contains(notify.Events(), event) {
			r.bad(n, text.Suggest(event, notify.Events(), SeeHelp), "notify: there is no event %q",
				event)
		}
	}
	if d, err := time.ParseDuration(c.Timeout); c.Timeout != "" &&
		(err != nil || d <= 0 || d > notify.MaxTimeout) {
		r.bad(n, "write for example 10s, at most "+text.Duration(notify.MaxTimeout),
			"notify: timeout %q is not possible", c.Timeout)
	}
}
