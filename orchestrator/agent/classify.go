package agent

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"autobuild/internal/lazyregexp"
)

// oneOf is a pattern that matches where one of the parts does, ignoring case.
func oneOf(parts ...string) *lazyregexp.Regexp {
	return lazyregexp.New(`(?i)` + strings.Join(parts, "|"))
}

// machine matches faults of the machine that an agent runs on, and of the code that it works on.
// The provider has no part in them.
var machine = oneOf(
	`\b(enospc|emfile|enfile|edquot|enomem|eio|erofs)\b`, `no space left`, `disk quota`,
	`too many open files`, `resource temporarily unavailable`, `out of memory`,
	`cannot allocate memory`, `bad_alloc`, `call stack size`,
	`\btests?\b.{0,40}\bfail`, `\bassertionerror\b`, `\bassertion .{0,20}failed\b`, // of the code that it works on
)

// ceiling matches messages about a bound on spending that a person sets, and raises.
var ceiling = oneOf(
	`spend(ing)?[ -](cap|limit)\b`, `budget (has been |was |is )?(exceeded|exhausted|spent)`,
	`(used|spent|consumed) (up )?all .{0,20}credits`, `extra usage is (required|disabled|not )`,
)

// money matches messages about missing money, which waiting does not bring.
var money = oneOf(
	`credit balance`, `billing`, `insufficient[ _-]?(quota|credit|balance|funds)`,
	`(credits?|balance|funds)\b.{0,20}(exhausted|depleted|used up|ran out|run out)`,
	`(subscription|membership|trial|your (current )?plan)\b.{0,20}\b(expired|ended|lapsed|cancell?ed)`,
	`\b(plan|package)\b.{0,20}\bhas (expired|ended|lapsed)`,
	`\b(no|add) (remaining |more |paid )?credits\b`, `\bto use\b.{0,80}\bupgrade to\b`,
	`\bnot (available|included) (with|in|on) (the|your) .{0,40}\bplan\b`,
	`\bplan\b.{0,30}\bnot\b.{0,20}\b(include|cover|allow)`, `\brecharge\b`, `payment`,
	`\bnot subscribed\b`, `\b(0|zero|no) (\w+ )?credits (left|remain)`,
	`free tier .{0,40}exhausted`, `余额不足`, `欠费`,
	`no quota`, `exceeded[ _](your[ _])?current[ _]quota`,
	`out of (free )?credits`, `requires? more credits`, `not enough (credits|balance)`,
	`account .{0,40}(suspended|in arrears)`, `arrearage`,
	`\b(add|deposit) (more )?funds\b`, `\btop[ -]?up\b`,
	`\bbalance (is |of |: ?)[$€¥]?-?0(\.0+)?\b`,
)

// provider are words that stand beside a refusal where a provider refuses, and not the system.
// A path has none of them.
const provider = `(?:^|[\s"'(])(api|account|organi[sz]ation|resource|provider|subscription|credentials?|iam|caller|forbidden|(the|this|your) (model|project|region|workspace))\b`

// settings are fields of a request that an agent's configuration sets.
const settings = `(thinking|reasoning|temperature|top_[pk]|max_|tool_choice|service_tier|verbosity|effort)[\w.]*`

