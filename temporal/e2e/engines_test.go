//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// scenario is a plan that both engines run, in a repository each.
type scenario struct {
	name   string
	phases []string
	files  map[string]string
	args   []string
	again  []string // arguments of a second call; nil: there is none
	fix    string   // shell, between the two
	short  bool
}

// failures are what a history says of errors.
var failures = regexp.MustCompile(`"failure":\{.{0,600}`)

const gate = "gates:\n  test: sh check.sh\n"

func scenarios() []scenario {
	checked := map[string]string{
		"autobuild.yaml": gate,
		"check.sh":       "for f in *.num; do [ -e \"$f\" ] || continue; [ \"$(cat $f)\" != bad ] || { echo \"FAIL: $f is bad secret-log-word\"; exit 1; }; done\n",
	}
	return []scenario{
		{
			name: "retry", short: true, files: checked, phases: []string{
				"1:|echo 1 > 1.num",
				"2: 1|if [ $AUTOBUILD_ATTEMPT -gt 1 ]; then echo 2 > 2.num; else echo bad > 2.num; fi",
				"3: 1|echo 3 > 3.num",
				"4: 2, 3|echo 4 > 4.num",
			},
		},
		{
			name: "halt and resume", short: true, files: checked, phases: []string{
				"1:|echo 1 > 1.num",
				"2: 1|if [ -e fixed ]; then echo 2 > 2.num; else echo bad > 2.num; fi",
				"3: 2|echo 3 > 3.num",
			},
			again: []string{"--resume"}, fix: "echo yes > fixed; git add fixed; git commit -qm fixed",
		},
		{
			name: "conflict", short: true, phases: []string{
				"1:|echo one > same.txt", "2:|sleep 5; echo two > same.txt", "3: 1, 2|cat same.txt > three.txt",
			},
			files: map[string]string{"autobuild.yaml": "allow-empty: true\n"},
		},
		{name: "lies", phases: []string{"1:|true", "2: 1|echo 2 > 2.num"}, files: checked},
		{name: "crash", phases: []string{"1:|kill -9 $$", "2: 1|echo 2 > 2.num"}, files: checked},
		{
			name: "keep going", files: checked, args: []string{"--keep-going"},
			phases: []string{"1:|echo bad > 1.num", "2:|echo 2 > 2.num", "3: 1|true", "4: 2|echo 4 > 4.num"},
		},
		{
			name: "fails together", files: map[string]string{
				"autobuild.yaml": gate, "check.sh": "test ! -e a -o ! -e b\n",
			}, phases: []string{"1:|echo a > a", "2:|sleep 5; echo b > b", "3: 1, 2|echo c > c"},
		},
		{name: "one commit", phases: []string{"1:|echo 1 > 1.num", "2: 1|echo 2 > 2.num"}, args: []string{"--commit=single"}},
		{name: "messages only", phases: []string{"1:|echo 1 > 1.num", "2: 1|echo 2 > 2.num"}, args: []string{"--commit=message-only"}},
		{name: "a part", phases: []string{"1:|echo 1 > 1.num", "2: 1|echo 2 > 2.num"}, args: []string{"--only=1"}},
		{name: "skip", phases: []string{"1:|echo 1 > 1.num", "2:|echo 2 > 2.num"}, args: []string{"--skip=2"}},
		{
			name: "eager", args: []string{"--schedule=eager"}, phases: []string{
				"1:|echo 1 > 1.num", "2:|echo 2 > 2.num", "3: 1|echo 3 > 3.num", "4: 3|echo 4 > 4.num",
			},
		},
		{
			name: "adaptive", args: []string{"--retry-policy=adaptive"}, files: checked,
			phases: []string{"1:|if [ $AUTOBUILD_ATTEMPT -gt 1 ]; then echo 2 > 2.num; else echo bad > 2.num; fi"},
		},
		{name: "timeout", args: []string{"--timeout=2s"}, phases: []string{"1:|echo 1 > 1.num; sleep 60"}},
	}
}

// story is what must be the same of a run: statuses, attempts and their failures, the end.
func story(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, ".autobuild", "phases", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no phases in %s: %v", dir, err)
	}
	slices.Sort(files)
	var b strings.Builder
	for _, f := range files {
		var p struct {
			Status   string `json:"status"`
			Attempt  int    `json:"attempt"`
			Blocked  string `json:"blocked_by"`
			Verdicts struct {
				Verdict string `json:"verdict"`
			} `json:"verification"`
			Error map[string]json.RawMessage `json:"error"`
		}
		raw, err := os.ReadFile(f)
		if err == nil {
			err = json.Unmarshal(raw, &p)
		}
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s attempt=%d blocked=%s %s", filepath.Base(f), p.Status, p.Attempt, p.Blocked, p.Verdicts.Verdict)
		for _, name := range []string{"attempt_1", "attempt_2", "final"} {
			var e struct {
				Type    string `json:"type"`
				Message string `json:"message"`
			}
			if raw, ok := p.Error[name]; ok && json.Unmarshal(raw, &e) == nil {
				fmt.Fprintf(&b, " %s:%s %q", name, e.Type, e.Message)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Both engines end the same plans with the same states, exit codes and commits.
func TestEngines(t *testing.T) {
	whole := newLab(t)
	for _, s := range scenarios() {
		t.Run(s.name, func(t *testing.T) {
			if !s.short && !*long {
				t.Skip("takes too long for each change: run with -long")
			}
			l := &lab{t: t, dir: whole.dir, port: whole.port, env: whole.env, conn: whole.conn, program: whole.program}
			name := strings.ReplaceAll(s.name, " ", "-")
			files := map[string]string{"plan.md": plan(s.phases...)}
			for f, text := range s.files {
				files[f] = text
			}
			l.repo(name+"-one", files)
			l.repo(name+"-many", files)
			l.worker(name+"-a", name+"-many", "--slots=2")
			l.worker(name+"-b", name+"-many", "--slots=2")
			t.Cleanup(func() {
				if t.Failed() {
					for id, text := range l.histories() {
						t.Logf("%s: %s", id, failures.FindAll(text, 10))
					}
				}
			})
			same := func(args []string) {
				t.Helper()
				code, out := l.local(name+"-one", args...)
				other, said := l.many(name+"-many", args...)
				if code != other {
					t.Errorf("exit codes %d and %d:\n%s\n%s", code, other, out, said)
				}
				one, many := story(t, filepath.Join(l.dir, name+"-one")), story(t, filepath.Join(l.dir, name+"-many"))
				if one != many {
					t.Errorf("one machine:\n%smany:\n%s%s", one, many, said)
				}
				want := strings.ReplaceAll(l.commits(name+"-one"), name+"-one", name+"-many")
				if got := l.commits(name + "-many"); got != want {
					t.Errorf("commits\n%s\nand\n%s\n%s", want, got, said)
				}
			}
			same(s.args)
			if s.again == nil {
				return
			}
			for _, repo := range []string{name + "-one", name + "-many"} {
				p := execShell(l, repo, s.fix)
				if p != "" {
					t.Log(p)
				}
			}
			same(append(s.args, s.again...))
		})
	}
	whole.noLeaks("-many")
}
