package verify

import (
	"encoding/base64"
	"math"
	"path"
	"strings"

	"autobuild/internal/lazyregexp"
	"autobuild/internal/secret"
)

// key is how a kind of secret looks. A text without the hint is not searched.
type key struct {
	what, hint string
	re         *lazyregexp.Regexp
}

// webhook is an address that is itself a key.
var webhook = lazyregexp.New(`hooks\.slack\.com/services/T[A-Z0-9]+/B[A-Z0-9]+/[A-Za-z0-9]{16,}`)

// keyIn returns the first key in a text, and what it is.
func keyIn(text string) (what, found string) {
	if found = webhook.FindString(text); found != "" {
		return "a Slack webhook", found
	}
	return secret.Find(text)
}

// doubtful shapes are common in tests, where they do not refuse by themselves.
var doubtful = []key{
	{
		"a private key", "PRIVATE KEY",
		lazyregexp.New(
			`-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\s|\\n|"|\+|')+(?:[A-Z][A-Za-z-]+: [^\n]*\s+)*[A-Za-z0-9+/=]{32,}`),
	},
	{
		"a JSON web token", "eyJ",
		lazyregexp.New(`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,}`),
	},
}

var (
	assigned = lazyregexp.New(
		`(?i)(?:secret|token|passw(?:or)?d|passwd|api[_-]?key|access[_-]?key|private[_-]?key|credential)[\w.-]*["']?\s*(?::=|[:=]|=>)\s*["']([^"'\s]{16,200})["']`)
	inURL       = lazyregexp.New(`\b[a-z][a-z0-9+]+://[^/\s:@'"]+:([^/\s@'"]{8,})@([^/\s'":]+)`)
	placeholder = lazyregexp.New(
		`(?i)example|placeholder|change-?me|dummy|your|xxxx|fake|sample|redacted|\*\*\*|\.\.\.|\$\{|\{\{|<|%s|password|secret|test|local|0123456789|12345678|abcdef`)
	obvious  = lazyregexp.New(`(?i)example|placeholder|dummy|your|xxxx|fake|redacted|0123456789`)
	lockFile = lazyregexp.New(
		`(?:^|/)(?:[^/]*[.-]lock(?:\.json|\.yaml)?|go\.sum|npm-shrinkwrap\.json|packages\.lock\.json)$|\.(?:snap|svg|map|min\.js|min\.css)$`)
)

// secrets looks for content that must not be in a commit. Values that a file of the difference
// contained before are not reported.
func (g *guard) secrets() {
	var before strings.Builder
	for _, c := range g.Changes {
		before.WriteString(c.Old)
		before.WriteByte('\n')
	}
	old := before.String()
	for i, c := range g.Changes {
		if c.Unread || c.NewMode == "" {
			continue
		}
		g.values(c.Path, c.New, old)
		g.shapes(c, g.diffs[i], old)
	}
	g.values("the commit's message", g.Message, "")
	if what, found := keyIn(g.Message); found != "" && !obvious.MatchString(found) {
		g.add(Grave, RuleSecret, "the commit's message", 0, "it looks like %s: %s…", what,
			found[:4])
	}
}

// values looks for the environment's secrets, as they are and in base64.
func (g *guard) values(file, text, old string) {
	for _, v := range g.Secrets {
		if len(v) < secret.MinValue {
			continue
		}
		for _, form := range []struct{ how, value string }{
			{"the value of a secret variable of the environment", v},
			{
				"the value of a secret variable of the environment, in base64",
				strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(v)), "="),
			},
		} {
			if at := strings.Index(text, form.value); at >= 0 &&
				!strings.Contains(old, form.value) {
				g.add(Grave, RuleSecret, file, 1+strings.Count(text[:at], "\n"), "%s", form.how)
			}
		}
	}
}

func (g *guard) shapes(c Change, d lineDiff, old string) {
	test := isTest(c.Path) || strings.Contains(c.Path, "testdata/") ||
		strings.Contains(c.Path, "fixtures/")
	for _, k := range doubtful {
		w := Grave
		if test {
			w = Objection
		}
		if !strings.Contains(c.New, k.hint) {
			continue
		}
		for _, at := range k.re.FindAllStringIndex(c.New, maxOfRule) {
			if found := c.New[at[0]:at[1]]; !strings.Contains(old, found) &&
				!obvious.MatchString(found) {
				g.add(w, RuleSecret, c.Path, 1+strings.Count(c.New[:at[0]], "\n"),
					"it looks like %s", k.what)
			}
		}
	}
	for _, l := range d.added {
		what, found := keyIn(l.text)
		if found != "" && !obvious.MatchString(found) && !strings.Contains(old, found) &&
			entropy(found) > 2.5 {
			g.add(Grave, RuleSecret, c.Path, l.n, "it looks like %s: %s…", what, found[:4])
		}
		if !test && !lockFile.MatchString(c.Path) && path.Ext(c.Path) != ".md" {
			g.assignment(c.Path, l, old)
		}
	}
}

// assignment finds values that look drawn by lot and are called like secrets.
func (g *guard) assignment(file string, l textLine, old string) {
	if m := assigned.FindStringSubmatch(l.text); m != nil && random(m[1]) &&
		!strings.Contains(old, m[1]) {
		g.add(Objection, RuleSecret, file, l.n,
			"a value that looks drawn by lot is given to what is called a secret")
	}
	if m := inURL.FindStringSubmatch(l.text); m != nil && !placeholder.MatchString(m[1]) &&
		m[2] != "localhost" && m[2] != "127.0.0.1" && !strings.Contains(old, m[1]) {
		weight := Objection
		if strings.Contains(m[2], ".") { // a host beyond this network
			weight = Grave
		}
		g.add(weight, RuleSecret, file, l.n, "an address with a password in it")
	}
}

// random reports whether a value has letters, digits and little order, and is neither a path nor a
// word for one.
func random(v string) bool {
	// a character of hexadecimal has 4 at most, of English words about 3.5 in lengths like these
	const bits = 3.5
	letters, digits := 0, 0
	for _, b := range []byte(v) {
		switch {
		case b >= '0' && b <= '9':
			digits++
		case b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z':
			letters++
		}
	}
	return letters >= 4 && digits >= 3 && !placeholder.MatchString(v) &&
		!strings.Contains(v, "://") && !strings.HasPrefix(v, "/") && !strings.HasPrefix(v, ".") &&
		entropy(v) >= bits
}

// entropy is Shannon's, in bits a byte.
func entropy(s string) float64 {
	var count [256]int
	for i := range len(s) {
		count[s[i]]++
	}
	sum := 0.0
	for _, n := range &count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}
