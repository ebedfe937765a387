package classify

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	"autobuild/failure"
	"autobuild/failure/diagnose"
	"autobuild/internal/text"
	"autobuild/orchestrator/agent"
	"autobuild/orchestrator/verify"
	"autobuild/state"
)

// reported is one failure as other programs describe it.
type reported struct {
	Tool         string         `json:"tool"`
	Kind         string         `json:"kind"`
	ExitCode     *int           `json:"exit_code"`
	Signal       string         `json:"signal"`
	TimedOut     bool           `json:"timed_out"`
	Idle         bool           `json:"idle"`
	NotAvailable bool           `json:"not_available"`
	After        string         `json:"after"`
	Stdout       string         `json:"stdout_tail"`
	Stderr       string         `json:"stderr_tail"`
	Output       string         `json:"output"`
	TestOutput   string         `json:"test_output"`
	Hash         string         `json:"stderr_hash"`
	Files        []string       `json:"files_touched"`
	Cause        string         `json:"cause"`
	ConflictID   *string        `json:"conflict_id"`
	Node         reportedNode   `json:"node"`
	History      []reportedPast `json:"history"`
	Siblings     []reportedNear `json:"siblings"`
	Claim        *reportedClaim `json:"claim"`
	Missing      []string       `json:"missing_files"`
	NoChange     bool           `json:"no_change"`
	Agent        *reportedAgent `json:"agent"`

	after time.Duration
}

type reportedNode struct {
	ID          string   `json:"id"`
	Parent      string   `json:"parent_id"`
	Status      string   `json:"status"`
	Failed      int      `json:"failed_attempts"`
	Allowed     int      `json:"attempts_allowed"` // in one session; those beyond it are drift
	Replans     *int     `json:"replan_budget_remaining"`
	Revisions   int      `json:"revisions"`
	Overrun     float64  `json:"token_overrun"`
	Deviation   *float64 `json:"deviation_score"`
	Contradicts string   `json:"intent_contradicted"`
}

type reportedPast struct {
	Node   string   `json:"node_id"`
	Hash   string   `json:"stderr_hash"`
	Stderr string   `json:"stderr_tail"`
	Files  []string `json:"files_touched"`
}

type reportedNear struct {
	ID    string   `json:"id"`
	Files []string `json:"files_touched"`
}

type reportedClaim struct {
	Status string            `json:"status"`
	Tasks  failure.TaskCount `json:"tasks"`
	Error  *struct {
		Type      failure.Type `json:"type"`
		Message   string       `json:"message"`
		Category  string       `json:"category"`
		Retryable *bool        `json:"retryable"`
	} `json:"error"`
	Tier string `json:"tier"`
}

type reportedAgent struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

// kinds are the kinds of commands that fail.
var kinds = []string{
	"lint", "format", "typecheck", "test", "build", "setup", "agent", "git",
	"custom",
}

// readFailure reads the description of a failure. Every mistake in it is named with its place.
func readFailure(raw []byte) (reported, error) {
	var s reported
	if len(bytes.TrimSpace(raw)) == 0 {
		return s, wrong("nothing to classify: the input is empty",
			"see autobuild classify --help for what it may say")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if err := dec.Decode(&s); err != nil {
		return s, wrong("the input is no valid description of a failure: "+mistake(raw, err),
			"see autobuild classify --help")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return s, wrong("the input goes on behind the first JSON object",
			"give one failure at a time")
	}
	if strange := strangers(raw, reflect.TypeFor[reported](), ""); len(strange) > 0 {
		return s, wrong(strings.Join(strange, "; "), "see autobuild classify --help")
	}
	err := s.check()
	return s, err
}

// mistake is the place of an error in JSON.
func mistake(raw []byte, err error) string {
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Sprintf("%s must be %s, not %s", cmp.Or(t.Field, "it"), wanted(t.Type), t.Value)
	}
	at := int64(len(raw))
	if s, ok := errors.AsType[*json.SyntaxError](err); ok {
		at = s.Offset
	}
	before := raw[:min(int(at), len(raw))]
	line := 1 + bytes.Count(before, []byte("\n"))
	return fmt.Sprintf("line %d, column %d: %v", line,
		len(before)-bytes.LastIndexByte(before, '\n')-1, err)
}

// wanted is a Go type as JSON calls it.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return wanted(t.Elem())
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	}
	return "a number"
}

