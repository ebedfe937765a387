package ci

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"time"

	"autobuild/failure"
	"autobuild/internal/lazyregexp"
	"autobuild/internal/text"
	"autobuild/render"
	"autobuild/state"
)

// TraceContext is the place of a run in a distributed trace, by the W3C's Trace Context.
type TraceContext struct {
	trace, parent string // in hex; parent is empty where the run begins the trace
}

// traceparent is the form of a header of that name.
var traceparent = lazyregexp.New(`^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$`)

// NewTraceContext makes the spans of a run part of the trace that a TRACEPARENT names. Without a
// valid one the run is a trace of its own, the same in all of its sessions.
func NewTraceContext(run, parent string) TraceContext {
	if m := traceparent.FindStringSubmatch(parent); m != nil {
		return TraceContext{m[1], m[2]}
	}
	return TraceContext{trace: spanID(32, run)}
}

// Agent is the TRACEPARENT of the agent that makes the attempt with this key.
func (t TraceContext) Agent(key string) string {
	return "00-" + t.trace + "-" + spanID(16, "agent", key) + "-01"
}

// spanID makes the same n hexadecimal digits of the same words.
func spanID(n int, words ...string) string {
	h := sha256.New()
	for _, w := range words {
		_, _ = fmt.Fprintf(h, "%d:%s", len(w), w) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil))[:n]
}

// span is a Span of the OpenTelemetry Protocol in its JSON form.
type span struct {
	Trace  string      `json:"traceId"`
	ID     string      `json:"spanId"`
	Parent string      `json:"parentSpanId,omitzero"`
	Name   string      `json:"name"`
	Kind   int         `json:"kind"` // 1: internal, 3: client
	Start  string      `json:"startTimeUnixNano"`
	End    string      `json:"endTimeUnixNano"`
	Attrs  []attribute `json:"attributes,omitzero"`
	Status struct {
		Code    int    `json:"code,omitzero"` // 1: ok, 2: error
		Message string `json:"message,omitzero"`
	} `json:"status"`
}

type attribute struct {
	Key   string         `json:"key"`
	Value map[string]any `json:"value"`
}

// set adds an attribute; the zero values of text and numbers are left out.
func (s *span) set(key string, value any) {
	var as map[string]any
	switch v := value.(type) {
	case string:
		if v = text.CleanLine(v, 400); v != "" {
			as = map[string]any{"stringValue": v}
		}
	case int64:
		if v != 0 {
			as = map[string]any{"intValue": strconv.FormatInt(v, 10)}
		}
	case float64:
		if v != 0 {
			as = map[string]any{"doubleValue": v}
		}
	}
	if as != nil {
		s.Attrs = append(s.Attrs, attribute{key, as})
	}
}

func (s *span) close(start, end time.Time, failed string, bad bool) {
	if end.Before(start) {
		end = start
	}
	s.Start, s.End = strconv.FormatInt(start.UnixNano(), 10), strconv.FormatInt(end.UnixNano(), 10)
	s.Status.Code = 1
	if bad {
		s.Status.Code, s.Status.Message = 2, text.CleanLine(failed, 400)
	}
}

// spansAtOnce bounds the spans of one document.
const spansAtOnce = 1000

// OTLP are the spans of a run's latest session as documents of OTLP in JSON, each an
// ExportTraceServiceRequest: the session, its phases, their attempts, and in these the agent, the
// gates and the landing. Attributes have OpenTelemetry's names for generative AI where there are
// some. What was open at the end of the events ends there.
func OTLP(t TraceContext, version string, events iter.Seq2[state.Event, error]) ([][]byte, error) {
	x := exporter{context: t}
	for e, err := range events {
		if err != nil {
			return nil, fmt.Errorf("reading the events of the run: %w", err)
		}
		x.event(e)
	}
	x.end()
	var documents [][]byte
	for len(x.spans) > 0 {
		n := min(len(x.spans), spansAtOnce)
		document, err := json.Marshal(map[string]any{"resourceSpans": []any{map[string]any{
			"resource": map[string]any{"attributes": []attribute{
				{"service.name", map[string]any{"stringValue": "autobuild"}},
				{"service.version", map[string]any{"stringValue": version}},
			}},
			"scopeSpans": []any{map[string]any{
				"scope": map[string]string{"name": "autobuild", "version": version},
				"spans": x.spans[:n],
			}},
		}}})
		if err != nil {
			return nil, fmt.Errorf("writing the spans: %w", err)
		}
		documents, x.spans = append(documents, document), x.spans[n:]
	}
	return documents, nil
}

// exporter turns the events of a session into spans.
type exporter struct {
	context TraceContext
	spans   []span
	run     span
	began   time.Time // of the session; zero: there is none
	last    time.Time
	phases  map[string]*openPhase
	order   []string
	ended   *state.End
}

// openPhase is a phase of the session, and its attempt in work.
type openPhase struct {
	span        span
	from, to    time.Time
	failed      string
	attempt     *state.Event // that started it; nil: none is in work
	agent, gate time.Time    // ends of the agent and of the last gate; zero: not yet
	gates       map[string]time.Time
}

func (x *exporter) event(e state.Event) {
	if e.Time.After(x.last) {
		x.last = e.Time
	}
	if e.Type == state.RunStarted {
		x.begin(e)
		return
	}
	if x.began.IsZero() {
		return // a diary whose beginning is gone
	}
	p := x.phases[e.Phase]
	switch {
	case e.Type == state.RunFinished:
		x.ended = e.End
	case e.Type == state.PhaseStarted:
		x.start(e)
	case p == nil || p.attempt == nil:
	case e.Type == state.AgentFinished:
		p.agent = x.last
	case e.Type == state.GateStarted && e.Gate != nil:
		p.gates[e.Gate.Name] = x.last
	case e.Type == state.GateFinished && e.Gate != nil:
		x.gate(p, *e.Gate)
	case e.Type == state.AttemptFinished:
		x.finish(p, e.Result, "")
	case e.Type == state.PhaseInterrupted:
		x.finish(p, nil, "interrupted")
	}
}

