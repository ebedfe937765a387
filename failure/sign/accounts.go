package sign

import "autobuild/failure"

// accounts are signs in what an agent reports of its own failure, the first four in the order of
// the questions of error-classification.
var accounts = []Sign{
	{
		Name: ReportsFailure, In: Account, Category: failure.Execution,
		Example: "the build failed with exit code 2",
		words: either(`(?i)`,
			`exit(?:s|ed)?(?: with)?(?: code| status)? [1-9]`, `non-?zero`,
			`tests? (?:are |is )?(?:still )?fail`, `failing tests?`, `assertion`,
			`(?:build|compil\w+|lint\w*|type ?check\w*|format\w*|script|command|git \w+) `+
				`(?:error|fail|stopped)`,
			`does(?:n't| not) (?:compile|build)`,
			`(?:no longer|fails? to) (?:compile|build|start|run)`,
			`could(?:n't| not) (?:be )?(?:compiled?|buil[dt])`, `merge conflict`,
			`push (?:was )?rejected`, `\b(?:Syntax|Type|Reference|Value|Runtime)Error\b`,
			`\bpanic:`,
			`traceback`,
		),
	},
	{
		Name: UnexpectedResult, In: Account, Category: failure.UnexpectedResult,
		Example: "the file has the wrong format",
		words: either(`(?i)`,
			`(?:wrong|unexpected|invalid|different) (?:format|structure|encoding|output|result|`+
				`size|shape|schema|content)`,
			`(?:missing|lacks?|omits?|without) (?:(?:the|a|an|its|required|expected|[A-Z][\w-]*) `+
				`)*(?:sections?|fields?|columns?|headings?|headers?|entries|chapters?)\b`,
			`\b(?:written|saved|created|encoded|formatted|generated|produced|returned|exported|`+
				`rendered)\b.{0,40}\b(?:instead of|rather than)\b`,
			`\b\d+ \w+ .{0,30}\b(?:expects?|expected|requires?|required|asks? for)\b.{0,20}\b\d`,
			`counts? (?:do(?:es)?(?:n't| not)) match`,
			`expected \d+ .{0,40}\b(?:got|found|received|but)\b`, `(?:are|is) absent from`,
			`(?:above|below|beyond|exceeds?|over|under) the .{0,40}\b(?:allow|expect|permit|`+
				`specif)`,
			`out of (?:the )?(?:expected )?range`, `validation (?:criteria|checks?)`,
			`(?:criteria|acceptance)\b.{0,40}\bnot (?:been )?met`,
			`does(?:n't| not) match (?:the )?(?:spec|expect|schema)`, `differs? from (?:what|the)`,
			`stale`, `race condition`,
		),
	},
	{
		Name: Misalignment, In: Account, Category: failure.Misalignment,
		Example: "skipped some steps",
		words: either(`(?i)`,
			`contradict\w* (?:the |an? |its )?(?:explicit |prompt'?s? )?instruction`,
			`against (?:the )?(?:explicit )?instructions?`,
			`skipp\w+ (?:a |the |some |required |specified )*(?:steps?|tasks?|verification)`,
			`drift\w* from`, `fabricat`, `confabulat`, `hallucinat`, `invented`,
			`(?:terminat|stopp|end)\w* (?:early|prematurely|before)`,
			`not (?:present )?in the source`,
			`over-?escalat`, `incomplete verification`, `did (?:not|n't) verify`,
			`out of (?:the )?context window`,
		),
	},
	{
		Name: Unclear, In: Account, Category: failure.Ambiguity,
		Example: "the plan is ambiguous",
		words: either(`(?i)`,
			`ambigu`, `unclear`, `not clear`, `underspecified`, `under-specified`,
			`(?:multiple|several|two|more than one)(?: valid| possible| different)?`+
				` (?:interpretations?|approaches|meanings|readings|ways)`,
			`conflicting (?:requirements?|instructions?|information)`,
			`contradictory (?:requirements?|instructions?)`,
			`(?:requirements?|instructions?|criteria|plan|spec\w*|steps?|phase|task) `+
				`.{0,40}\b(?:conflict|contradict|insufficient|incomplete|silent|vague)`,
			`(?:plan|spec\w*|phase|task|step|requirements?) (?:do(?:es)?(?:n't| not)) (?:say|`+
				`specify|state|define|mention|tell)`,
			`not (?:specified|defined|stated)`,
			`insufficient (?:context|information|requirements?|spec\w*)`,
			`needs? (?:a )?(?:clarification|decision)`,
			`which (?:one|of|approach|option)\b.{0,80}\?`,
			`unknown recovery`, `plan is silent`,
			`(?:cannot|can't|could not|couldn't|(?:un|not )able to) (?:determine|decide|tell) `+
				`(?:which|what|whether|how|if)`,
			`\b(?:cannot|can't) (?:determine|decide)`, `\bdisagree\b`,
		),
	},
	{
		Name: Stale, In: Account, Passes: true,
		Example: "the cache was not cleared",
		words: either(`(?i)`,
			`stale`, `out-?of-?date cache`,
			`\bcache\b.{0,40}\b(?:old|outdated|not (?:been )?(?:cleared|updated|invalidated))`,
			`race condition`, `\braces?\b`, `timing`,
		),
	},
	{
		Name: Undecided, In: Account,
		Example: "I guessed the tax rate; do not merge",
		words: either(`(?i)`,
			`\b(?:guess\w*|assum\w*|presum\w*|made (?:it |one |that |this |them )?up|made-up|`+
				`invent\w*|placeholders?|arbitrar\w*|my best|at random)\b`,
			`\b(?:do not|don't|must not|should not|shouldn't|cannot|can't|never|not to) (?:be )?`+
				`(?:merged?|land(?:ed)?|ship(?:ped)?|deploy(?:ed)?|releas\w+|publish\w*|`+
				`commit(?:ted)?|accept(?:ed)?|trust\w*|rel(?:y|ied))\b`,
			`\bnot (?:be )?ready\b`,
			`\b(?:not|never|n't|nowhere|isn't) (?:\w+ )?(?:given|specif\w+|defin\w+|stat\w+|`+
				`provid\w+|document\w*|clear|known|decided|settled|agreed|mention\w*|said|sa(?:y|id)|`+
				`describ\w+|tell|listed)\b`,
			`\b(?:unclear|ambigu\w*|under-?specified|unspecified|undocumented|vague|unknown|tbd|`+
				`to be (?:decided|defined|determined))\b`,
			`\b(?:decisions?|decid\w+|clarif\w+|confirm\w*|approv\w+|sign[- ]?off|consent|`+
				`permission from|instructions?)\b`,
			`\b(?:requirements?|spec|specification|criteria|acceptance|plan)\b`,
			`\bwhich (?:of|one|rate|value|version|approach|option|format|way)\b`, `\bwhether\b`,
			`\bshould (?:i|we|it|this|that|the)\b`, `\b(?:what|how) (?:is|are|should|to)\b`, `\?`,
			`\b(?:contradict\w*|conflict\w*|inconsistent|disagree\w*|two (?:readings|`+
				`interpretations|meanings|ways)|either)\b`,
			`\b(?:missing|lacks?|lacking|no) (?:\w+ )?(?:information|input|detail|value|rate|`+
				`answer|context|definition|decision|example|number|figure)s?\b`,
			`\b(?:product|legal|business) (?:owner|team|question|decision|call)\b`,
			`\b(?:a|some) (?:person|human)\b`,
			`\b(?:someone|somebody|anyone|you) (?:must|should|has to|have to|need|needs|to)\b`,
			`\bneeds? (?:a|an|your|human|someone|somebody)\b`, `\bask(?:ing|ed)?\b`,
			`\bwait(?:s|ing)? for\b`,
		),
	},
	{
		Name: Doubt, In: Account,
		Example: "one function is a stub",
		words: either(`(?i)`,
			`\b(?:not|n't|never|hardly|barely) (?:\w+ )?(?:work\w*|done|complete\w*|implement\w*|`+
				`finish\w*|correct\w*|tested|cover\w*|verif\w*|safe|enough|reach\w*|possible|fail\w*|`+
				`meet|met)\b`,
			`\b(?:incomplete|unfinished|partial\w*|half|skipp\w*|left out|todo|fixme|stub\w*|`+
				`dummy|fake\w*|hard-?cod\w*|workaround|hack\w*|wrong|incorrect|bug|loses?|lost|`+
				`data loss|corrupt\w*|unsafe|insecure|security|vulnerab\w*|risk\w*|danger\w*|unsure|`+
				`uncertain|doubt\w*|suspect\w*|maybe|perhaps|credentials?|passwords?|secrets?|`+
				`tokens?|api keys?|accounts?|licen[cs]e\w*|network|manual\w*|weaken\w*|delet\w*|`+
				`disabl\w*|commented out)\b`,
			`\bno (?:failing |failed |broken )?(?:tests?|lint|type|errors?|failures?)\b`,
			`\bwithout (?:a |any )?(?:failing|failed|failures?|errors?|tests?)\b`,
		),
	},
}