// strangers names the members that are not known, with the nearest that is.
func strangers(raw json.RawMessage, t reflect.Type, at string) []string {
	switch t.Kind() {
	case reflect.Pointer:
		return strangers(raw, t.Elem(), at)
	case reflect.Slice:
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil {
			return nil
		}
		var found []string
		for i, one := range list {
			found = append(found, strangers(one, t.Elem(), fmt.Sprintf("%s[%d]", at, i))...)
		}
		return found
	case reflect.Struct:
	default:
		return nil
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return nil
	}
	known := map[string]reflect.Type{}
	for f := range t.Fields() {
		if name := f.Tag.Get("json"); name != "" {
			known[name] = f.Type
		}
	}
	var found []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		where := strings.TrimPrefix(at+"."+name, ".")
		if inner, ok := known[name]; ok {
			found = append(found, strangers(members[name], inner, where)...)
			continue
		}
		found = append(found, fmt.Sprintf("unknown member %q", where)+
			hint(name, slices.Sorted(maps.Keys(known))))
	}
	return found
}

func hint(name string, known []string) string {
	for _, k := range known {
		if k == name+"_code" || k == name+"_tail" {
			return fmt.Sprintf(": did you mean %q?", k)
		}
	}
	if near := text.Nearest(name, known, len(name)/2+1); near != "" {
		return fmt.Sprintf(": did you mean %q?", near)
	}
	return ""
}

// check finds values that say nothing, so that a slip of the pen is no answer.
func (s *reported) check() error {
	if s.Kind != "" && !slices.Contains(kinds, s.Kind) {
		return wrong(fmt.Sprintf("kind %q is none", s.Kind),
			"it is one of "+strings.Join(kinds, ", "))
	}
	if s.After != "" {
		after, err := time.ParseDuration(s.After)
		if err != nil || after < 0 {
			return wrong(fmt.Sprintf("after %q is no duration", s.After),
				"write it as 30m or 1h30m0s")
		}
		s.after = after
	}
	if c := s.Claim; c != nil {
		if c.Status != "complete" && c.Status != "failed" {
			return wrong(fmt.Sprintf("claim.status %q is none", c.Status),
				"it is complete or failed")
		}
		if c.Tier != "" && c.Tier != "strong" && c.Tier != "weak" {
			return wrong(fmt.Sprintf("claim.tier %q is none", c.Tier), "it is strong or weak")
		}
		if c.Error != nil && c.Error.Category != "" {
			if _, ok := failure.ParseCategory(c.Error.Category); !ok {
				return wrong(fmt.Sprintf("claim.error.category %q is none", c.Error.Category),
					"it is prerequisite, execution, unexpected_result, misalignment or ambiguity")
			}
		}
	}
	return nil
}

// text is all that was printed, in the order in which it is to be read.
func (s *reported) text() string {
	var all []string
	for _, part := range []string{s.Stdout, s.Stderr, s.Output, s.TestOutput} {
		if part != "" {
			all = append(all, strings.TrimRight(part, "\n")+"\n")
		}
	}
	return strings.Join(all, "")
}

// broke reports whether the command itself failed. A description without an exit code counts as
// failed where it has output.
func (s *reported) broke() bool {
	ended := s.ExitCode != nil && *s.ExitCode != 0 || s.Signal != "" || s.TimedOut || s.Idle ||
		s.NotAvailable
	return ended || s.ExitCode == nil && s.text() != ""
}

func (s *reported) conflict() bool { return s.Cause == "conflict" || s.ConflictID != nil }

// failed reports whether anything went wrong. An exit with 0 and no other sign is no failure.
func (s *reported) failed() bool {
	claimed := s.Claim != nil &&
		(s.Claim.Status == "failed" || s.Claim.Tasks.Done < s.Claim.Tasks.Total)
	agent := s.Agent != nil && (s.Agent.Kind != "" || s.Agent.Message != "")
	return s.broke() || claimed || agent || s.conflict() || s.NoChange || len(s.Missing) > 0
}

// evidence is the description as diagnose.From takes it.
func (s *reported) evidence() failure.Evidence {
	e := failure.Evidence{Missing: s.Missing, NoChange: s.NoChange}
	if s.Claim != nil {
		e.Claim, e.Tasks = s.claim(), s.Claim.Tasks
	}
	kind := cmp.Or(s.Kind, kindOf(s.Tool))
	switch {
	case kind == "agent" || s.Idle || s.Agent != nil &&
		(s.Agent.Kind != "" || s.Agent.Message != ""):
		e.Agent = s.agent()
	case s.conflict() && (kind == "git" || !s.broke()):
		e.Conflicts = s.conflicts()
	case s.broke() && kind == "setup":
		g := s.command(kind, s.text())
		e.Setup = &g
	case s.broke():
		e.Gates = []failure.GateRun{s.command(kind, s.text())}
	}
	return e
}

func (s *reported) claim() *failure.Claim {
	c := &failure.Claim{Complete: s.Claim.Status == "complete", Strong: s.Claim.Tier == "strong"}
	if e := s.Claim.Error; e != nil {
		c.Error, c.Type, c.Transient = e.Message, e.Type, e.Retryable
		c.Category, _ = failure.ParseCategory(e.Category)
	}
	return c
}

// exit is the exit code; negative where the command failed and none is given.
func (s *reported) exit() int {
	switch {
	case s.ExitCode != nil:
		return *s.ExitCode
	case s.broke():
		return -1
	}
	return 0
}

