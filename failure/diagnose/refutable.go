package diagnose

import (
	"regexp"
	"slices"
	"strings"

	"autobuild/failure"
)

// Reading says what an agent's account of its own failure is about.
type Reading string

// The readings. What is none of the first two is Unclear: checks cannot refute it, and it leaves
// nothing to decide.
const (
	// a test, lint, type, format or build failure, and nothing else: gates can see whether it is
	// there
	Refutable Reading = "refutable"
	// a guess, a missing decision or requirement, a "do not merge": a person's to settle
	Undecided Reading = "undecided"
	Unclear   Reading = "unclear"
)

// gateWords are how accounts name what gates of a kind look at.
var gateWords = []struct {
	kind  string
	words *regexp.Regexp
}{
	{"test", regexp.MustCompile(`(?i)\b(?:tests?|testing|test suite|specs|assertions?|pytest|jest|vitest|mocha|rspec|phpunit|Test[A-Z]\w+|test_\w+|\w+_test)\b`)},
	{"lint", regexp.MustCompile(`(?i)\b(?:lint\w*|eslint|golangci\S*|ruff|clippy|flake8|go vet|pylint|stylelint|rubocop|shellcheck)\b`)},
	{"typecheck", regexp.MustCompile(`(?i)\b(?:type[- ]?check\w*|type errors?|typing|tsc|mypy|pyright|TS\d{4})\b`)},
	{"format", regexp.MustCompile(`(?i)\b(?:formatt(?:ing|er)|format (?:check|gate|error)s?|gofmt|gofumpt|prettier|black|rustfmt)\b`)},
	{"build", regexp.MustCompile(`(?i)\b(?:builds?|building|compil\w+)\b`)},
}

var (
	saysFails = regexp.MustCompile(`(?i)\b(?:fail\w*|errors?|errored|red|broken|breaks?|crash\w*|panic\w*|hangs?|flaky|violations?|complain\w*|timed? ?out|` +
		`exit(?:s|ed)?(?: with)?(?: code| status)? [1-9]\d*|non-?zero)\b|(?:\bnot|n't|\bnever|\bno longer) (?:yet )?(?:\w+ )?(?:pass\w*|green|compil\w+|build|clean)\b|` +
		`\b(?:cannot|could not|couldn't|unable to) (?:get|make) .{1,60}\b(?:pass|green|compile|build)\b`)
	saysPasses = regexp.MustCompile(`(?i)\b(?:tests?|checks?|gates?|suite|everything|lint\w*|build|all)\b[^.]{0,30}\b(?:pass|passes|passed|passing|green|succeed\w*|clean)\b`)
	// printed are lines as test runners and shells print them.
	printed = regexp.MustCompile(`(?i)^(?:-+ ?)?(?:FAIL|FAILED|ERROR|PASS|ok|not ok)\b|\b(?:expected|want(?:ed)?)\b.+\b(?:got|received|but|actual|to (?:equal|be))\b|\bexit (?:code|status) \d+\b|^\S+:\d+(?::\d+)?:? `)
	// harmless sentences neither add to a failure nor take from it.
	harmless = regexp.MustCompile(`(?i)^(?:(?:all|every|the|my|other|its)\b ?)*(?:tasks?|work|code|implementation|changes?|phase|rest|boxes|steps?)\b.{0,20}\b(?:is|are|was|were|has been|have been)\b.{0,12}\b(?:done|complete[d]?|finished|in place|written|implemented|ticked)$|` +
		`^(?:please )?(?:see|read|look at)\b.{0,30}\b(?:log|output|above|below)s?$|^(?:please )?(?:retry|try again|re-?run)\b.{0,20}$|` +
		`^(?:i )?(?:ran|run|running) out of (?:time|turns|attempts)\b.{0,30}$|^(?:so )?(?:i )?(?:gave|giving|give) up\b.{0,20}$|` +
		`^i (?:tried|could not|couldn't|cannot|can't|was unable to|did not manage to)\b.{0,30}\b(?:fix|find|see|repair|debug|explain|reproduce)\b.{0,40}$|^(?:sorry|hi|hello|thanks)\b.{0,12}$`)
	undecided = regexp.MustCompile(`(?i)\b(?:guess\w*|assum\w*|presum\w*|made (?:it |one |that |this |them )?up|made-up|invent\w*|placeholders?|arbitrar\w*|my best|at random)\b|` +
		`\b(?:do not|don't|must not|should not|shouldn't|cannot|can't|never|not to) (?:be )?(?:merged?|land(?:ed)?|ship(?:ped)?|deploy(?:ed)?|releas\w+|publish\w*|commit(?:ted)?|accept(?:ed)?|trust\w*|rel(?:y|ied))\b|\bnot (?:be )?ready\b|` +
		`\b(?:not|never|n't|nowhere|isn't) (?:\w+ )?(?:given|specif\w+|defin\w+|stat\w+|provid\w+|document\w*|clear|known|decided|settled|agreed|mention\w*|said|sa(?:y|id)|describ\w+|tell|listed)\b|` +
		`\b(?:unclear|ambigu\w*|under-?specified|unspecified|undocumented|vague|unknown|tbd|to be (?:decided|defined|determined))\b|` +
		`\b(?:decisions?|decid\w+|clarif\w+|confirm\w*|approv\w+|sign[- ]?off|consent|permission from|instructions?)\b|` +
		`\b(?:requirements?|spec|specification|criteria|acceptance|plan)\b|\bwhich (?:of|one|rate|value|version|approach|option|format|way)\b|\bwhether\b|\bshould (?:i|we|it|this|that|the)\b|\b(?:what|how) (?:is|are|should|to)\b|\?|` +
		`\b(?:contradict\w*|conflict\w*|inconsistent|disagree\w*|two (?:readings|interpretations|meanings|ways)|either)\b|\b(?:missing|lacks?|lacking|no) (?:\w+ )?(?:information|input|detail|value|rate|answer|context|definition|decision|example|number|figure)s?\b|` +
		`\b(?:product|legal|business) (?:owner|team|question|decision|call)\b|\b(?:a|some) (?:person|human)\b|\b(?:someone|somebody|anyone|you) (?:must|should|has to|have to|need|needs|to)\b|\bneeds? (?:a|an|your|human|someone|somebody)\b|\bask(?:ing|ed)?\b|\bwait(?:s|ing)? for\b`)
	doubtful = regexp.MustCompile(`(?i)\b(?:not|n't|never|hardly|barely) (?:\w+ )?(?:work\w*|done|complete\w*|implement\w*|finish\w*|correct\w*|tested|cover\w*|verif\w*|safe|enough|reach\w*|possible|fail\w*|meet|met)\b|` +
		`\b(?:incomplete|unfinished|partial\w*|half|skipp\w*|left out|todo|fixme|stub\w*|dummy|fake\w*|hard-?cod\w*|workaround|hack\w*|wrong|incorrect|bug|loses?|lost|data loss|corrupt\w*|unsafe|insecure|` +
		`security|vulnerab\w*|risk\w*|danger\w*|unsure|uncertain|doubt\w*|suspect\w*|maybe|perhaps|credentials?|passwords?|secrets?|tokens?|api keys?|accounts?|licen[cs]e\w*|network|manual\w*|weaken\w*|delet\w*|disabl\w*|commented out)\b|` +
		`\bno (?:failing |failed |broken )?(?:tests?|lint|type|errors?|failures?)\b|\bwithout (?:a |any )?(?:failing|failed|failures?|errors?|tests?)\b`)
	sentences = regexp.MustCompile(`[.!;]+(?:\s+|$)|\n+`)
)