// sentences are signs in one sentence of such a report.
var sentences = []Sign{
	{
		Name: SaysFails, In: Sentence,
		Example: "two tests fail",
		words: either(`(?i)`,
			`\b(?:fail\w*|errors?|errored|red|broken|breaks?|crash\w*|panic\w*|hangs?|flaky|`+
				`violations?|complain\w*|timed? ?out|exit(?:s|ed)?(?: with)?(?: code| status)?`+
				` [1-9]\d*|non-?zero)\b`,
			`(?:\bnot|n't|\bnever|\bno longer) (?:yet )?(?:\w+ )?(?:pass\w*|green|compil\w+|`+
				`build|clean)\b`,
			`\b(?:cannot|could not|couldn't|unable to) (?:get|make) .{1,60}\b(?:pass|green|`+
				`compile|build)\b`,
		),
	},
	{
		Name: SaysPasses, In: Sentence,
		Example: "all other tests pass",
		words: either(`(?i)`,
			`\b(?:tests?|checks?|gates?|suite|everything|lint\w*|build|all)\b[^.]{0,30}\b(?:pass|`+
				`passes|passed|passing|green|succeed\w*|clean)\b`,
		),
	},
	{
		Name: Printed, In: Sentence,
		Example: "FAIL src/cart.test.ts",
		words: either(`(?i)`,
			`^(?:-+ ?)?(?:FAIL|FAILED|ERROR|PASS|ok|not ok)\b`,
			`\b(?:expected|want(?:ed)?)\b.+\b(?:got|received|but|actual|to (?:equal|be))\b`,
			`\bexit (?:code|status) \d+\b`, `^\S+:\d+(?::\d+)?:? `,
		),
	},
	{
		Name: Harmless, In: Sentence,
		Example: "all tasks are done",
		words: either(`(?i)`,
			`^(?:(?:all|every|the|my|other|its)\b ?)*(?:tasks?|work|code|implementation|changes?|`+
				`phase|rest|boxes|steps?)\b.{0,20}\b(?:is|are|was|were|has been|`+
				`have been)\b.{0,12}\b(?:done|complete[d]?|finished|in place|written|implemented|`+
				`ticked)$`,
			`^(?:please )?(?:see|read|look at)\b.{0,30}\b(?:log|output|above|below)s?$`,
			`^(?:please )?(?:retry|try again|re-?run)\b.{0,20}$`,
			`^(?:i )?(?:ran|run|running) out of (?:time|turns|attempts)\b.{0,30}$`,
			`^(?:so )?(?:i )?(?:gave|giving|give) up\b.{0,20}$`,
			`^i (?:tried|could not|couldn't|cannot|can't|was unable to|`+
				`did not manage to)\b.{0,30}\b(?:fix|find|see|repair|debug|explain|`+
				`reproduce)\b.{0,40}$`,
			`^(?:sorry|hi|hello|thanks)\b.{0,12}$`,
		),
	},
	{
		Name: AboutTests, In: Sentence, Type: failure.TestFailure,
		Example: "the test suite",
		words: words(
			`(?i)\b(?:tests?|testing|test suite|specs|assertions?|pytest|jest|vitest|mocha|rspec|` +
				`phpunit|Test[A-Z]\w+|test_\w+|\w+_test)\b`,
		),
	},
	{
		Name: AboutLint, In: Sentence, Type: failure.LintError,
		Example: "golangci-lint",
		words: words(
			`(?i)\b(?:lint\w*|eslint|golangci\S*|ruff|clippy|flake8|go vet|pylint|stylelint|` +
				`rubocop|shellcheck)\b`,
		),
	},
	{
		Name: AboutTypes, In: Sentence, Type: failure.TypecheckError,
		Example: "mypy",
		words: words(
			`(?i)\b(?:type[- ]?check\w*|type errors?|typing|tsc|mypy|pyright|TS\d{4})\b`,
		),
	},
	{
		Name: AboutFormat, In: Sentence, Type: failure.FormatError,
		Example: "gofmt",
		words: words(
			`(?i)\b(?:formatt(?:ing|er)|format (?:check|gate|error)s?|gofmt|gofumpt|prettier|` +
				`black|rustfmt)\b`,
		),
	},
	{
		Name: AboutBuild, In: Sentence,
		Example: "the build",
		words: words(
			`(?i)\b(?:builds?|building|compil\w+)\b`,
		),
	},
}