// flags are command lines and configurations that a program does not take.
var flags = oneOf(
	`\b(unknown|unrecogni[sz]ed) (arguments?|keys?):`, `invalid value\b.{0,40}\bfor ['"\x60]?-`,
	`invalid value for -`, `\bcannot be used with ['"\x60]?-`, `max_(\w+_)?tokens\b.{0,80}(>|less than|at most|must be|maximum)`,
	`unsupported[ _](value|parameter)\b`, `\bno longer supported\b`,
	`\b(argument|parameter|setting|`+settings+`)s?\b[\s\S]{0,60}\bnot (supported|permitted|allowed)\b`,
	`\b`+settings+`\b[\s\S]{0,60}\binput should be\b`,
	`\b(loading|parse|reading|load) (the |default )?config`, `\bparse \S+\.(toml|json|ya?ml)\b`,
	`\bconfig(uration)?\b.{0,20}\b(is invalid|not found)`, `configinvalid`, `invalid \w+ config`,
	`(settings|config) file not found`, `\b(workspace|folder|directory) trust\b`,
	`\b(untrusted|not trusted|trust this) (workspace|folder|directory)`,
	`(folder|directory) is not trusted`,
	`\bnot available in \w+ mode`, `\bnot (yet )?(available|supported) (via|through|over) (the )?api\b`, `unsupported node\b`, `\bnode(\.js)? v?\d+\+? is required`,
	`version\b.{0,40}\bneeds an update`,
	`(unknown|unrecogni[sz]ed|unexpected|invalid|unsupported|no such) (option|argument|flag|switch)s?:?\s*['"\x60]?-`,
	`(unknown|unrecogni[sz]ed|invalid) (sub)?command\b`, `requires? node`,
	`flag provided but not defined`, `unknown (short|long)hand flag`,
)

// login is what a person has to see to: who asks, and whether that one may.
var login = oneOf(
	`\bsign(ing)? in again`, `\btoken has been (invalidated|revoked|expired)`,
	`\btoken (refresh|exchange) failed`,
	`\btoken (may be |is |was |has (been )?)?(invalid|expired|revoked)\b`,
	`\bresolve authentication\b`,
	`\b(authori[sz]ation|sign[ -]?in|log[ -]?in)\b.{0,20}\b(has )?expired\b`, `\bsign[ -]in flow\b`,
	`providerautherror`, `missing scopes?\b`, `\bsso login\b`, `locate credentials`,
	`\bllm not set\b`, `verify your account`, `\bnot eligible for\b`,
	`\bn[o']t be available in your (country|region|location)`,
	`not logged in`, `log ?in again`, `please (log|sign) ?(in|out)`, `sign in again`, `run /login`,
	`re-?authenticate`,
	`api[ _-]?key`, `\b(not |un-?)authenticated\b`,
	`authentication\b.{0,40}\b(fail\w*|required|needed|invalid|expired|missing|error|denied)\b`,
	`authentication_\w+`, `authenticationerror`,
	`(no|invalid|missing|failed|requires?|required) authentication\b`,
	`authenticat(e|ing)\b.{0,60}\b(login|log in|account|provider|with|again|first|using|via|to)\b`,
	`(must|need to|failed to|unable to|cannot|could not|please|to) authenticate\b`,
	`unauthori[sz]ed`, `not authori[sz]ed`,
	`missing environment variable`,
	`invalid .{0,20}token`,
	`(access|refresh|auth|bearer|session|security|login) ?token\b.{0,60}(expired|revoked|refreshed|not valid|invalid)`,
	`expired ?token`, `invalid[ _]grant`,
	`\b(sso|oauth|saml)\b.{0,80}\b(expired|refreshed|invalid|does not exist|fail\w*)`,
	`\bsession\b.{0,60}\bexpired\b`, `\b(set|choose|select|configure) .{0,10}\bauth`,
	`\b(no|not have|n[o'’]t have|without) .{0,10}\baccess to\b`, `accept the .{0,20}terms`,
	`\b(allow|white)[ -]?list\b`,
	`credentials?\b.{0,40}(missing|not found|invalid|expired|could not|unable)`,
	`(no|load|missing|find|invalid) .{0,20}credentials`, `unrecognizedclient`,
	`permission_(denied|error)`,
	provider+`[^/\\~\n]{0,80}\b(permission|access) ?denied`,
	`\b(permission|access) ?denied[^/\\~\n]{0,80}`+provider,
	`accessdenied(exception)?\b`, `you do not have (access|permission)`,
	`\b(countr(y|ies)|regions?|territory|location)\b.{0,40}\b(not|un)[ -]?(supported|available|allowed)`,
	`unsupported_country`, `only available in .{0,40}\b(regions?|countr(y|ies))\b`,
	`\b(organi[sz]ation|account|workspace|seat|licen[sc]e|team)\b.{0,40}\b(disabled|deactivated|banned|blocked|removed|locked|terminated|must be verified|not active|inactive|on hold|restricted)\b`,
	`\badmin(istrator)?s?\b.{0,40}\b(turned off|disabled|blocked|disallow\w*|not enabled)\b`,
	`\b(refresh|renew|get|obtain) .{0,20}\b(token|credentials?)\b`,
	`\bcertificates?\b`, `\bx509\b`, `_cert_`,
)

