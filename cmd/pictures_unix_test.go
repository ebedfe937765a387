//go:build unix

package cmd

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"autobuild/internal/text"
)

// picturePlan keeps two phases busy until the picture is taken, one at its gates and one at work; a
// third has failed once.
const picturePlan = `# Login

## Phase 1: Schema

- [ ] Add the users table

` + "```sh\necho 'create table users' > schema.sql\n```" + `

## Phase 2A: Backend

**Depends on:** 1

- [ ] Add POST /login

` + "```sh\necho login > backend.txt\n```" + `

## Phase 2B: Frontend

**Depends on:** 1

- [ ] Add the login form

` + "```sh\necho 'bundling 214 modules'; echo form > frontend.txt; until test -e $HOME/go; do sleep 0.02; done\n```" + `

## Phase 2C: Mail

**Depends on:** 1

- [ ] Send a link

` + "```sh\ntest -e $HOME/again || { touch $HOME/again; echo 'no template called welcome'; exit 1; }\necho mail > mail.txt\n```" + `

## Phase 3: Docs

**Depends on:** 2A, 2B, 2C

- [ ] Describe it

` + "```sh\necho docs > docs.txt\n```\n"

// pictureGates hold the backend at its tests.
const pictureGates = `gates:
  lint: "true"
  test: if test -e backend.txt && ! test -e docs.txt; then until test -e $HOME/go; do sleep 0.02; done; fi
`

var moves = regexp.MustCompile("\x1b\\[(\\d*)([AK])|\x1b\\[\\?2026[hl]|\r|\n")

// seatColumns is the width of the terminal that sit opens.
const seatColumns = 80

// emulated is what a terminal shows that has been written to as the live screen does: row by row,
// each from its start.
func emulated(raw string) []string {
	rows, y, begun := []string{""}, 0, false
	put := func(content string) {
		if content == "" {
			return
		}
		if !begun {
			rows[y] = ""
		}
		for _, r := range content {
			if r != '\x1b' && text.Width(sgr.ReplaceAllString(rows[y]+string(r), "")) > seatColumns {
				y++
				rows = slices.Insert(rows, y, "")
			}
			rows[y] += string(r)
		}
		begun = true
	}
	for {
		m := moves.FindStringSubmatchIndex(raw)
		if m == nil {
			put(raw)
			return rows
		}
		put(raw[:m[0]])
		switch found := raw[m[0]:m[1]]; {
		case found == "\n":
			if y++; y == len(rows) {
				rows = append(rows, "")
			}
			begun = false
		case found == "\r":
			begun = false
		case m[4] >= 0 && raw[m[4]:m[5]] == "A":
			up, _ := strconv.Atoi(raw[m[2]:m[3]]) // digits
			y = max(0, y-up)
		case m[4] >= 0 && !begun:
			rows[y] = ""
		}
		raw = raw[m[1]:]
	}
}

// The picture of a run that goes on is drawn from a real one, in a real terminal.
func TestLivePicture(t *testing.T) {
	s := sit(t, `until test -e $HOME/ready; do sleep 0.02; done; mv $HOME/plan.md $HOME/autobuild.yaml .; git add -A; git commit -qm plan; autobuild plan.md --agent script --commit=auto`)
	for name, text := range map[string]string{"plan.md": picturePlan, "autobuild.yaml": pictureGates} {
		if err := os.WriteFile(filepath.Join(s.dir, "..", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.file("ready")
	s.until(`1 to retry[^\n]*\n[^\n]*Backend[^\n]*lint[^\n]*test[^\n]*\n[^\n]*Frontend[^\n]*bundling`)
	rows := emulated(s.text())
	s.file("go")
	s.rest()
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
	}
	holdPicture(t, "live", picture(t, "autobuild plan.md --agent script --commit=auto", strings.Join(rows, "\n")))
}
