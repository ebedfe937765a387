package attempt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An agent that goes on is over when its result is the last that it has said, or is in its file.
// What only looks like one, the prompt read aloud above all, is none.
func TestOver(t *testing.T) {
	complete := resultOf(`"status": "complete", "tasks": {"total": 2, "completed": 2}`)
	for name, tt := range map[string]struct {
		tier, text, file string
		want             bool
	}{
		"a result":               {text: complete, want: true},
		"a failed one":           {text: resultOf(`"status": "failed"`), want: true},
		"nothing":                {},
		"words":                  {text: "I think that I am done.\n"},
		"more behind it":         {text: complete + "Now the tests.\n"},
		"another attempt's":      {text: strings.ReplaceAll(complete, nonce, "other")},
		"half of it":             {text: strings.TrimSuffix(complete, "```\n")},
		"a fence that opens":     {text: complete + "```json\n"},
		"the file":               {file: `{"nonce": "` + nonce + `", "phase_id": "2a", "status": "complete"}`, want: true},
		"a file with half of it": {file: `{"nonce": "` + nonce + `", "phase`},
		"a tier's last word":     {tier: "strong", text: complete + "fixed: the cause\n", want: true},
		"a tier without it":      {tier: "strong", text: complete},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			try := &try{Runner: b.runner, task: b.task, id: "2a", nonce: nonce}
			try.task.Tier = tt.tier
			path := filepath.Join(b.dir, "result.json")
			if tt.file != "" {
				if err := os.WriteFile(path, []byte(tt.file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got := try.over(tt.text, path); got != tt.want {
				t.Errorf("over is %v", got)
			}
		})
	}
}

// The prompt itself, echoed, ends no attempt: neither an ordinary agent's nor a tier's.
func TestPromptIsNoEnd(t *testing.T) {
	for _, tier := range []string{"", "strong"} {
		b := newBench(t)
		b.task.Tier = tier
		b.runner.Tiers = []Tier{{Agent: b.agent, Name: "strong", Uses: "fake"}}
		if _, err := b.attempt(); err != nil && tier == "" {
			t.Fatal(err)
		}
		if prompt := b.agent.job.Prompt; prompt == "" || b.agent.job.Done == nil || b.agent.job.Done(prompt) {
			t.Errorf("tier %q: a prompt of %d bytes is taken for the end", tier, len(prompt))
		}
	}
}
