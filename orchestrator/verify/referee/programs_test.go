package referee

import (
	"testing"

	"autobuild/state"
)

// TestNewTestScripts: the end of a new test script is its result where gates run the script in a
// process of its own, and a lever where another script includes it.
func TestNewTestScripts(t *testing.T) {
	const exits = "#!/bin/sh\n[ \"$(sh greet.sh)\" = hello ] || exit 1\n"
	for _, tt := range []struct {
		name, file, text string
		tree             tree
		run              []string
		want             ruled
	}{
		{"the gate runs it", "test.sh", exits, tree{"greet.sh": "echo hi\n"}, []string{"sh test.sh"}, quiet},
		{"the gate calls it", "test.sh", exits, tree{"greet.sh": "echo hi\n"}, []string{"./test.sh"}, quiet},
		{"no gate runs it", "tests/greet.sh", exits, tree{"greet.sh": "echo hi\n"}, []string{"sh greet.sh"}, quiet},
		{"beside Go", "greet_test.sh", exits, tree{"go.mod": "module a\n", "a.go": "package a\n"}, []string{"go test ./..."}, quiet},
		{
			"a loop runs each", "tests/b.sh", exits,
			tree{"tests/run.sh": "set -e\n. \"$(dirname \"$0\")/lib.sh\"\nfor t in tests/*.sh; do sh \"$t\"; done\n", "tests/lib.sh": ""},
			[]string{"sh tests/run.sh"},
			quiet,
		},
		{"Node runs it alone", "test.mjs", "process.exit(run() ? 0 : 1)\n", tree{"a.mjs": ""}, []string{"node test.mjs"}, quiet},
		{"Python runs it alone", "test_a.py", "import sys\nsys.exit(0)\n", tree{"a.py": ""}, []string{"python3 test_a.py"}, quiet},
		{
			"a loop includes each", "tests/b.sh", exits,
			tree{"tests/run.sh": "for t in tests/*.sh; do . \"$t\"; done\n", "tests/a.sh": "true\n"},
			[]string{"sh tests/run.sh"},
			open,
		},
		{
			"a script includes it", "tests/more_test.sh", exits,
			tree{"tests/run.sh": "[ ! -e tests/more_test.sh ] || . tests/more_test.sh\n"},
			[]string{"sh tests/run.sh"},
			open,
		},
		{"one shell reads all", "tests/b.sh", exits, tree{"tests/a.sh": "true\n"}, []string{"cat tests/*.sh | sh"}, open},
		{"a variable is run", "tests/b.sh", exits, tree{"tests/a.sh": "true\n"}, []string{"for t in tests/*.sh; do eval \"$(cat $t)\"; done"}, open},
		{"an unknown runner", "tests/b.sh", exits, tree{"tests/a.sh": "true\n"}, []string{"runshell tests"}, open},
		{"bats", "tests/b.bash", exits, tree{"tests/a.bats": "@test \"a\" {\n  true\n}\n"}, []string{"bats tests"}, open},
		{
			"unittest finds it too", "test_b.py", "import sys\nsys.exit(0)\n",
			tree{"a.py": "", "test_a.py": "import unittest\n"},
			[]string{"python3 test_b.py", "python3 -m unittest"},
			open,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := NewMap(tt.tree, gates(tt.run...))
			if got := m.GateChanges([]Edit{change(tt.file, "-", tt.text)}); rulingOf(got) != tt.want {
				t.Errorf("%s (%s): %s, want %s: %+v", tt.file, m.Class(tt.file), rulingOf(got), tt.want, got)
			}
		})
	}
}

// TestProgramAsked: the section that names a program as its work asks for each change of it, though
// a gate runs the program. A script that checks has to be named with something of its lines.
func TestProgramAsked(t *testing.T) {
	for _, tt := range []struct {
		name, file, old string
		run             []string
		section         Section
		want            state.RefereeRuling
	}{
		{"named", "greet.sh", "echo hi\n", []string{"sh greet.sh"}, Section{Text: "Let greet.sh print a name."}, state.RulingAsked},
		{"in a list", "greet.sh", "echo hi\n", []string{"sh greet.sh"}, Section{Text: "- [ ] `greet.sh NAME` greets by name"}, state.RulingAsked},
		{"declared", "bin/greet", "#!/bin/sh\necho hi\n", []string{"bin/greet"}, Section{Text: "Names.", Files: []string{"bin/*"}}, state.RulingAsked},
		{"of another language", "greet.py", "print('hi')\n", []string{"python3 greet.py"}, Section{Text: "Rewrite greet.py."}, state.RulingAsked},
		{"not named", "greet.sh", "echo hi\n", []string{"sh greet.sh"}, Section{Text: "Add a help page."}, state.RulingRefused},
		{"as a command", "greet.sh", "echo hi\n", []string{"sh greet.sh"}, Section{Text: "Docs. `sh greet.sh` has to pass."}, state.RulingRefused},
		{"forbidden", "greet.sh", "echo hi\n", []string{"sh greet.sh"}, Section{Text: "Do not change greet.sh."}, state.RulingRefused},
		{"a check by its name", "check.sh", "grep -q hi out.txt\n", []string{"sh check.sh"}, Section{Text: "Change check.sh."}, state.RulingRefused},
		{"a check by its commands", "all.sh", "go vet ./...\ngo test ./...\n", []string{"sh all.sh"}, Section{Text: "Change all.sh."}, state.RulingRefused},
		{"it compares", "all.sh", "sh greet.sh | diff - want.txt\n", []string{"sh all.sh"}, Section{Text: "Change all.sh."}, state.RulingRefused},
		{"settings", "greet.sh", "echo hi\n", []string{"tool --config greet.sh"}, Section{Text: "Change greet.sh."}, state.RulingRefused},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := NewMap(tree{tt.file: tt.old}, gates(tt.run...))
			edits := []Edit{change(tt.file, tt.old, "exit 0\n")}
			changes := m.GateChanges(edits)
			if len(changes) != 1 {
				t.Fatalf("%s (%s): %+v", tt.file, m.Class(tt.file), changes)
			}
			if got := Rule(m, changes, edits, tt.section, nil, Contest)[0]; got.Ruling != tt.want {
				t.Errorf("%s, want %s: %+v", got.Ruling, tt.want, got)
			}
		})
	}
}