// model is a model that is not there, or not for this user.
var model = oneOf(
	`cannot use this model`, `no model selected`, `\brequires? a newer version\b`,
	`model: not found`, `(?m:(^|: )model: [\w./:-]+$)`, `not_found_error`,
	`models?[ _]not[ _](found|exist|supported)`, `model_gone`, `model_decommissioned`,
	`selected model\b.{0,80}(may not exist|issue)`, `issue with the selected model`,
	`models?\b.{0,120}(not found|not supported|does ?n[o'’]t exist|not exist|not support|not available|no longer available|decommissioned|deprecated|identifier is invalid)`,
	`models?\b.{0,80}\b(retired|removed|not (a )?known)\b`,
	`(unknown|invalid|no such|unsupported|not found the) model`, `not a valid model`,
	`\bnot find (the )?models?\b`, `\bno\b.{0,30}\bavailable\b.{0,60}\b(plan|polic(y|ies))\b`,
	`no endpoints found for`, `providermodelnotfound`,
	`on-demand throughput`, `\bmodels? (requires?|needs?) more\b`,
)

// wire matches what systems and libraries say of a connection that failed, whatever it was for.
var wire = oneOf(
	`\be(conn[a-z]+|timedout|timeout|notfound|ai_[a-z]+|pipe|hostunreach|netunreach|hostdown)\b`,
	`\bund_err_\w+`, `\bconnection (was )?(refused|reset)\b`, `\bno such host\b`, `\bi/o timeout\b`,
)

