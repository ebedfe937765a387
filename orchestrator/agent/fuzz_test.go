package agent

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"autobuild/internal/proc"
)

// The law: for any output of an agent, its reader does not panic, the result does not depend on how
// the stream is cut, and it can be shown.
func FuzzReaders(f *testing.F) {
	for _, s := range streams(f) {
		f.Add(s.file("stdout"), s.exit().Code, 5)
	}
	f.Add(`{"type":"result","is_error":true,"api_error_status":529}`, 1, 62)
	f.Add(`{"type":"result","is_error":true,"api_error_status":413}`, 1, 62)
	f.Fuzz(func(t *testing.T, stdout string, code, size int) {
		size = min(max(size, 1), 1<<16)
		exit := proc.Exit{Code: code, Ended: proc.Exited}
		for _, name := range printing() {
			s := specNamed(t, name)
			out := replay(s, stdout, exit, 1<<16)
			if again := replay(s, stdout, exit, size); fmt.Sprint(again) != fmt.Sprint(out) {
				t.Fatalf("%s: cut in pieces of %d it is\n%+v, not\n%+v", s.name, size, again, out)
			}
			if err := presentable(out); err != "" {
				t.Fatalf("%s: %s: %+v", s.name, err, out)
			}
			if code == 0 && out.Kind == "" && out.Message == "" && !strings.Contains(stdout, `"`) {
				t.Fatalf("%s: success without a single event: %+v", s.name, out)
			}
		}
	})
}

// presentable names the defect of an outcome; empty where it has none.
func presentable(out Outcome) string {
	switch {
	case !slices.Contains([]string{"", UsageLimit, Transient, Unusable, Refusal, Failed, Loop, ContextOverflow, ParseError}, out.Kind):
		return "an unknown kind"
	case len(out.Final) > maxFinal:
		return "a final message without bound"
	case out.Kind != "" && out.Final != "":
		return "a final message of a run that failed"
	case out.Kind != "" && out.Message == "":
		return "an error without words"
	case strings.ContainsAny(out.Message+out.Last+strings.Join(out.Denied, ""), "\n\x1b\x00"):
		return "a control character in a line"
	case out.CostUSD < 0 || out.InputTokens < 0 || out.OutputTokens < 0 || out.Wait < 0:
		return "less than nothing was used"
	}
	return ""
}

// The other fields of an error describe it where it has no text.
func TestErrorWithoutWords(t *testing.T) {
	for stdout, want := range map[string]string{
		`{"type":"result","is_error":true,"api_error_status":529}`: "it ended with HTTP 529 and said no more",
		`{"type":"result","is_error":true}`:                        "it ended with an error and said no more",
	} {
		if out := replay(claude(), stdout, proc.Exit{Code: 1, Ended: proc.Exited}, 1<<16); out.Message != want {
			t.Errorf("%s: got %q, want %q", stdout, out.Message, want)
		}
	}
}

// A reset is in the future and near, or unknown.
func FuzzResetTime(f *testing.F) {
	for _, s := range []string{
		"resets 8:57am (UTC)", "resets 3pm (Europe/Berlin)", "try again at 8:57 AM.", "try again at Nov 25th, 2026 8:57 AM",
		"in 2 hours 5 minutes", "reset after 1h2m3s", "resets Feb 29 at 9am", "in 99999999999999999999 days", "resets 25:61", "resets Dec 31, 9999 1:00",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := nextTryIn(s, noon).at
		if !got.IsZero() && (!got.After(noon) || got.Sub(noon) > 367*24*time.Hour) {
			t.Fatalf("%q is reset at %s", s, got)
		}
	})
}

