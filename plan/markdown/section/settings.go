package section

import (
	"fmt"
	"slices"
	"strings"

	"autobuild/plan"
	"autobuild/plan/markdown/document"
)

// SettingsLabel begins the line that says how a phase is done: "**Autobuild:** agent=codex
// timeout=30m".
const SettingsLabel = "autobuild"

// reviewLabel begins a line that sets plan.SettingReview alone: "**Review:** risky". Lines of other
// values are the author's own.
const reviewLabel = "review"

// settings reads such a line. Its words are name=value, apart by blanks or commas, in back-ticks or
// not.
func (u *Unit) settings(d *document.Document, l document.Label) {
	if l.Name == reviewLabel {
		u.review(d, l)
		return
	}
	if l.Name != SettingsLabel {
		return
	}
	u.directives = append(u.directives, l)
	report := func(code string, severity plan.Severity, at, width int, message, hint string) {
		pos := d.Pos(l.Offset + at)
		d.Found = append(d.Found, plan.Problem{
			Code: code, Severity: severity, Pos: pos, Width: width, Line: d.Line(pos.Line),
			Message: message, Hint: hint,
		})
	}
	if !strings.Contains(l.Value, "=") {
		report("W-SETTING", plan.Warning, 0, len(l.Value),
			fmt.Sprintf("the line Autobuild of phase %s sets nothing", u.Label),
			"write settings as name=value, for example agent=codex timeout=30m")
		return
	}
	for at, word := range SettingWords(l.Value) {
		name, value, paired := strings.Cut(word, "=")
		if !paired {
			report("E-SETTING", plan.Error, at, len(word), fmt.Sprintf("%q is no setting", word),
				"write name=value")
			continue
		}
		if what, next := plan.CheckSetting(name, value); what != "" {
			report("E-SETTING", plan.Error, at, len(word), what, next)
			continue
		}
		if slices.ContainsFunc(u.Settings, func(s plan.Setting) bool { return s.Name == name }) {
			report("E-SETTING", plan.Error, at, len(word),
				fmt.Sprintf("phase %s sets %s twice", u.Label, name), "keep one of them")
			continue
		}
		u.Settings = append(u.Settings,
			plan.Setting{Name: name, Value: value, Pos: d.Pos(l.Offset + at)})
	}
}

// review reads a line that sets plan.SettingReview alone. A line of settings comes before it.
func (u *Unit) review(d *document.Document, l document.Label) {
	value := strings.ToLower(strings.Trim(l.Value, " `*_."))
	if what, _ := plan.CheckSetting(plan.SettingReview, value); what != "" {
		return
	}
	u.directives = append(u.directives, l)
	if u.setting(plan.SettingReview) == "" {
		u.Settings = append(u.Settings,
			plan.Setting{Name: plan.SettingReview, Value: value, Pos: d.Pos(l.Offset)})
	}
}

// setting is the value of a setting that was read before; empty: it was not.
func (u *Unit) setting(name string) string { return plan.Phase{Settings: u.Settings}.Setting(name) }

// SettingWords yields the words of a line of settings with their offsets.
func SettingWords(s string) func(yield func(int, string) bool) {
	apart := func(r rune) bool { return strings.ContainsRune(" \t,;|`", r) }
	return func(yield func(int, string) bool) {
		for at := 0; at < len(s); {
			word := s[at:]
			if end := strings.IndexFunc(word, apart); end >= 0 {
				word = word[:end]
			}
			if word != "" && !yield(at, word) {
				return
			}
			at += len(word) + 1
		}
	}
}

// withoutDirectives cuts lines of settings out of the meaning of a phase, so that a changed setting
// leaves the fingerprint as it was. A paragraph of settings goes with the blank line below it.
func (u *Unit) withoutDirectives(base int, text string, cuts []document.Edit) []document.Edit {
	for _, l := range u.directives {
		from := strings.LastIndexByte(text[:min(max(l.Offset-base, 0), len(text))], '\n') + 1
		to := len(text)
		if end := strings.IndexByte(text[from:], '\n'); end >= 0 {
			to = from + end + 1
		}
		if lead := strings.TrimLeft(text[from:to],
			" \t-*+_>"); !strings.HasPrefix(strings.ToLower(lead), SettingsLabel) &&
			!strings.HasPrefix(strings.ToLower(lead), reviewLabel) {
			from, to = l.Offset-base, l.Offset-base+len(l.Value) // it shares its line with others
			if from < 0 || to > len(text) {
				continue
			}
		} else if above := strings.TrimRight(text[:from], " \t"); strings.HasSuffix(above,
			"\n\n") ||
			above == "" || above == "\n" {
			if end := strings.IndexByte(text[to:], '\n'); end >= 0 &&
				strings.TrimSpace(text[to:to+end]) == "" {
				to += end + 1
			}
		}
		cuts = append(cuts, document.Edit{From: from, To: to})
	}
	return cuts
}
