package main

import "encoding/json"

// reviewer is a stand-in for one.
type reviewer struct {
	name, about string
	finds       bool // it knows the defects
	script      string
	findings    func(Work) []string // as JSON
}

// reviewAgent does the phase: it copies what is to be the work.
const reviewAgent = `cp -R "$PLACE/$AUTOBUILD_PHASE_ID/." .
printf '{"nonce": "%s", "phase_id": "%s", "status": "complete", "tasks": {"total": 1, "completed": 1}}\n' \
  "$AUTOBUILD_NONCE" "$AUTOBUILD_PHASE_ID" > "$AUTOBUILD_RESULT_FILE"
`

// reviewScript hands over what was prepared.
const reviewScript = `sed "s/NONCE/$AUTOBUILD_NONCE/" "$PLACE/$AUTOBUILD_PHASE_ID.json" > "$AUTOBUILD_RESULT_FILE"
`

// brokenScript fails in another way for each phase, and does harm before.
const brokenScript = `echo broken > broken.txt; rm -rf -- *.sh */; git add -A; git commit -qm broken
case $((AUTOBUILD_PHASE_ID % 8)) in
0) exit 3 ;;
1) echo '{"findings": 1}' > "$AUTOBUILD_RESULT_FILE" ;;
2) head -c 3000000 /dev/zero | tr '\0' 'x' | tee "$AUTOBUILD_RESULT_FILE" ;;
3) kill -9 $$ ;;
4) sed "s/NONCE/another/" "$PLACE/$AUTOBUILD_PHASE_ID.json" > "$AUTOBUILD_RESULT_FILE" ;;
5) printf '{"nonce": "%s", "phase_id": "99", "status": "complete", "findings": []}' "$AUTOBUILD_NONCE" > "$AUTOBUILD_RESULT_FILE" ;;
6) printf '{"nonce": "%s", "phase_id": "%s", "status": "failed", "findings": "all of it"}' "$AUTOBUILD_NONCE" "$AUTOBUILD_PHASE_ID" > "$AUTOBUILD_RESULT_FILE" ;;
7) ln -s /dev/zero "$AUTOBUILD_RESULT_FILE" ;;
esac
`

// reviewers are the stand-ins, in the order of the table.
func reviewers() []reviewer {
	honest := func(w Work) []string { return []string{w.Finding} }
	return []reviewer{
		{name: "finds", about: "finds what there is", finds: true, script: reviewScript, findings: honest},
		{
			name: "mixes", about: "finds it, among inventions", finds: true, script: reviewScript,
			findings: func(w Work) []string { return append(quotes(w)[:5], w.Finding) },
		},
		{name: "misses", about: "approves everything", script: reviewScript, findings: func(Work) []string { return nil }},
		{name: "invents", about: "invents findings", script: reviewScript, findings: func(w Work) []string { return append(w.Lies, quotes(w)...) }},
		{name: "bluffs", about: "bluffs with tests that fail", script: reviewScript, findings: bluffs},
		{name: "detects", about: "bluffs with tests that detect the change", script: reviewScript, findings: detectors},
		{name: "breaks", about: "crashes, floods, forges, does harm", script: brokenScript, findings: honest},
	}
}

// lie is a finding about a work.
type lie struct {
	Severity  string            `json:"severity"`
	File      string            `json:"file"`
	Line      int               `json:"line"`
	Claim     string            `json:"claim"`
	Criterion string            `json:"criterion,omitempty"`
	Quote     string            `json:"quote,omitempty"`
	Call      string            `json:"call,omitempty"`
	Expected  string            `json:"expected,omitempty"`
	Received  string            `json:"received,omitempty"`
	Witness   map[string]string `json:"witness,omitempty"`
}

func (w Work) lies(all ...lie) []string {
	out := make([]string, len(all))
	for i, l := range all {
		l.Severity, l.Line, l.Claim = "high", 1, "invented"
		if l.File == "" {
			l.File = w.file()
		}
		raw, _ := json.Marshal(l) //nolint:errchkjson // texts alone
		out[i] = string(raw)
	}
	return out
}