func TestResetTimes(t *testing.T) {
	for text, want := range map[string]string{
		"You've hit your limit · resets 8:57am (UTC)":             "2026-11-22T08:57:00Z",
		"You've hit your limit · resets 3pm (Europe/Berlin)":      "2026-11-21T15:00:00+01:00",
		"You've hit your weekly limit · resets Nov 24, 4pm (UTC)": "2026-11-24T16:00:00Z",
		"limit reached, resets at 12am":                           "2026-11-22T00:00:00Z",
		"try again at 12:30 PM.":                                  "2026-11-21T12:30:00Z",
		"try again at 12:00 PM.":                                  "2026-11-21T12:01:00Z", // its seconds are cut off
		"try again at 11:58 AM.":                                  "2026-11-21T12:01:00Z",
		"try again at 11:40 AM.":                                  "2026-11-22T11:40:00Z",
		"Your limit will reset at 2026-11-23 20:15:32":            "2026-11-23T20:15:32Z",
		"or try again at Jan 2nd, 2027 8:57 AM.":                  "2027-01-02T08:57:00Z",
		"resets Jan 2 at 9am":                                     "2027-01-02T09:00:00Z",
		"Please try again in 2 hours":                             "2026-11-21T14:00:00Z",
		"try again in 1 day, 2 hours and 3 minutes":               "2026-11-22T14:03:00Z",
		"Claude AI usage limit reached|1795295820":                "2026-11-21T21:17:00Z",
		"Please retry in 34.5s.":                                  "2026-11-21T12:00:34Z",
		"Your quota will reset after 53s":                         "2026-11-21T12:00:53Z",
		"Your quota will reset after 1h2m3s.":                     "2026-11-21T13:02:03Z",
		"Your limit will reset at 2026-11-23 18:00:00":            "2026-11-23T18:00:00Z",
		"You will regain access on 2026-12-01 at 00:00 UTC.":      "2026-12-01T00:00:00Z",
		"limit will reset at 2026-11-23T18:00:00+02:00":           "2026-11-23T18:00:00+02:00",
		"for this billing period. Resets on Dec 1.":               "2026-12-01T00:00:00Z",
		"resets on January 2nd":                                   "2027-01-02T00:00:00Z",
		"Weekly limit reached - resets Thu 9am":                   "2026-11-26T09:00:00Z",
		"resets Saturday at 1:30pm (UTC)":                         "2026-11-21T13:30:00Z",
		"resets on Sat 9am":                                       "2026-11-28T09:00:00Z",
		"resets Monday":                                           "2026-11-23T00:00:00Z",
		"Next request allowed at 2026-11-23T15:00:00Z":            "2026-11-23T15:00:00Z",
		"Retry-After: Wed, 25 Nov 2026 10:00:00 GMT":              "2026-11-25T10:00:00Z",
		"'retry-after': '600',":                                   "2026-11-21T12:10:00Z",
		"retry-after-ms: 1500\nretry-after: 2":                    "2026-11-21T12:00:01Z",
		"'retryDelay': '46s'":                                     "2026-11-21T12:00:46Z",
		"x-ratelimit-reset-requests: 20m0s":                       "2026-11-21T12:20:00Z",
		"x-ratelimit-reset: 1795295820":                           "2026-11-21T21:17:00Z",
		"anthropic-ratelimit-tokens-reset: 2026-11-21T12:30:00Z":  "2026-11-21T12:30:00Z",
		"x-ratelimit-reset-tokens: 6m0s\nretry-after: 20":         "2026-11-21T12:00:20Z",
		"x-ratelimit-remaining-tokens: 900\nx-ratelimit-reset-tokens: 6m\nx-ratelimit-remaining-requests: 0\nx-ratelimit-reset-requests: 2m": "2026-11-21T12:02:00Z",
		"Quota will be replenished in 12:34:56.":                          "2026-11-22T00:34:56Z",
		"Quota will be replenished in 2.05:13:22.":                        "2026-11-23T17:13:22Z",
		"Your plan resets on 12/9/2026.":                                  "2026-12-09T00:00:00Z",
		"will reset when your monthly cycle ends on 25/12/2026":           "2026-12-25T00:00:00Z",
		"GenerateRequestsPerDayPerProjectPerModel-FreeTier, retry in 46s": "2026-11-22T00:00:00-08:00",
		"Please retry in 46s. Your quota resets at 18:00 UTC":             "2026-11-21T18:00:00Z",
		"try again in an hour":                                            "2026-11-21T13:00:00Z",
		"retry_count: 3":                                                  "",
		"max_retries = 5":                                                 "",
		"Credits reset on the 1st of next month.":                         "2026-12-01T00:00:00Z",
		"Next window opens in 2h.":                                        "2026-11-21T14:00:00Z",
		"resets in December":                                              "",
		"resets on demand 5":                                              "",
		"try again later":                                                 "",
		"resets 7":                                                        "",
		"resets 8:57am (Nowhere/Land)":                                    "",
		"try again at Jan 2nd, 2020 8:57 AM.":                             "",
		"after 3 attempts":                                                "",
	} {
		got := ""
		if at := nextTryIn(text, noon).at; !at.IsZero() {
			got = at.Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%q is reset at %q, not %q", text, got, want)
		}
	}
}

