package term

import (
	"testing"

	"autobuild/state"
)

// Only tiers above the one that does the work can be asked, and the dry run promises no others.
func TestRetryPolicyNamesWhoIsAsked(t *testing.T) {
	for name, c := range map[string]struct {
		config state.Config
		want   string
	}{
		"the worker is no tier":   {state.Config{Agent: "a", Tiers: []string{"b", "c"}}, "escalate: to b, then c, then you"},
		"the worker is the first": {state.Config{Agent: "b", Tiers: []string{"b", "c"}}, "escalate: to c, then you"},
		"… with a model":          {state.Config{Agent: "a", Model: "haiku", Tiers: []string{"haiku", "a:big"}}, "escalate: to a:big, then you"},
		"another model":           {state.Config{Agent: "b", Model: "small", Tiers: []string{"b", "c"}}, "escalate: to b, then c, then you"},
		"the worker is the last":  {state.Config{Agent: "c", Tiers: []string{"b", "c"}}, "escalate: to you, because c, which does the work, is the last tier"},
	} {
		c.config.RetryPolicy = "escalate"
		if got := retryPolicy(c.config); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
