package repair

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"

	"autobuild/internal/text"
	"autobuild/state"
	"autobuild/state/store"
)

// at is a path in the state directory.
func (x *exam) at(name string) string { return filepath.Join(x.files.Dir, name) }

// config looks at config.json, which says which run all the rest belongs to.
func (x *exam) config() {
	if f, ok := foreign(x.files, x.diary); ok {
		x.find(f)
		return
	}
	for _, b := range x.files.Bad {
		if b.Phase != "" || b.Path != x.at("config.json") && b.Path != x.at("phases") {
			continue
		}
		f := Finding{
			Position: store.Position{Path: b.Path, Line: b.Line, Col: b.Col},
			Cause:    b.Cause.Error(), Refused: true,
		}
		if b.Path == x.at("phases") {
			f.Do, f.Why, f.Next = Leave, "the phases' files belong in it", "move it out of the way"
			x.find(f)
			continue
		}
		if left, ok := x.left(f, b.Cause); ok {
			x.find(left)
			continue
		}
		c := x.diary.Config
		f.Do, f.config, f.Why = Restore, &c,
			fmt.Sprintf("the diary tells how session %d of run %s was started", c.Sessions, c.RunID)
		x.find(f)
	}
}

// foreign finds a config.json that belongs to another run or names another plan than the diary. The
// phases' files decide: they belong to the diary's run where the diary records all their attempts.
func foreign(files *store.Files, diary *Diary) (Finding, bool) {
	have, told := files.Config, diary.Config
	if have.RunID == "" || told.RunID == "" || have.RunID == told.RunID && have.Plan == told.Plan {
		return Finding{}, false
	}
	f := Finding{Position: store.Position{Path: filepath.Join(files.Dir, "config.json")}, Do: Leave}
	f.Cause = fmt.Sprintf("names run %s of %s, but the diary tells of run %s of %s", have.RunID,
		have.Plan, told.RunID, told.Plan)
	if have.RunID == told.RunID {
		f.Why = "both are of the same run, and nothing else says which plan it was"
		f.Next = "write the right plan into it, or start again with --fresh, which keeps the " +
			"old state in history/"
		return f, true
	}
	mine, all := 0, 0
	for _, p := range files.Phases {
		for _, a := range p.Attempts {
			all++
			if diary.keys[a.Key] {
				mine++
			}
		}
	}
	if all > 0 && mine == all {
		f.Do, f.config, f.Why = Restore, &told,
			"the diary has told of every attempt that the phases' files tell of"
		return f, true
	}
	f.Why, f.Next = "the phases' files may belong to either",
		"put the right one back from a copy, or start again with --fresh, which keeps the old "+
			"state in history/"
	return f, true
}

// extra are files among those of the phases that belong to none.
func (x *exam) extra() {
	for _, n := range x.files.Notes {
		if n.Phase == "" {
			x.find(Finding{
				Position: store.Position{Path: n.Path}, Cause: "is not the file of a phase",
				Do: Leave, Why: "it may be somebody's, and nothing reads it",
			})
		}
	}
	if x.ev.Seeds == nil {
		return
	}
	for _, f := range x.files.Phases {
		if _, ok := x.seeds[f.ID]; !ok {
			x.find(Finding{
				Position: store.Position{Path: f.Path}, Phase: f.ID,
				Cause: "belongs to a phase that the plan no longer has",
				Do:    Leave, Why: "the plan may get it back, and nothing reads it",
			})
		}
	}
}

// end looks at result.json, which says what the rest says too.
func (x *exam) end(c state.Config) {
	path := x.at("result.json")
	for _, b := range x.files.Bad {
		if b.Path != path {
			continue
		}
		f := Finding{
			Position: store.Position{Path: b.Path, Line: b.Line, Col: b.Col},
			Cause:    b.Cause.Error(), Refused: true,
		}
		if left, ok := x.left(f, b.Cause); ok {
			f = left
		} else {
			f.Do, f.Why = Aside, "the next end writes it anew"
		}
		x.find(f)
	}
	if x.files.End != nil && x.files.EndedBy != c.RunID && !x.blind {
		x.find(Finding{
			Position: store.Position{Path: path}, Do: Aside, Why: "the next end writes it anew",
			Cause: "tells of run " + x.files.EndedBy + ", but config.json of run " + c.RunID,
		})
	}
}

// witnesses says where the diary and git cannot be followed.
func (x *exam) witnesses(c state.Config) {
	if n := len(x.diary.bad); n > 0 {
		f := Finding{
			Position: x.diary.bad[0].Position, Cause: x.diary.bad[0].Cause.Error(), Do: Trim,
			Why: "the program never needs the diary, and its other lines can be read",
		}
		if n > 1 {
			f.Cause += fmt.Sprintf("; %d lines are none", n)
		}
		for _, l := range x.diary.bad {
			f.lines = append(f.lines, l.Line)
		}
		x.find(f)
	}
	if x.diary.err != nil {
		f := Finding{
			Position: store.Position{Path: x.at("events.jsonl")}, Cause: x.diary.err.Error(),
			Do: Leave, Why: "the program never needs the diary", Next: "move it out of the way",
		}
		if odd, ok := errors.AsType[*store.UnusableError](x.diary.err); ok {
			f.Cause, f.Do, f.Why, f.Next, f.Refused = odd.Cause, Aside,
				"the program never needs the diary, and begins another one", "", true
		}
		x.find(f)
	}
	var ahead, unproved []string
	for _, id := range x.ids {
		f, ok := x.good[id]
		if !ok || x.changed(id) || f.ByHand {
			continue
		}
		if h, known := x.diary.says(id); known && unlike(&f.Phase, h) {
			ahead = append(ahead, f.Label)
		}
		if f.Status == state.Complete && c.Isolation == state.Worktree && !x.ev.Git {
			unproved = append(unproved, f.Label)
		}
	}
	if len(ahead) > 0 {
		x.find(Finding{
			Position: store.Position{Path: x.at("events.jsonl")}, Do: Leave,
			Why:   "the files are the truth, and the program never needs the diary",
			Cause: "tells less than the files, or otherwise, of phase " + some(ahead),
		})
	}
	if len(unproved) > 0 {
		x.find(Finding{
			Position: store.Position{Path: x.at("config.json")}, Do: Leave,
			Why: "without git's record nobody can say whether their commits are there",
			Cause: "names run " + c.RunID +
				", of which git has no record, but these phases say complete: " + some(unproved),
			Next: "bring its refs back (refs/autobuild/" + c.RunID +
				"/), or resume: what git does not have runs again",
		})
	}
}

// some names the first of many.
func some(labels []string) string {
	const most = 8
	for i := range labels {
		labels[i] = cmp.Or(labels[i], "?")
	}
	return text.JoinSome(labels, most)
}
