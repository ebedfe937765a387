package agent

import (
	"regexp"
	"strconv"
)

// sign is a text that providers and agents use for one kind of error.
type sign struct {
	kind string
	text *regexp.Regexp
}

// money is what waiting does not bring.
var money = regexp.MustCompile(`(?i)credit balance|billing|insufficient[ _](quota|credit|balance|funds)|payment required|no quota|quota[ _]exceeded|out of credits`)

// signs are tried in order: the more definite reading comes first. They are looked for in the text of an error that ended
// a run and nowhere else, since prose about rate limits is no rate limit.
var signs = []sign{
	{ContextOverflow, regexp.MustCompile(`(?i)prompt is too long|prompt as too long|context[ _](window|length)|maximum context|contextoverflow|input is too long|maximum number of tokens`)},
	{UsageLimit, regexp.MustCompile(`(?i)hit your .{0,40}limit|usage[ _]limit|exhausted your (daily quota|capacity)|quota will reset|hit a rate limit|try again at \d|limit reached .{0,10}resets`)},
	{Transient, regexp.MustCompile(`(?i)retry in \d`)}, // said of a minute's quota together with words about billing
	{Unusable, money},
	{Unusable, regexp.MustCompile(`(?i)not logged in|log ?in again|please (log|sign) ?in|run /login|api[ _]key|authenticat|unauthori[sz]ed|missing environment variable|invalid .{0,20}token|permission_denied`)},
	{Unusable, regexp.MustCompile(`(?i)model: not found|selected model\b.{0,80}(may not exist|issue)|issue with the selected model|model .{0,120}(not found|not supported|does not exist|not available)|unknown model|model_not_found`)},
}

// laterSigns are tried when the status says nothing.
var laterSigns = []sign{
	{Transient, regexp.MustCompile(`(?i)rate.?limit|too many requests|overloaded|high demand|at capacity|service unavailable|internal server error|server error`)},
	{Transient, regexp.MustCompile(`\bE(CONN[A-Z]+|TIMEDOUT|NOTFOUND|AI_AGAIN|PIPE|HOSTUNREACH|NETUNREACH)\b|(?i:connection (refused|reset|dropped|error|closed|failed|lost|timed out)|could ?n.t connect|(cannot|could not|unable to) connect|fetch failed|stream disconnected|socket (hang up|connection)|^terminated$|api error: terminated|network error|waiting for network|retried \d+ times)`)},
}

// statusText finds the HTTP status in an error's text, in the places where agents put it.
var statusText = regexp.MustCompile(`(?i)(?:^|error: |status:? |status code |http[ /]|"code": ?|\()([45]\d\d)\b`)

// Reading is the kind of the structured error with which an agent ended, by its text alone; empty where it is none of the kinds.
func Reading(text string) string { return classify(0, text) }

// classify reads the text of an error that ended a run. Empty means that it is none of the kinds.
func classify(status int, text string) string {
	if len(text) > 64<<10 {
		text = text[:64<<10]
	}
	if status == 0 {
		if m := statusText.FindStringSubmatch(text); m != nil {
			status, _ = strconv.Atoi(m[1])
		}
	}
	for _, s := range signs {
		if s.kind == Unusable && status == 429 && !money.MatchString(text) {
			continue // who limits requests may well speak of keys and logins: then the status is the better witness
		}
		if s.text.MatchString(text) {
			return s.kind
		}
	}
	switch {
	case status == 401 || status == 402 || status == 403 || status == 404:
		return Unusable
	case status == 413:
		return ContextOverflow
	case status == 408 || status == 429 || status >= 500:
		return Transient
	case status >= 400:
		return ""
	}
	for _, s := range laterSigns {
		if s.text.MatchString(text) {
			return s.kind
		}
	}
	return ""
}