// Read says what an agent's account of its failure is about, and for a refutable one which kinds of
// gate would have to see it. It is deterministic and errs towards Unclear: every sentence of a
// refutable account must be a failure that a gate can see, a line of a tool's output, or add
// nothing.
func Read(c failure.Claim) (Reading, []string) {
	text := failure.Head(c.Error, failure.MaxDetails)
	if undecidedCategory(c) || undecided.MatchString(text) {
		return Undecided, nil
	}
	if doubtful.MatchString(text) || c.Type != "" && len(kindsOf(c.Type)) == 0 {
		return Unclear, nil
	}
	kinds := kindsOf(c.Type)
	for _, sentence := range sentences.Split(text, -1) {
		sentence = strings.Trim(sentence, " \t-*•>`\"'")
		found := sees(sentence)
		switch {
		case len(found) > 0:
			kinds = append(kinds, found...)
		case sentence == "" || printed.MatchString(sentence) || harmless.MatchString(sentence):
		default:
			return Unclear, nil
		}
	}
	for _, said := range c.Gates {
		if name, failed := strings.CutSuffix(said, " failed"); failed {
			kinds = append(kinds, strings.ToLower(name))
		}
	}
	if len(kinds) == 0 {
		return Unclear, nil
	}
	slices.Sort(kinds)
	return Refutable, slices.Compact(kinds)
}

// leavesOpen reports whether an agent that says that it failed leaves a decision to a person.
func leavesOpen(e failure.Evidence) bool {
	if e.Claim == nil || e.Claim.Complete || e.Tasks.Done < e.Tasks.Total || e.NoChange {
		return false
	}
	reading, _ := Read(*e.Claim)
	return reading == Undecided
}

// sees names the kinds of gate that a sentence says fail.
func sees(sentence string) []string {
	if !saysFails.MatchString(sentence) || saysPasses.MatchString(sentence) && !strings.Contains(sentence, "n't") && !strings.Contains(sentence, "not ") {
		return nil
	}
	var kinds []string
	for _, g := range gateWords {
		if g.words.MatchString(sentence) {
			kinds = append(kinds, g.kind)
		}
	}
	return kinds
}

// kindsOf is the kind of gate that finds failures of a type.
func kindsOf(t failure.Type) []string {
	switch t {
	case failure.TestFailure:
		return []string{"test"}
	case failure.LintError:
		return []string{"lint"}
	case failure.TypecheckError:
		return []string{"typecheck"}
	case failure.FormatError:
		return []string{"format"}
	}
	return nil
}

// undecidedCategory reports whether the agent itself calls its failure ambiguous.
func undecidedCategory(c failure.Claim) bool {
	category, ok := failure.ParseCategory(string(c.Category))
	if !ok {
		category, ok = failure.ParseCategory(string(c.Type))
	}
	return ok && category == failure.Ambiguity
}