func (s *reported) agent() *failure.AgentRun {
	run := &failure.AgentRun{
		Name: s.Tool, ExitCode: s.exit(), Signal: s.Signal, TimedOut: s.TimedOut, Idle: s.Idle,
		After: s.after, Tail: s.text(),
	}
	if s.Agent != nil {
		run.Name, run.Message = cmp.Or(s.Agent.Name, s.Tool), s.Agent.Message
		kind := cmp.Or(s.Agent.Kind, agent.Reading(s.Agent.Message))
		run.Kind = failure.Type(kind)
		if kind == agent.Transient {
			run.Kind = failure.TransportError
		}
	}
	return run
}

// command is a failed command. Its output is read as a gate's output is.
func (s *reported) command(kind, text string) failure.GateRun {
	g := state.Gate{
		Name: kind, Kind: kind, Command: s.Tool, Exit: s.exit(),
		Status: state.GateFailed,
	}
	verify.ReadOutput(text, rootOf(text), &g)
	if s.Signal != "" {
		g.Tail += "killed by " + s.Signal + "\n"
	}
	name := kind
	if first := strings.Fields(s.Tool); kind == "custom" && len(first) > 0 {
		name = path.Base(first[0])
	}
	return failure.GateRun{
		Name: name, Kind: kind, Command: cmp.Or(s.Tool, kind), Exit: g.Exit, TimedOut: s.TimedOut,
		NotAvailable: s.NotAvailable,
		After:        s.after, Count: g.Failed, Tests: g.Tests, Places: g.Places, Tail: g.Tail,
	}
}

// conflicts are the files of a conflict, as far as they are known.
func (s *reported) conflicts() []failure.Conflict {
	files := mergeConflict(s.text())
	if len(files) == 0 {
		files = s.Files
	}
	other := ""
	if len(s.Siblings) > 0 {
		other = s.Siblings[0].ID
	}
	var all []failure.Conflict
	for _, f := range files {
		all = append(all, failure.Conflict{
			File: f, Phase: cmp.Or(s.Node.ID, "this one"),
			Other: other,
		})
	}
	if len(all) == 0 {
		all = []failure.Conflict{{
			File: "a file", Phase: cmp.Or(s.Node.ID, "this one"),
			Other: cmp.Or(other, "another"),
		}}
	}
	return all
}

// past is the history of the failed node and of its siblings. Events without hashes are diagnosed
// as the failure is, so that the same output is the same failure.
func (s *reported) past(e failure.Evidence) failure.Past {
	p := failure.Past{
		Node: s.Node.ID, Parent: s.Node.Parent, Failed: max(s.Node.Failed, 1) - 1,
		Allowed: s.Node.Allowed,
		Files:   s.Files, Revisions: s.Node.Revisions,
		Deviation: s.Node.Deviation, Contradicts: s.Node.Contradicts,
	}
	if s.Node.Replans != nil {
		const replans = 3 // that a phase gets
		p.Revisions = max(p.Revisions, replans-*s.Node.Replans)
	}
	if s.Node.Overrun > 0 {
		const budget = 1 << 20
		p.TokenBudget, p.Tokens = budget, budget+int64(min(s.Node.Overrun, 1)*budget)
	}
	if s.conflict() {
		p.Conflict = "conflict"
		if s.ConflictID != nil && *s.ConflictID != "" {
			p.Conflict = *s.ConflictID
		}
	}
	for _, n := range s.Siblings {
		p.Siblings = append(p.Siblings, failure.Sibling{Phase: n.ID, Files: n.Files})
	}
	var own []reportedPast
	for _, h := range s.History[max(0, len(s.History)-10):] {
		if h.Node != "" && h.Node != s.Node.ID && s.Node.ID != "" {
			p.Siblings = append(p.Siblings, failure.Sibling{Phase: h.Node, Files: h.Files})
			continue
		}
		own = append(own, h)
	}
	present := s.Hash
	// the last event is the failure itself
	if n := len(own); n > 0 && s.Node.Failed > 0 && n >= s.Node.Failed {
		present, own = cmp.Or(present, own[n-1].Hash), own[:n-1]
	}
	// An event without output counts as this failure.
	if n := len(own); n > 0 && present == "" && own[n-1].Stderr == "" {
		present = own[n-1].Hash
	}
	same := diagnose.From(e).Fingerprint
	for _, h := range own {
		mark := h.Hash
		switch {
		case h.Stderr != "":
			then := *s
			then.Stdout, then.Stderr, then.Output, then.TestOutput = "", h.Stderr, "", ""
			mark = diagnose.From(then.evidence()).Fingerprint
		case mark != "" && mark == present:
			mark = same
		}
		p.Earlier = append(p.Earlier, failure.Earlier{Fingerprint: mark, Files: h.Files})
	}
	return p
}
