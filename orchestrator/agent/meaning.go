package agent

import (
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
)

// sign is how providers and agents say one kind of error: in a text, or with words of a meaning.
type sign struct {
	kind  string
	text  *lazyregexp.Regexp // nil: means
	about string             // of Unusable: what a person has to see to, as in Outcome.About
	means *meaning
}

// in reports whether the words of an error have the sign, where its status lets them count: a
// server in trouble says many things.
func (s sign) in(words string, sentences []string, status int) bool {
	switch {
	case s.kind == Unusable && status == 429 && s.about != AboutAccount:
		// a limit of requests may mention keys and logins: then the status is the better witness
		return false
	case s.kind == ContextOverflow && status == 402: // what is left to pay with, in tokens
		return false
	case s.means == nil:
		return s.text.MatchString(words)
	case status >= 500, status == 408, status == 425, status == 499,
		status == 429 && s.kind != UsageLimit && s.about == "",
		status >= 400 && s.kind == Transient: // the request is at fault
		return false
	}
	return s.means.in(sentences)
}

// meaning is a combination of words in one sentence: a word of each class in has, and none of not.
// Providers change their sentences; the words in them stay few.
type meaning struct {
	has []*lazyregexp.Regexp
	not *lazyregexp.Regexp // nil: no class
}

// said is the meaning of one word of each class.
func said(has ...*lazyregexp.Regexp) *meaning { return &meaning{has: has} }

// without is the meaning in sentences that have no word of the class.
func (m *meaning) without(not *lazyregexp.Regexp) *meaning { return &meaning{m.has, not} }

// class is a class of words: each field is the beginning of one, a whole one where "." ends it.
// "_" stands between words.
func class(lists ...string) *lazyregexp.Regexp {
	var parts []string
	for _, stem := range strings.Fields(strings.Join(lists, " ")) {
		if stem[0] < 0x80 { // others are of languages without spaces between words
			stem = `\b` + strings.ReplaceAll(stem, "_", `[\s-]`)
		}
		if whole, ok := strings.CutSuffix(stem, "."); ok {
			stem = whole + `\b`
		}
		parts = append(parts, stem)
	}
	return oneOf(parts...)
}

// no are the beginnings of words that deny.
const no = ` not_(yet_|been_|be_|a_)*\w+(ed|en|able|ible|id).
		not_(set|found|support|exist|have|allow|
	accept|match|know|recogni|on|in).
		\w+n['’]t_(be_)?(\w+_)?(\w+ed|have|match|support|accept|allow|exist|
	work|include|valid|available|found|recogni). can_?not_(be|use|find|verify|read|load|open|access) `