// signs are tried in order: the more definite reading comes first. They are looked for in the text
// of an error that ended a run and nowhere else, since prose about rate limits is no rate limit.
var signs = []sign{
	{kind: Transient, text: oneOf(`\b(sent|sending|made|making) too many (messages|requests)\b`,
		// a limit of tokens by the minute, which DashScope calls a quota
		`error-code#token-limit`)},
	{kind: ContextOverflow, text: oneOf(
		`(prompt|input|conversation|request) (is |are |was )?too (long|large)`,
		`prompt as too long`, `context[ _](window|length|limit|size)`,
		`\bcontext (is |was |has been )?(exhausted|exceeded|overflow\w*|full)\b`,
		`maximum (context|prompt)`, `contextoverflow`, `maximum number of tokens`,
		`model token limit`,
		`(input|prompt|token)s?\b.{0,60}\bexceeds? the .{0,40}(limit|maximum)`,
		`max_prompt_tokens_exceeded`, `string_above_max_length`,
		`range of input length`, `reduce the length of the (messages|prompt|input)`,
		`too many (input )?tokens: `,
		`\b(pdf|image|file|attachment|document) (is |was )?too (large|long)\b`,
		`exceeds? (the )?max(imum)? (\w+ )?length`,
		`request[ _]too[ _]large`, `payload size exceeds`, `request entity too large`,
		`exceeds the maximum (size|length)`,
		`images? .{0,40}exceeds? .{0,20}(maximum|max allowed|limit)`,
		`(maximum of \d+|too many) (\w+ )?(pages|images|documents|files|messages)\b`,
		`\bsize (is |was )?(over|above|larger)\b`,
	)},
	{kind: Transient, text: oneOf(`\bnot your usage limit\b`)}, // but that of all users
	{
		kind: Unusable,
		text: oneOf(`denied by policy settings`, `\bpolicy settings?\b.{0,40}\baccess\b`,
			`\b(organi[sz]ation|company|corporate|network|administrator)\b.{0,20}\bpolic(y|ies)\b`),
		about: AboutLogin,
	},
	{kind: Refusal, text: oneOf(
		`content[ _-]?(filter|management|policy|exists risk)`, `responsible ?ai ?policy`,
		`data_?inspection_?failed`,
		`(usage|acceptable use|safety|cyber)[ _](polic(y|ies)|guidelines)`,
		`safety (system|filters?|reasons?|settings?|classifiers?)`,
		`(prohibited|forbidden|inappropriate|unsafe|sensitive|harmful)( or \w+)?[ _]content\b`,
		`\bwithheld\b`, `violates? .{0,20}\bterms of (service|use)\b`, `sensitive personally`, `\brecitation\b`,
		`\brefusal\b`, `refused to (answer|respond|continue)`,
		`flagged (as|by|for|this|your)`, `(was|been|were) flagged`, `requires moderation`,
		`considered high risk`, `guardrail_?intervened`,
		`(blocked|rejected|stopped|denied|filtered) (by|for|due to|because of) .{0,30}(guardrails?|moderation|safety|polic(y|ies)|filters?)\b`,
		`\b(can ?n[o'’]?t|can['’]t|unable to|won['’]t|will not|not able to) (assist|help|comply|continue|proceed) with (that|this|your)( (request|task))?\b`,
		`reason\W{1,4}(safety|blocklist|spii|prohibited|image_safety)`, `block_?reason`,
		`(敏感|不安全)(内容|信息)`,
	)},
	{kind: Refusal, means: said(harm, refuse).without(identity)},
	{kind: Loop, text: oneOf(`loop detect(ed|ion)`, `(infinite|potential|doom)[ _]loop`,
		`repeated the same (tool )?call`)},
	{kind: Unusable, text: ceiling, about: AboutAccount},
	{kind: UsageLimit, text: oneOf(
		`hit your .{0,40}limit`, `usage[ _](limit|cap\b)`,
		`reached (your|its|the) .{0,40}(weekly|monthly|daily|session|spend|plan|5-hour|quota)`,
		`exhausted your (daily quota|capacity)`, `quota will reset`,
		`hit a rate limit`, `try again at \d`, `limit reached .{0,10}resets`, `limit will reset`,
		`out of extra usage`,
		`(used|consumed|spent)( up)? (all|100%) (of )?(your|the) .{0,40}(requests|usage|quota|allowance|allotment|messages|limit)`,
		`(weekly|monthly|daily|session|hourly|\d-hour|plan) .{0,20}(limit|quota|allowance) .{0,20}(reached|hit|exceeded|exhausted|used up)`,
		`\b(daily|weekly|monthly|hourly)\b.{0,40}\b(allocation|minutes|hours|messages|requests|tokens|prompts|units)\b.{0,40}\b(used up|exhausted|consumed)`,
		`next request (is )?(allowed|possible|available)`,
		`exceeded your .{0,40}(weekly|monthly|daily|premium|5-hour)`,
		`\b(quota|limit|allowance|usage|requests|credits|grant)\b.{0,20}\b(today|this (week|month))\b`,
		`(per|by)[ _-]?(model[ _-]?by[ _-]?)?(day|week|month)`, `\b[rt]pd\b`,
		`premium request allowance`, `regain access on`, `使用上限`,
	)},
	{kind: Unusable, text: money, about: AboutAccount},
	{kind: Transient, text: oneOf(`quota[ _]exceeded`)}, // of a minute
	{kind: Transient, text: oneOf(
		`overloaded`, `high demand`, `(heavy|high|peak) (load|traffic)\b`, `(at|exceeded|insufficient|out of) capacity`,
		`capacity[ _](is |was |has been )?exceeded`,
		`(temporarily|currently) .{0,20}(unavailable|not available|overloaded|limited)`,
		`service[ _]?unavailable`, `(system|server|engine|service) is (too )?busy`, `throttl`,
		`temporary failure`, `\bmodels?\b.{0,80}\b(not (yet )?ready|(still|currently) loading)\b`,
	)},
	{kind: Transient, text: wire},
	{kind: Unusable, text: login, about: AboutLogin},
	{kind: Unusable, text: model, about: AboutModel},
	{kind: Unusable, text: flags, about: AboutFlags},
	{kind: Unusable, means: said(answer, tooMuch).without(reply), about: AboutFlags},
	{kind: ContextOverflow, means: said(amount, tooMuch).without(paced)},
	{kind: UsageLimit, means: said(share, usedUp, span)},
	{kind: Unusable, means: said(purse, amiss), about: AboutAccount},
	{kind: Unusable, means: said(identity, amiss).without(limited), about: AboutLogin},
	{kind: Unusable, means: said(engine, absent).without(beside), about: AboutModel},
	{kind: Unusable, means: said(setting, amiss), about: AboutFlags},
}

