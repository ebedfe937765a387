package plan

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"autobuild/internal/text"
)

// Setting says how one phase is done: "agent=codex". It does not change what is to be done, so a
// phase with other settings has the same fingerprint.
type Setting struct {
	Name  string // one of SettingNames
	Value string
	Pos   Pos // of the name
}

// Names of settings.
const (
	SettingAgent       = "agent"
	SettingModel       = "model"
	SettingEffort      = "effort"
	SettingTimeout     = "timeout"
	SettingIdle        = "idle-timeout"
	SettingMaxCost     = "max-cost"
	SettingMaxTokens   = "max-tokens"
	SettingRetryPolicy = "retry-policy"
	SettingProof       = "proof"
	SettingReview      = "review"
	SettingRunsOn      = "runs-on" // labels of the workers that may do it, with commas
)

// SettingNames are the names that a setting can have, in the order in which screens show them.
func SettingNames() []string {
	return []string{
		SettingAgent, SettingModel, SettingEffort, SettingTimeout, SettingIdle, SettingMaxCost,
		SettingMaxTokens, SettingRetryPolicy, SettingProof, SettingReview, SettingRunsOn,
	}
}

// maxSetting bounds a value, in bytes.
const maxSetting = 200

// CheckSetting reports what is wrong with the form of a setting, and what to do; what is "" when
// nothing is. It does not check whether an agent or a policy of that name exists.
func CheckSetting(name, value string) (what, next string) {
	shown := text.Clip(value, maxQuoted)
	switch name {
	case SettingTimeout, SettingIdle:
		if d, err := time.ParseDuration(value); err != nil || d <= 0 {
			return fmt.Sprintf("%s %q is no duration", name, shown), "write for example 90s or 30m"
		}
	case SettingMaxCost:
		if usd, err := strconv.ParseFloat(value, 64); err != nil || usd <= 0 ||
			math.IsInf(usd, 0) || math.IsNaN(usd) {
			return fmt.Sprintf("%s %q is no amount of US dollars", name, shown),
				"write for example 2.50"
		}
	case SettingMaxTokens:
		if n, err := strconv.ParseInt(value, 10, 64); err != nil || n <= 0 {
			return fmt.Sprintf("%s %q is no number of tokens", name, shown),
				"write for example 200000"
		}
	case SettingAgent, SettingModel, SettingEffort, SettingRetryPolicy, SettingRunsOn:
		if value == "" || len(value) > maxSetting ||
			strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
			return fmt.Sprintf("%s %q is no name", name, shown), "write one word"
		}
	case SettingProof:
		if !slices.Contains([]string{"auto", "off", "required"}, value) {
			return fmt.Sprintf("%s %q is not known", name, shown), "write auto, off or required"
		}
	case SettingReview:
		if !slices.Contains([]string{"all", "risky", "off"}, value) {
			return fmt.Sprintf("%s %q is not known", name, shown), "write all, risky or off"
		}
	default:
		return fmt.Sprintf("unknown setting %q", text.Clip(name, maxQuoted)), nearSetting(name)
	}
	return "", ""
}

// nearSetting suggests the name that may be meant, or lists them all.
func nearSetting(name string) string {
	best, least := "", 3
	for _, known := range SettingNames() {
		if d := text.Distance(strings.ToLower(name), known, 2); d < least && d*2 <= len(known) {
			best, least = known, d
		}
	}
	if best != "" {
		return "did you mean " + best + "?"
	}
	return "known: " + strings.Join(SettingNames(), ", ")
}

// Setting is the value of a setting of the phase, "" when the plan does not state it.
func (p Phase) Setting(name string) string {
	if i := slices.IndexFunc(p.Settings, func(s Setting) bool { return s.Name == name }); i >= 0 {
		return p.Settings[i].Value
	}
	return ""
}
