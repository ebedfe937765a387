package proc

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The keys are put together so that no scanner takes this file for a leak.
const (
	apiKey  = "sk-" + "proj-0a1b2c3d4e5f6a7b8c9d"
	hubKey  = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
	awsKey  = "AKIA" + "IOSFODNN7EXAMPLE"
	chatKey = "xoxb-" + "1234567890-abcdef"
	// The phrase begins with a letter that ends no escape: \x9c and "orrect" would spell a word.
	phrase = "honest horse battery"
)

var (
	webToken   = "eyJ" + "hbGciOiJIUzI1NiJ9" + ".eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0" + ".dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"
	privateKey = "-----BEGIN RSA PRIVATE" + " KEY-----\n" + strings.Repeat("MIIEpAIBAAKCAQEA0123456789+/\n", 20) + "-----END RSA PRIVATE KEY-----"
)

func maskAll(chunks ...string) string {
	m := newMasker([]string{phrase, "short", phrase + " staple"})
	var out []byte
	for _, c := range chunks {
		out = m.feed(out, []byte(c), false)
	}
	return string(m.feed(out, nil, true))
}

func TestMask(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"key " + apiKey + ", done":                       "key ***, done",
		"key=" + hubKey + "\n" + awsKey + " .":           "key=***\n*** .",
		chatKey:                                          "***",
		"a " + phrase + " b":                             "a *** b",
		"a " + phrase + " staple b":                      "a *** b",
		"short is too short":                             "short is too short",
		"task-runner-with-a-long-name-1":                 "task-runner-with-a-long-name-1",
		"sk-learn and a sk-something-without-any-number": "sk-learn and a sk-something-without-any-number",
		"honest horse bat":                               "honest horse bat",
		"postgres://me:hunter2@db/x, and more":           "postgres://***@db/x, and more",
		"http://[::1]:8080/a@b":                          "http://[::1]:8080/a@b",
		"https://example.com/x?to=a:b@c":                 "https://example.com/x?to=a:b@c",
		"glpat-" + strings.Repeat("x", 20) + " and AIza" + strings.Repeat("y", 35): "*** and ***",
		"sk-":                                   "sk-",
		"token " + webToken + ";":               "token ***;",
		"eyJ" + strings.Repeat("a", 80):         "eyJ" + strings.Repeat("a", 80),
		"a\n" + privateKey + "\nb":              "a\n***-----END RSA PRIVATE KEY-----\nb",
		"-----BEGIN CERTIFICATE-----\nAAAA\n":   "-----BEGIN CERTIFICATE-----\nAAAA\n",
		strings.TrimSuffix(privateKey, "-----"): "***-----END RSA PRIVATE KEY",
		privateKey[:60]:                         "***",
	} {
		if got := maskAll(in); got != want {
			t.Errorf("masking %q gave %q, want %q", in, got, want)
		}
		if got := maskAll(strings.Split(in, "")...); got != want {
			t.Errorf("masking %q byte by byte gave %q, want %q", in, got, want)
		}
	}
}

// The law: where a stream is cut does not matter, neither to masks nor to escapes, and a whole
// secret never passes.
func FuzzSinkIgnoresChunks(f *testing.F) {
	f.Add([]byte("x "+apiKey+" "+phrase+"\r\n日本"), uint(7))
	f.Add([]byte("\x1b[0m\xe6\x97"+hubKey+awsKey+"honest horse battery staple"), uint(3))
	f.Add([]byte(strings.Repeat("sk-abcdef", 60)+"1"), uint(1))
	f.Fuzz(func(t *testing.T, b []byte, n uint) {
		whole, cut := newSink(nil, 0, []string{phrase}), newSink(nil, 0, []string{phrase})
		whole.write(b)
		for chunk := range chunks(b, int(n%97)+1) {
			cut.write(chunk)
		}
		var e1, e2 Exit
		if whole.close(&e1) != nil || cut.close(&e2) != nil || e1.Tail != e2.Tail || e1.Bytes != e2.Bytes || e1.Lines != e2.Lines {
			t.Fatalf("%q in chunks of %d:\n%q\n%q", b, n%97+1, e1.Tail, e2.Tail)
		}
		if strings.Contains(e1.Tail, phrase) || Escape(e1.Tail) != e1.Tail {
			t.Fatalf("%q left as %q", b, e1.Tail)
		}
	})
}

func chunks(b []byte, n int) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(b) > 0 {
			k := min(n, len(b))
			if !yield(b[:k]) {
				return
			}
			b = b[k:]
		}
	}
}

func TestLogKeepsHeadAndTail(t *testing.T) {
	t.Parallel()
	f, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	s := newSink(f, 1000, nil)
	s.write([]byte(strings.Repeat("é", 300)))
	s.write([]byte(strings.Repeat("middle\n", 400)))
	s.write([]byte("the end"))
	var e Exit
	if err = s.close(&e); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(f.Name())
	if err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	if len(got) > 1050 || !bytes.HasPrefix(got, []byte("éé")) || !bytes.HasSuffix(got, []byte("middle\nthe end")) || !bytes.Contains(got, []byte(" bytes left out …\n")) {
		t.Errorf("%d bytes: %q", len(got), got)
	}
	if bytes.Contains(got, []byte(`\x`)) || e.Last != "the end" || e.Lines != 400 {
		t.Errorf("a character was cut, or the end is wrong: %q %d", e.Last, e.Lines)
	}
}

// A full disk is reported, and does not stop the reading.
func TestLogErrorIsToldAtTheEnd(t *testing.T) {
	t.Parallel()
	f, err := os.Open(os.DevNull) // for reading only
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	s := newSink(f, 0, nil)
	s.write([]byte("one\n"))
	s.write([]byte("two\n"))
	var e Exit
	if err := s.close(&e); err == nil || !strings.Contains(err.Error(), "write log") || e.Tail != "one\ntwo\n" {
		t.Errorf("%v, %q", err, e.Tail)
	}
}

func TestActivityLine(t *testing.T) {
	t.Parallel()
	s := newSink(nil, 0, []string{phrase})
	s.write([]byte("first\n\x1b[32msecond\x1b[0m " + phrase + "\n\n  \nthird without end"))
	if line, fresh := s.activity(); line != "second ***" || !fresh {
		t.Errorf("%q %v", line, fresh)
	}
	if _, fresh := s.activity(); fresh {
		t.Error("the same line is fresh twice")
	}
	s.write([]byte("\n10%\r20%\r"))
	if line, _ := s.activity(); line != "20%" {
		t.Errorf("%q", line)
	}
	s.write([]byte(strings.Repeat("日", 5000) + "\n"))
	if line, _ := s.activity(); len(line) > LineSize || !strings.HasPrefix(line, "日日") {
		t.Errorf("%d bytes: %q", len(line), line)
	}
	s.write([]byte(strings.Repeat("x\n", 50_000) + "last\n"))
	if line, _ := s.activity(); line != "last" {
		t.Errorf("%q", line)
	}
}

// A suspended machine spends no deadline: one late beat counts as one beat.
func TestSleepSpendsNoTime(t *testing.T) {
	t.Parallel()
	w := &watch{c: &Command{Timeout: 3 * time.Second}, sink: newSink(nil, 0, nil)}
	w.startBeat()
	now := time.Now()
	for range 3 {
		w.tick(now)
		now = now.Add(w.beat)
	}
	w.tick(now.Add(8 * time.Hour))
	w.tick(now) // and a clock that goes back
	if w.ended != "" || w.awake > time.Second {
		t.Errorf("awake %v, ended %q", w.awake, w.ended)
	}
}
