package markdown_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"autobuild/plan"
	"autobuild/plan/markdown"
)

// settled is a plan of two phases whose second holds a line.
func settled(line string) string {
	return "# P\n\n## Phase 1: One\n\n- [ ] a\n\n## Phase 2A: Two\n\nWords.\n" + line + "\n- [ ] b\n"
}

// Settings are read in every form in which other labels are.
func TestSettings(t *testing.T) {
	for name, line := range map[string]string{
		"bold":          "\n**Autobuild:** agent=codex model=gpt-5.1 timeout=30m\n",
		"bold, outside": "\n**Autobuild**: agent=codex, model=gpt-5.1, timeout=30m\n",
		"bare":          "\nAutobuild: agent=codex; model=gpt-5.1; timeout=30m\n",
		"item":          "\n- Autobuild: agent=codex model=gpt-5.1 timeout=30m",
		"bold item":     "\n- **Autobuild:** agent=codex model=gpt-5.1 timeout=30m",
		"code":          "\n**Autobuild:** `agent=codex model=gpt-5.1 timeout=30m`\n",
		"beside others": "\n**Depends on:** 1 | **Autobuild:** agent=codex model=gpt-5.1 timeout=30m\n",
	} {
		t.Run(name, func(t *testing.T) {
			text := settled(line)
			p := parse(t, "plan.md", []byte(text))
			got := ""
			for _, s := range p.At(1).Settings {
				got += s.Name + "=" + s.Value + " "
				if at := strings.Split(text, "\n")[s.Pos.Line-1][s.Pos.Col-1:]; !strings.HasPrefix(at, s.Name+"="+s.Value) {
					t.Errorf("the place of %s shows %q", s.Name, at)
				}
			}
			if got != "agent=codex model=gpt-5.1 timeout=30m " {
				t.Errorf("%q", got)
			}
			if len(p.At(0).Settings) != 0 || p.At(1).Setting("model") != "gpt-5.1" || p.At(1).Setting("effort") != "" {
				t.Errorf("phase 1 has %v, phase 2A %v", p.At(0).Settings, p.At(1).Settings)
			}
			if len(p.At(1).Tasks) != 1 || len(p.Notes.Warnings()) > 0 {
				t.Errorf("%s", dump(p))
			}
		})
	}
}

// How a phase is done is no part of what it is: a complete phase stays complete when its settings
// change.
func TestSettingsDoNotChangeThePhase(t *testing.T) {
	without := parse(t, "plan.md", []byte(settled(""))).At(1).Fingerprint
	for _, line := range []string{
		"\n**Autobuild:** agent=codex\n",
		"\n**Autobuild:** agent=claude timeout=1h\n",
		"\n- Autobuild: agent=codex",
		"Autobuild: agent=codex\n",
	} {
		if got := parse(t, "plan.md", []byte(settled(line))).At(1).Fingerprint; got != without {
			t.Errorf("%q makes another phase", line)
		}
	}
	if parse(t, "plan.md", []byte(settled("\nOther words.\n"))).At(1).Fingerprint == without {
		t.Error("other words make no other phase")
	}
}

// What cannot be meant is refused, with its place.
func TestBadSettings(t *testing.T) {
	for value, want := range map[string]string{
		"agnet=codex":                  `E-SETTING 11:16 unknown setting "agnet" (did you mean agent?)`,
		"colour=red":                   `E-SETTING 11:16 unknown setting "colour" (known: agent, model, effort, timeout, idle-timeout, max-cost, max-tokens, retry-policy, proof, review, runs-on)`,
		"agent=codex timeout=soon":     `E-SETTING 11:28 timeout "soon" is no duration (write for example 90s or 30m)`,
		"agent=codex agent=claude":     `E-SETTING 11:28 phase 2A sets agent twice (keep one of them)`,
		"max-tokens=many":              `E-SETTING 11:16 max-tokens "many" is no number of tokens (write for example 200000)`,
		"max-cost=-1":                  `E-SETTING 11:16 max-cost "-1" is no amount of US dollars (write for example 2.50)`,
		"agent=codex quickly":          `E-SETTING 11:28 "quickly" is no setting (write name=value)`,
		"model=":                       `E-SETTING 11:16 model "" is no name (write one word)`,
		"this phase needs a good plan": `W-SETTING 11:16 the line Autobuild of phase 2A sets nothing (write settings as name=value, for example agent=codex timeout=30m)`,
	} {
		p, err := markdown.Parse("plan.md", []byte(settled("\n**Autobuild:** "+value+"\n")), markdown.Options{})
		found, _ := errors.AsType[plan.Problems](err)
		found = slices.DeleteFunc(found, func(f plan.Problem) bool { return f.Severity == plan.Info })
		if p != nil {
			found = p.Notes.Warnings()
		}
		if len(found) != 1 {
			t.Errorf("%s: %v", value, found)
			continue
		}
		f := found[0]
		if got := fmt.Sprintf("%s %d:%d %s (%s)", f.Code, f.Pos.Line, f.Pos.Col, f.Message, f.Hint); got != want {
			t.Errorf("%s:\n got %s\nwant %s", value, got, want)
		}
	}
}

// A line Review sets the setting of that name where it has one of its words, and changes nothing of
// the phase. Any other is the author's own.
func TestReviewSetting(t *testing.T) {
	without := parse(t, "plan.md", []byte(settled(""))).At(1)
	for line, want := range map[string]string{
		"\n**Review:** risky\n":                            "risky",
		"\n- Review: `off`":                                "off",
		"\n**Review:** All\n":                              "all",
		"\n**Autobuild:** review=all\n\n**Review:** off\n": "all",
		"\n**Review:** by Ann, once it works\n":            "",
	} {
		p := parse(t, "plan.md", []byte(settled(line))).At(1)
		if got := p.Setting(plan.SettingReview); got != want {
			t.Errorf("%q: review is %q, want %q", line, got, want)
		}
		if want != "" && p.Fingerprint != without.Fingerprint {
			t.Errorf("%q changes the phase", line)
		}
	}
}