// begin begins a session. Spans of an earlier one were sent at its end.
func (x *exporter) begin(e state.Event) {
	*x = exporter{
		context: x.context, began: e.Time, last: e.Time, phases: make(map[string]*openPhase),
	}
	sessions := 1
	x.run = x.child("", 1, "autobuild run", "run", e.Run)
	x.run.Parent = x.context.parent
	x.run.set("autobuild.run.id", e.Run)
	if c := e.Config; c != nil {
		sessions = c.Sessions
		x.run.set("autobuild.plan", c.Plan)
	}
	x.run.ID = spanID(16, "session", e.Run, strconv.Itoa(sessions))
	x.run.set("autobuild.session", int64(sessions))
}

// child is a span below another, known by words.
func (x *exporter) child(parent string, kind int, name string, words ...string) span {
	return span{
		Trace: x.context.trace, ID: spanID(16, words...), Parent: parent, Kind: kind,
		Name: text.CleanLine(name, render.MaxLine),
	}
}

func (x *exporter) start(e state.Event) {
	p := x.phases[e.Phase]
	if p == nil {
		p = &openPhase{from: x.last, span: x.child(x.run.ID, 1, "phase "+e.Label, "phase",
			x.run.ID, e.Phase)}
		p.span.set("autobuild.phase.id", e.Phase)
		p.span.set("autobuild.phase.name", e.Name)
		x.phases[e.Phase], x.order = p, append(x.order, e.Phase)
	}
	p.attempt, p.agent, p.gate, p.gates = &e, time.Time{}, time.Time{}, make(map[string]time.Time)
	p.attempt.Time = x.last
}

// attemptID is the id of the span of the attempt in work.
func (p *openPhase) attemptID() string { return spanID(16, "attempt", p.attempt.Key) }

func (x *exporter) gate(p *openPhase, g state.Gate) {
	began, ok := p.gates[g.Name]
	if !ok {
		began = x.last.Add(-g.Duration)
	}
	delete(p.gates, g.Name)
	p.gate = x.last
	s := x.child(p.attemptID(), 1, "gate "+g.Name, "gate", p.attempt.Key, g.Name,
		strconv.Itoa(len(x.spans)))
	s.set("autobuild.gate.command", g.Command)
	s.set("autobuild.gate.status", string(g.Status))
	s.close(began, x.last, string(g.Status), g.Status != state.GatePassed)
	x.spans = append(x.spans, s)
}

// finish ends the attempt in work. result is nil where it was stopped, for the reason why.
func (x *exporter) finish(p *openPhase, result *state.Attempt, why string) {
	began, key := p.attempt.Time, p.attempt.Key
	a := state.Attempt{Agent: p.attempt.Agent}
	if result != nil {
		a = *result
	}
	if a.Failure != nil {
		why = string(a.Failure.Type) + ": " + a.Failure.Message
	}
	s := x.child(p.span.ID, 1, fmt.Sprintf("attempt %d", p.attempt.Attempt), "attempt", key)
	s.set("autobuild.attempt", int64(p.attempt.Attempt))
	s.set("autobuild.verdict", string(a.Verdict))
	if a.Failure != nil {
		s.set("error.type", string(a.Failure.Type))
	}
	s.close(began, x.last, why, why != "")
	agentEnd := p.agent
	if agentEnd.IsZero() {
		agentEnd = x.last
	}
	agent := x.child(s.ID, 3, "invoke_agent "+a.Agent, "agent", key)
	agent.set("gen_ai.operation.name", "invoke_agent")
	agent.set("gen_ai.agent.name", a.Agent)
	agent.set("gen_ai.request.model", a.Model)
	agent.set("gen_ai.conversation.id", a.Session)
	agent.set("gen_ai.usage.input_tokens", a.Usage.InputTokens)
	agent.set("gen_ai.usage.output_tokens", a.Usage.OutputTokens)
	agent.set("autobuild.cost_usd", a.Usage.CostUSD)
	mine := a.Failure != nil && a.Failure.Type == failure.AgentError || result == nil
	agent.close(began, agentEnd, why, mine)
	x.spans = append(x.spans, s, agent)
	if a.Commit != nil && a.Failure == nil {
		landed := x.child(s.ID, 1, "landing", "landing", key)
		landed.set("vcs.ref.head.revision", a.Commit.SHA)
		from := agentEnd
		if p.gate.After(from) {
			from = p.gate
		}
		landed.close(from, x.last, "", false)
		x.spans = append(x.spans, landed)
	}
	p.attempt, p.to, p.failed = nil, x.last, why
}

// end ends what is open.
func (x *exporter) end() {
	if x.began.IsZero() {
		return
	}
	for _, id := range x.order {
		p := x.phases[id]
		if p.attempt != nil {
			x.finish(p, nil, "cut off")
		}
		p.span.close(p.from, p.to, p.failed, p.failed != "")
		x.spans = append(x.spans, p.span)
	}
	reason, bad := "cut off", true
	if x.ended != nil {
		reason, bad = x.ended.Reason, x.ended.Outcome != state.Done
		x.run.set("autobuild.outcome", string(x.ended.Outcome))
		x.run.set("autobuild.cost_usd", x.ended.Totals.Usage.CostUSD)
	}
	x.run.close(x.began, x.last, reason, bad)
	x.spans = append(x.spans, x.run)
}
