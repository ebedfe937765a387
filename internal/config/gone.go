package config

// gone are flags, keys and commands that no longer exist, with what does their job.
var gone = map[string]string{
	"convert": "autobuild import PLAN.md writes it in the recommended format",
	"reload":  "a saved edit of the plan is taken by itself",
	"repair":  "--fresh starts again and recognises phases that have landed",
	"schema":  "the JSON schemas are files of autobuild's repository, in cmd/schemas",
}

// Gone is what does the job of a flag, a key or a command that no longer exists; empty: it never
// did.
func Gone(name string) string { return gone[name] }