// laterSigns are tried when the status has no meaning.
var laterSigns = []sign{
	{kind: Transient, text: oneOf(
		`rate.?limit`, `(frequency|concurrency|request|call) limit`, `频繁`,
		`slow(ing)? down\b`, `too (quickly|fast|frequently)\b`, `too many requests`, `toomanyrequests`,
		`too many tokens`,
		`resource[ _]?exhausted`, `\b(try|retry)\b.{0,20}\b(again|later|shortly|soon)\b`,
		`\b(having|experiencing) .{0,20}(issues|trouble|problems|difficulties)\b`,
		`\bfailed to respond\b`, `\b(not|n['’]t|failed to) (get|receive) an? (answer|response|reply)\b`,
		`internal[ _]server[ _]error`, `server[ _]error`, `internal_error`,
		`internal error (has )?(encountered|occurred)`,
		`\berror while processing (the|your) (model|request)\b`, `bad gateway`, `upstream`,
	)},
	// the way to the provider
	{kind: Transient, text: oneOf(
		`\bcode = (unavailable|aborted|deadlineexceeded|resourceexhausted)\b`,
		`err_(stream|http2|socket|ssl)\w*`,
		`\b(net::)?err_(internet|network|connection|name|address|proxy|tunnel|timed|empty)_\w+`,
		`connection (was |is )?(refused|reset|error|failed|timed out)`, `closed network`,
		`\b(socket|connection|server|peer|host|side|end|stream)\b.{0,30}\b(disconnected|closed|reset|aborted|lost|dropped)\b`,
		`broken pipe`, `no route to host`, `max retries exceeded`, `expected http`,
		`could ?n[o'’]t connect`,
		`(cannot|could not|unable to|failed to|ca ?n[o'’]t) (connect|reach)`,
		`error sending request`, `error trying to connect`,
		`fetch failed`, `network (error|is unreachable|request failed)`, `waiting for network`,
		`socket (hang ?up|connection|timeout)`,
		`(dns|tls|ssl|getaddrinfo|handshake)\b.{0,40}(error|fail|enotfound|eof)`, `no such host`,
		`could not resolve`, `\blookup \S+ on \S`, `name resolution`, `failed to lookup address`,
		`retried \d+ times`,
	)},
	// an answer that does not come, or breaks off
	{kind: Transient, text: oneOf(
		`timed[ -]?out`, `time-?out`, `deadline[ _]exceeded`, `stalled`,
		`no (data|response|events?|chunks?) (was |were )?received`,
		`premature(ly)? (close|end)`, `unexpected (eof|end of (file|stream|json input|input))`,
		`incomplete (chunked read|stream)`,
		`stream (ended|error|interrupted)`, `^terminated\b`,
		`api error: terminated`, `(request|operation) (was )?(aborted|cancell?ed)`, `goaway`,
		`empty (response|stream|reply)`, `<!doctype`, `<html`, `\btext/html\b`, `not valid json`,
		`(response|stream) (was |is )?(cut off|truncated)`,
	)},
	{kind: Transient, means: said(server, passing).without(beside)},
}

// advised is what the user is to do before the next try, which says nothing about the way to the
// provider.
var advised = lazyregexp.New(
	`(?i)\b(upgrad|updat|edit|fix|chang|correct|install|set|go back|go to|press|run|choos|select|unlock|` +
		`log|sign|switch|enabl|remov)\w*\b[^.\n]{0,80}` +
		`\btry again\b|\btry again with\b`)

