package diagnose_test

import (
	"testing"

	"autobuild/failure"
	"autobuild/failure/diagnose"
)

// The patterns distinguish transient errors from lookalikes: numbers that are no status, passing
// tests, titles of tests, expectations, quoted code.
func TestTransientWords(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
	}{
		{"read ECONNRESET", true},
		{"connect ETIMEDOUT 10.0.0.1:443", true},
		{"getaddrinfo EAI_AGAIN registry", true},
		{"npm error 429 Too Many Requests - GET https://packages.example/x", true},
		{"npm ERR! code E429", true},
		{"HTTP/1.1 503 Service Unavailable", true},
		{"Request failed with status code 429", true},
		{"upstream answered 503", true},
		{"error: 503", true},
		{"status:429", true},
		{`{"status":503,"title":"later"}`, true},
		{"(503)", true},
		{"Rate limit exceeded", true},
		{"rate-limited, try later", true},
		{"E: Could not get lock /var/lib/dpkg/lock-frontend", true},
		{"sqlite3.OperationalError: database is locked", true},
		{"fatal: Unable to create '/home/user/app/.git/index.lock': File exists.", true},
		{"dial tcp 10.0.0.1:443: i/o timeout", true},
		{"curl: (28) Operation timed out after 1000 milliseconds", true},

		{"src/a.ts:429:5 - error TS2322: no", false},
		{"main.go:503: undefined: x", false},
		{"a_test.go:12: got 1503 items", false},
		{"commit 9f429503ab1", false},
		{"Tests: 1 failed, 429 passed, 430 total", false},
		{"503 tests, 1 failure", false},
		{"took 429 ms", false},
		{"took 429ms", false},
		{"0.429 is no price", false},
		{"1,503 rows", false},
		{"line 429 is too long", false},
		{"listening on port 503", false},
		{"issue #429", false},
		{"429/430 done", false},
		{"  ✓ waits for the rate limit (3 ms)", false},
		{"  ✕ answers 429 to the third call", false},
		{"--- FAIL: TestAnswers503 (0.00s)", false},
		{"not ok 3 - rate limit is kept", false},
		{"test limiter::rate_limit_exceeded ... ok", false},
		{"Expected: 200, Received: 429", false},
		{"AssertionError: expected 503 to equal 200", false},
		{"want 200, got 429", false},
		{"  > 12 |   res.status(429).end();", false},
		{"    at limit (src/limit.js:503:9)", false},
		{"the shop at http://127.0.0.1:5030/cart", false},
	} {
		d := diagnose.From(gated(gaveUp, of("test", "npm test", 1, c.text+"\n")))
		if got := d.Class.Class == failure.Transient; got != c.want {
			t.Errorf("%q: %s, %q", c.text, d.Class.Class, d.Class.Evidence)
		}
	}
}

// Code that deals with limits has tests whose output mentions limits. Their failures do not
// indicate a network problem.
func TestLimitsUnderWork(t *testing.T) {
	limiter := failure.GateRun{
		Name: "test", Kind: "test", Command: "npm test", Exit: 1, Count: 1, Tail: "Error: rate limit exceeded\n",
		Tests: []failure.Test{{Name: "third call is refused", File: "test/cart.test.js", Message: "Error: rate limit exceeded"}},
	}
	e := gated(gaveUp, limiter)
	if d := diagnose.From(e); d.Class.Class != failure.Transient {
		t.Errorf("a test that meets a limit: %+v", d.Class)
	}
	e.Past.Files = []string{"src/rateLimiter.js"}
	if d := diagnose.From(e); d.Class.Class != failure.LocalLogic {
		t.Errorf("a test of the limiter that was just written: %+v", d.Class)
	}
	e = gated(gaveUp, failure.GateRun{
		Name: "lint", Kind: "lint", Command: "npm run lint", Exit: 1, Count: 1, Tail: "src/a.js:1:1 error: 'rate limit' is misspelt\n",
		Places: []failure.Place{{File: "src/a.js", Line: 1, Message: "'rate limit' is misspelt"}},
	})
	if d := diagnose.From(e); d.Class.Class != failure.LocalLogic {
		t.Errorf("a linter that quotes code: %+v", d.Class)
	}
}

// An agent's text during the run is prose; only the error that ended it counts.
func TestAgentsProseIsNoError(t *testing.T) {
	e := failure.Evidence{Agent: run(), Claim: gaveUp, NoChange: true}
	e.Agent.Tail = "I will add a rate limit that answers 429\n"
	if d := diagnose.From(e); d.Class.Class == failure.Transient {
		t.Errorf("prose is taken for an error: %+v", d.Class)
	}
	e = ended(failure.AgentRun{ExitCode: 1, Message: "API Error: 429 rate limit"})
	if d := diagnose.From(e); d.Class.Class != failure.Transient {
		t.Errorf("the error that ended it: %+v", d.Class)
	}
	e = ended(failure.AgentRun{Kind: failure.UsageLimit, Message: "You've hit your limit"})
	if d := diagnose.From(e); d.Class.Class != failure.Transient || !d.Transient {
		t.Errorf("a usage limit: %+v", d.Class)
	}
}