func TestClassify(t *testing.T) {
	for text, want := range map[string]string{
		"429 Too Many Requests":                         Transient,
		"Connection error.":                             Transient,
		"connect ECONNREFUSED 127.0.0.1:1":              Transient,
		"Your API key has reached its rate limit (429)": Transient,
		"You've hit your weekly limit · resets Monday":  UsageLimit,
		"You exceeded your current quota, please check your plan and billing details. Please retry in 34.5s.": Transient,
		"You exceeded your current quota, please check your plan and billing details.":                        Unusable,
		"usage_limit_reached":                                UsageLimit,
		"Credit balance is too low":                          Unusable,
		"insufficient_quota":                                 Unusable,
		"Please run /login":                                  Unusable,
		"(HTTP 403) no":                                      Unusable,
		"The model gpt-0 does not exist":                     Unusable,
		"This model's maximum context length is 8192 tokens": ContextOverflow,
		"The input token count (1250000) exceeds the maximum number of tokens allowed (1048576).": ContextOverflow,
		"Edit failed: line 429 has changed":                          "",
		"panic: runtime error: index out of range [5] with length 3": "",
		"the tests of the login page fail with exit status 1":        "",
	} {
		if got := classify(0, text); got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
	}
	if got := classify(429, "Quota exceeded, check your billing"); got != Unusable {
		t.Errorf("no money is %q", got)
	}
}

// TestEndlessLine proves that a line without an end fills no memory, and that the stream goes on
// behind it.
func TestEndlessLine(t *testing.T) {
	var before, after runtime.MemStats
	var got []string
	dropped := 0
	l := lines{limit: 1 << 20, each: func(line []byte) { got = append(got, string(line)) }, dropped: func() { dropped++ }}
	l.write([]byte("first\n"))
	runtime.ReadMemStats(&before)
	piece := bytes.Repeat([]byte("x"), 64<<10)
	for range 4096 { // 256 MiB
		l.write(piece)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 16<<20 {
		t.Errorf("%d bytes were used for a line that is dropped", grown)
	}
	l.write([]byte("\nlast"))
	l.close()
	if dropped != 1 || !slices.Equal(got, []string{"first", "last"}) {
		t.Errorf("%d dropped, %q left", dropped, got)
	}
}

// TestLongLine proves that a line far beyond any buffer is read as it is.
func TestLongLine(t *testing.T) {
	text := strings.Repeat("word ", 200_000)
	out := replay(specNamed(t, "claude"), `{"type":"result","is_error":false,"result":"`+text+`"}`+"\n", proc.Exit{Ended: proc.Exited}, 4096)
	if out.Final != text || out.Kind != "" {
		t.Errorf("%d bytes arrived, %q", len(out.Final), out.Message)
	}
}