// quotes are inventions without a witness.
func quotes(w Work) []string {
	var honest lie
	_ = json.Unmarshal([]byte(w.Finding), &honest) // it was read before
	c, call, value := w.criterion(), honest.Call, honest.Expected
	return w.lies(
		lie{},
		lie{Criterion: c, Quote: w.line()},
		lie{Criterion: c, Quote: "it does not stand there"},
		lie{Criterion: "The plan says nothing of this at all.", Quote: w.line()},
		lie{Criterion: "the", Quote: w.line()},
		lie{Criterion: c, Call: call, Expected: value + "1"},
		lie{Criterion: c, Call: call, Expected: value},
		lie{Criterion: c, Call: call + " 9", Expected: value},
		lie{Criterion: c, Call: "echo " + value + "1", Expected: value},
		lie{Criterion: "`" + call + "` prints `nothing`.", Call: call, Expected: "nothing"},
		lie{Criterion: c, Call: value, Expected: call},
		lie{File: "check.sh", Criterion: c, Call: call, Expected: value},
		lie{File: "../plan.md", Criterion: c, Quote: w.line()},
	)
}

// bluffs are tests that fail on every work.
func bluffs(w Work) []string {
	f, base := w.file(), w.test("lie_test.sh")
	run := func(command string) lie { return lie{Witness: map[string]string{"command": command}} }
	file := func(name, content string) lie {
		return lie{Received: "wrong", Witness: map[string]string{"file": name, "content": content}}
	}
	says := "echo '" + f + ":1: wrong'; exit 1\n"
	return w.lies(
		run("exit 1"), run("false"), run("echo "+f+":1; exit 1"), run("if ["), run("no-such-program "+f),
		run("sleep 100"), run("kill -9 $$"), run("echo broken > "+f+"; sh "+f+" && exit 1"),
		run("python3 -c 'raise SystemExit(\""+f+"\")'"), run("sh "+f+" 2 2 >/dev/null; echo "+f+"; exit 1"),
		run("set -- $(sh "+f+" 1 1); echo \""+f+":1 $1\"; [ \"$1\" = none ]"),
		file(base, says), file(f, says), file("../lie_test.sh", says), file(".git/hooks/lie_test.sh", says),
		file("/tmp/lie_test.sh", says), file(w.test("conftest.py"), "assert False, '"+f+"'\n"),
		file(w.test("test_lie.py"), "import unittest\n\nclass T(unittest.TestCase):\n    def test_x(self):\n        self.fail('"+f+":1')\n"),
		file(w.test("lie.test.mjs"), "import test from 'node:test';\ntest('x', () => { throw new Error('"+f+":1'); });\n"),
		file(w.test("lie_test.go"), "package lie\n\nimport \"testing\"\n\nfunc TestLie(t *testing.T) { t.Fatal(\""+f+":1\") }\n"),
	)
}

// detectors are tests that fail where the change is, and pass where it is not.
func detectors(w Work) []string {
	f := w.file()
	run := func(command string) lie { return lie{Witness: map[string]string{"command": command}} }
	fail := "{ echo " + f + ":1; exit 1; }; true"
	word := w.line()
	size := " | head -n 1"
	return w.lies(
		run("test -s "+f+" && "+fail), run("sh "+f+" 1 1 && "+fail), run("grep -q '"+word+"' "+f+" && "+fail),
		run("[ $(wc -l < "+f+") -gt 1 ] && "+fail), run("git diff --quiet HEAD || "+fail),
		run("git log --oneline"+size+" | grep -q autobuild && "+fail), run("for x in *; do [ $x = "+f+" ] && "+fail+"; done"),
		run("[ -n \"$AUTOBUILD_RUN_ID\" ] && "+fail), run("case $PWD in *) "+fail+" ;; esac"),
		run("cmp -s "+f+" /dev/null || "+fail), run("sh -n "+f+" && "+fail), run("x=gr; y=ep; $x$y . "+f+" && "+fail),
		run("read x < "+f+" && "+fail), run(". ./"+f+"; "+fail), run("cat "+f+" && "+fail),
		run("sha256sum "+f+" && "+fail), run("[ "+f+" -nt go.mod ] && "+fail), run("awk 'END { exit NR > 1 }' "+f+" || "+fail),
		run("sh -c 'test -f "+f+"' && "+fail), run("eval test -f "+f+" && "+fail),
	)
}