// statusText finds the HTTP status in an error's text, in the places where agents put it.
var statusText = lazyregexp.New(
	`(?i)(?:^|error:? |\bstatus(?:[ _]?code)?["']?[:= ]{1,3}|\bcode["']?[:= ]{1,3}|\bhttp(?:/\d(?:\.\d)?)?[ /]?|\bretry: |\(|\[)([45]\d\d)\b`)

// maxClassified bounds the text of an error that is looked at, in bytes.
const maxClassified = 64 << 10

// Reading is the kind of the structured error with which an agent ended, by its text alone; empty
// where it is none of the kinds.
func Reading(text string) string { return classify(0, text) }

// classify reads the text of an error that ended a run: its HTTP status, 0 where that is not known,
// and its words, which may be a provider's JSON. Empty means that it is none of the kinds.
func classify(status int, text string) string {
	return read(fault{status: status, said: text}, time.Time{}).kind
}

// reading is what an error means.
type reading struct {
	kind  string
	about string    // of Unusable, as in Outcome.About
	next  time.Time // when the next try may succeed; zero: unsaid
}

// read reads the error that ended a run. An error that says when the next try may succeed is one
// that passes then, unless a login, a model or flags are at fault.
func read(f fault, now time.Time) reading {
	e := errorTextOf(cmp.Or(f.text, f.said))
	words := strings.TrimSpace(e.words.String())
	if machine.MatchString(words) {
		return reading{}
	}
	status := f.status
	if status == 0 {
		status = e.status
	}
	if status == 0 {
		status = statusIn(words)
	}
	r := reading{}
	f.early = f.early && status == 0 && !e.structured // else a provider has answered
	r.kind, r.about = kindOf(words, status, f)
	if e.code.kind != "" && e.code.kind != r.kind {
		r = e.code
	}
	if status == 0 {
		status = statusIn(f.around)
	}
	said := nextTryIn(words+"\n"+e.fields.String(), now)
	around := nextTryIn(e.headers.String()+"\n"+f.around, now)
	if r.next = said.at; !said.spoken && around.spoken || said.at.IsZero() {
		r.next = around.at
	}
	passes := false
	switch {
	case r.kind == "":
		passes = said.firm || around.firm
	case r.kind == Unusable && (r.about == AboutAccount || r.about == ""):
		passes = said.spoken
	case r.kind == Transient && status < 500:
		passes = said.spoken || around.spoken
	}
	switch {
	case !passes:
	case r.next.Sub(now) > longPause:
		r.kind = UsageLimit
	default:
		r.kind = Transient
	}
	return r
}

// statusIn is the HTTP status that a text says, or 0.
func statusIn(text string) int {
	m := statusText.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	status, _ := strconv.Atoi(m[1])
	return status
}

// longPause is the longest pause that counts as trouble on the way to a model. A longer one is a
// limit of the account.
const longPause = 15 * time.Minute

// talked are the kinds of errors that only a conversation meets.
var talked = []string{Refusal, ContextOverflow, Loop}

// kindOf is the kind of an error by its words and its status, and what it is about where that is
// known. Only text counts of prose.
func kindOf(words string, status int, f fault) (kind, about string) {
	var said []string
	if !f.prose {
		said = sentences(words)
	}
	for _, s := range signs {
		if f.early && slices.Contains(talked, s.kind) {
			continue
		}
		if s.in(words, said, status) {
			return s.kind, s.about
		}
	}
	switch {
	case status == 402:
		return Unusable, AboutAccount
	case slices.Contains([]int{401, 403, 404, 407, 410, 451, 511}, status):
		return Unusable, ""
	case status == 413 && !f.early:
		return ContextOverflow, ""
	case slices.Contains([]int{408, 409, 424, 425, 429, 498, 499}, status) || status >= 500:
		return Transient, ""
	}
	words = advised.ReplaceAllString(words, "")
	if !f.prose {
		said = sentences(words)
	}
	for _, s := range laterSigns {
		if s.in(words, said, status) {
			return s.kind, s.about
		}
	}
	return "", ""
}
