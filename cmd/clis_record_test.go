package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// transcripts is where what agents have printed is kept: the tests of their readers replay it.
const transcripts = "../testdata/transcripts"

// recordedLimit bounds a transcript, in bytes: some agents repeat all they have said in every line.
const recordedLimit = 200 << 10

// wrapper runs the agent and notes its exit code, which autobuild does not keep of an attempt that
// waits.
const wrapper = `#!/bin/sh
%q "$@"
code=$?
echo $code >"$HOME/exit.$AUTOBUILD_PHASE_ID.$AUTOBUILD_ATTEMPT"
exit $code
`

// watch puts the wrapper before the agent on PATH. No sandbox keeps it from its notes.
func (c *client) watch(t *testing.T, bin string) {
	t.Helper()
	dir := filepath.Join(filepath.Dir(c.home), "bin")
	path := filepath.Join(dir, program(c.name))
	c.write(t, path, fmt.Sprintf(wrapper, filepath.Join(bin, program(c.name))))
	if err := os.Chmod(path, 0o700); err != nil {
		t.Fatal(err)
	}
	c.env = append(c.env, "AUTOBUILD_SANDBOX=off")
	for i, entry := range c.env {
		if rest, ok := strings.CutPrefix(entry, "PATH="); ok {
			c.env[i] = "PATH=" + dir + string(os.PathListSeparator) + rest
		}
	}
}

// ending is the last line of a transcript, which the agent has not printed.
type ending struct {
	Exit    int    `json:"exit"`
	Stopped bool   `json:"stopped,omitzero"` // autobuild ended it
	End     string `json:"end"`              // the end that autobuild recorded
}

// record keeps what the first phase's last attempt printed.
func (c *client) record(t *testing.T, got concluded) {
	t.Helper()
	attempt := strconv.Itoa(max(1, got.attempts))
	raw, err := os.ReadFile(filepath.Join(c.repo, ".autobuild", "logs", "phase-1."+attempt+".log"))
	if err != nil {
		t.Fatal(err)
	}
	end := ending{End: got.end}
	code, missing := os.ReadFile(filepath.Join(c.home, "exit.1."+attempt))
	if end.Exit, err = strconv.Atoi(strings.TrimSpace(string(code))); err != nil || missing != nil {
		end.Stopped, end.Exit = true, -1
	}
	last, err := json.Marshal(map[string]ending{"recorded": end})
	if err != nil {
		t.Fatal(err)
	}
	if c.name == "kimi" {
		return // its use and its errors are in its own files
	}
	if end.Stopped && c.journals() && got.end != "timeout" && got.end != "context_overflow" && got.end != "agent_loop" {
		return // the reason is in the log of the agent, and not in the transcript
	}
	text := c.scrub(t, raw)
	if len(text) > recordedLimit {
		t.Logf("its transcript has %d bytes, and is not kept", len(text))
		return
	}
	c.write(t, filepath.Join(transcripts, c.name, c.scenario+".jsonl"), text+string(last)+"\n")
}

// strange matches the text that differs between two runs without a meaning. Distinct texts stay
// distinct: each becomes a number of its length.
var strange = []*regexp.Regexp{
	regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`),
	regexp.MustCompile(`\b(?:ses|msg|prt|evt|per)_[0-9A-Za-z]{20,}\b`),
	regexp.MustCompile(`\b[0-9a-f]{16,64}\b`),
	regexp.MustCompile(`\b\d{8}-\d{6}-[0-9a-f]{4}\b`),
	regexp.MustCompile(`\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z`),
	regexp.MustCompile(`\b1[78]\d{8}(?:\d{3})?\b`), // seconds or milliseconds of these years
	regexp.MustCompile(`127\.0\.0\.1:\d+`),
	regexp.MustCompile(`/tmp/cc-socks/\d+\.sock`),
	regexp.MustCompile(`gemini-client-error-[\w.-]+\.json`),
}

// hexadecimal is the place in strange of what any number might be.
const hexadecimal = 2

// repeated are events that say all that was said so far, each time a word is added: two thirds of
// what some agents print.
var repeated = regexp.MustCompile(`(?m)^\{"type":"message_update".*\n`)

// spent is how long something took.
var spent = regexp.MustCompile(`("[A-Za-z_]*(?:duration|Duration|ttft|latency|Elapsed|elapsed)[A-Za-z_]*"): ?[0-9.]+`)

// scrub makes of a log a transcript: no path of this machine, no random name. Lines of events stay
// valid JSON.
func (c *client) scrub(t *testing.T, raw []byte) string {
	t.Helper()
	text := string(raw)
	for _, place := range []struct{ path, name string }{
		{c.repo, "/repo"}, {c.home, "/home/user"}, {filepath.Dir(c.home), "/tmp/test"}, {os.Getenv("AUTOBUILD_TEST_CLIS"), "/clis"},
	} {
		text = strings.ReplaceAll(text, place.path, place.name)
	}
	text = spent.ReplaceAllString(text, "$1:0")
	text = repeated.ReplaceAllString(text, "")
	seen := make(map[string]string)
	for i, pattern := range strange {
		text = pattern.ReplaceAllStringFunc(text, func(found string) string {
			if i == hexadecimal && strings.Trim(found, "0123456789") == "" {
				return found // the digits of a price, or a nonce without an attempt
			}
			if _, known := seen[found]; !known {
				seen[found] = anonymous(i, found, len(seen)+1)
			}
			return seen[found]
		})
	}
	for line := range strings.Lines(text) {
		if before := []byte(strings.TrimSpace(line)); bytes.HasPrefix(before, []byte("{\"")) && !json.Valid(before) {
			t.Errorf("scrubbing has broken a line: %.300s", line)
		}
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// anonymous is the nth name, in the form of the one that was found by a pattern.
func anonymous(pattern int, found string, n int) string {
	switch pattern {
	case 0:
		return fmt.Sprintf("00000000-0000-4000-8000-%012d", n)
	case 1:
		return fmt.Sprintf("%s%020d", found[:4], n)
	case 3:
		return fmt.Sprintf("20261121-120000-%04d", n)
	case 4:
		return "2026-11-21T12:00:00.000Z"
	case 5:
		return "1795262400000"[:len(found)]
	case 6:
		return "127.0.0.1:1"
	case 7:
		return "/tmp/cc-socks/1.sock"
	case 8:
		return "gemini-client-error.json"
	}
	return fmt.Sprintf("%0*d", len(found), n)
}