// The classes.
var (
	harm = class(`harm safety unsafe misus abus violen weapon bio cyber malware exploit self-harm
		sexual hate moderat classifiers?. guardrail restricted_(topic|content)
		(content|usage|use)_polic (content|usage|publisher)_(guideline|rule) sensitive disallowed
		recitation copyright dangerous illegal terms_of 敏感 违规 不安全 不当 风险`)
	refuse = class(`flag(ged|s)?. block stopp paus declin refus reject restrict filter withheld
		withhold violat
		breach can_?not can['’]t unable not_able won['’]t halt trigger interven terminat against
		finish denied suppress mask redact 拦截 拒绝 无法 包含`)

	amount = class(`tokens?. prompt inputs?. context conversation messages?. payload body. image
		document attachment results?. window history transcript thread size. length characters pages
		chat. requests?. 长度 上下文 输入`)
	tooMuch = class(`too_(long|large|big|many|much) exceed over. overflow above beyond longer larger
		bigger greater more_than fits?. shorten maximum full. compact trim 超过 超出 过长`)
	// the bound of an answer, as a field of the request sets it
	answer = class(`max_(\w+_)?tokens. completion_length max_completion max_output`)
	// an answer that reached its bound
	reply = class(`response reply answer finish stop`)
	// a pace of requests, the time that one takes, or what is no input
	paced = class(`per. rates?. minute hour day dai week month quota plan. usage concurren queue took
		seconds?. time[d-]*_?out credit allow connect capacity retries headers?. output completion max_tokens free premium
		budget spen[dt] traffic throttl too_many_requests requests?_limit 频率 速率`)

	share = class(`limit quota allow?ance allotment allocation usage. cap. credits?. requests?. package
		messages?. tokens?. minutes prompts grant units?. interactions?. 额度 配额 限额 次数
		上限`)
	usedUp = class(`used_up. used_(all|the_whole) exhaust reach hit. exceed consum spent deplet gone.
		r[au]n_out out_of none_left maxed no_(more|remaining) 0_(of|left) turned_away 用完 用尽 耗尽
		达到
		已达`)
	span = class(`today tomorrow (dai|week|month|hour)ly day. week month hours?. cycle period session
		window free_tier 今日 今天 明天 每日 本月 本周 小时`)

	purse = class(`credits?. balance billing payment funds?. invoice wallet prepaid subscription
		(paid|pro|plus|free|starter|team)_plan trial purchase overage 余额 账单 套餐`)
	identity = class(`logg?(ed|ing)?_?(in|out). logins?. sign(ed|ing)?_?(in|out|ins|on). auth. authn.
		authent authori[sz]ation oauth sso. saml credential keychain keyring key_?store
		(api|access|secret|private|public)_?(keys?|network|access). pairing
		(access|refresh|id|bearer|session|auth|api|security)_?tokens?. certificat trust_store ca.
		hostname scopes?. terms. (the|your|this)_token.
		 device_(code|auth|flow)
		admin owners?. enterprise organi[sz]ation tenant licen[cs]e seats?. account. consent
		entitle(d|ment) region. countr territor passphrase password
		(cloud|gcp|google|aws|azure)_(project|profile) two-?_?factor mfa. browse website
		密钥 令牌 登录 认证 身份 鉴权 账号 账户`)
	setting = class(`schema flags?. options?. command[-_]line temperature top_[pk]. tool_choice effort.
		service_tier beta_header env(ironment)?_var env. sandbox bwrap bubblewrap landlock seccomp
		namespace`)
	// what only a person's change ends
	amiss = class(no, `invalid missing expir lock disabl den(y|ied) block discontinu unset revok requir
		forbid prohibit fail turned_off turn_(it_)?on no_longer wrong malformed incorrect reject
		withdraw ended. remov suspend deactivat needs?. must. unknown without switch_to run_[/\x60'"]
		unable lapsed unverified time[d-]*_?out no_permission cancel declin unsupported unrecogni
		mismatch incompatib deprecat limited_ exhaust deplet used_up r[au]n_out insufficient zero. 0.
		no_ low. lack overdue unpaid past_due negative below out_of at_least pending lacks?. over. wants?.
		restrict reassign renew accept updated 为零 无效 过期 失败 错误 失效
		禁用 冻结 停用 注销 吊销 不足 欠 用完 到期`)
	// a pace of requests, which no login changes
	limited = class(`rate_?limit too_(many|fast|quickly) per_(minute|second) concurren overload busy`)

	engine = class(`models?. deployments?. engines?. inference_profile checkpoint 模型`)
	absent = class(`not_(support|allow|avail|found|exist|valid|enabled|recogni|known|offered|served)
		n['’]t_(\w+_)?(support|exist|available|recogni|offer|served) can_?not_be_(used|found|served)
		unknown unsupported invalid_(model|id) retired no_longer deprecat shut_down sunset gone.
		end_of_(life|support) no_(such_)?(model|deployment|engine) (different|another)_model unrecogni
		discontinu removed withdrawn (requires?|needs?)_(more|a_newer) misspel
		insufficient_(\w+_)?(resource|memory) 不存在 不支持
		下线`)

	server = class(`server service model provider gateway upstream backend endpoint host. proxy connect
		socket stream network requests?. response cluster worker runner replica capacity traffic system
		region. tls ssl http dns inference engine gpu channel websocket handshake transport write. read.
		服务 系统 请求 模型`)
	passing = class(`busy unavailable overload throttl
		(scal|load|start|warm|restart|deploy|provision)(ed|ing) draining temporar moment constrain
		saturat congest maintenance outage degrad down. died crash trouble unreachable again. later.
		shortly eproto interrupt dropped lost reset. closed broken refused time[d-]*_?out slow too_many
		rate_?limit queue limit(ing|ed) incident disconnect hung abort incomplete truncat
		no_(answer|response|reply|data|healthy|capacity) peak at_capacity (not|n['’]t|stopped)_respond
		繁忙 过载 超时 稍后 限流 频率 速率`)
	// programs beside the agent, which are no way to a model
	beside = class(`subprocess child_process mcp. model_context_protocol plugin extension hook.
		command.
		tool. function_call language_server lsp. exit(ed)?_(with|code) database`)
)

var (
	// where a sentence ends
	sentenceEnd = lazyregexp.New(`[\n;!?。；！|]+|[.·∙](?:\s+|$)`)
	tag         = lazyregexp.New(`<[^<>]{1,300}>`)
	// names of places, whose words mean nothing
	place = lazyregexp.New(`\S*[\w.~-]/[\w.~-]\S*|[\s'"(]~?/\w\S*|\b\w+://\S+`)
	// an error of a program's own, in the words of its language or of the system
	bug = oneOf(`\b(type|reference|range|attribute|name|index|key|value)error\b`, `\bpanic(ked)?\b`,
		`\b(enoent|eacces|eperm|enotdir|eexist|eisdir)\b`, `\bcommand failed\b`,
		`\bcannot find module\b`, `\bundefined (reference|symbol|method)`, `\bcore dumped\b`,
		`\bsegmentation fault\b`, `\bno such file\b`, `\bnull pointer\b`)
)

// maxSentence bounds a sentence, in bytes: what is longer is what a request or a model said.
const maxSentence = 600

// sentences are those of an error in which words have a meaning, with names such as
// ContextWindowExceeded or context_window_exceeded as words.
func sentences(text string) []string {
	if bug.MatchString(text) {
		return nil
	}
	text = tag.ReplaceAllString(text[:min(len(text), maxWords)], "\n")
	text = place.ReplaceAllString(text, " ")
	text = strings.ReplaceAll(hump.ReplaceAllString(text, "$1 $2"), "_", " ")
	var all []string
	for _, s := range sentenceEnd.Split(text, -1) {
		if s = strings.TrimSpace(s); s != "" && len(s) <= maxSentence {
			all = append(all, s)
		}
	}
	return all
}

// in reports whether one of the sentences has the meaning.
func (m *meaning) in(said []string) bool {
	return slices.ContainsFunc(said, func(s string) bool {
		for _, c := range m.has {
			if !c.MatchString(s) {
				return false
			}
		}
		return m.not == nil || !m.not.MatchString(s)
	})
}
