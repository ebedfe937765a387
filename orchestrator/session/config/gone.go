package config

// gone are flags, keys and commands that no longer exist, with what does their job.
var gone = map[string]string{
	"allow-dirty":       "commit your fix, or put it aside with git stash",
	"conflicts":         "a phase whose work conflicts is done again from what landed",
	"dialect":           "--reading=frontmatter|table|headings|boxes",
	"gate-jobs":         "as many suites of gates run at once as find a core",
	"no-verify":         "gates: {hooks: false} in autobuild.yaml",
	"redo":              "autobuild reset PHASE, or --fresh for all",
	"rerun-changed":     "--resume=changed",
	"retry-session":     "a retry begins a new session of its agent",
	"serialize-overlap": "state the order in the plan: **Depends on:**",
	"strict-baseline":   "--baseline=strict",
	"thaw":              "autobuild reset PHASE",
	"trace":             "--progress json and .autobuild/events.jsonl have the times",
	"trace-otlp":        "--progress json and .autobuild/events.jsonl have the times",
	"convert":           "autobuild import PLAN.md writes it in the recommended format",
	"reload":            "a saved edit of the plan is taken by itself",
	"repair":            "--fresh starts again and recognises phases that have landed",
	"schema":            "the JSON schemas are files of autobuild's repository, in cmd/schemas",
}

// Gone is what does the job of a flag, a key or a command that no longer exists; empty: it never
// did.
func Gone(name string) string { return gone[name] }
