// Package wire holds what travels through Temporal: ids, refs, verdicts and counts as plain data.
// Thin makes of a run's types what may travel: texts, paths, commands and messages stay behind, in
// records that package dataplane keeps in git. It does not know Temporal.
package wire

import (
	"slices"
	"strings"
	"time"

	"autobuild/failure"
	"autobuild/orchestrator"
	"autobuild/state"
)

// Bounds of payloads.
const (
	MaxJobs    = 1000 // attempts at once: Temporal allows 2,000 pending activities
	MaxPage    = 500  // events in one answer to a query
	MaxTail    = 400  // events in the result of a workflow
	maxTitle   = 60   // characters of a title
	MaxOutcome = 64 << 10
	MaxRow     = 16 // works that one activity integrates: their outcomes fit into a payload
)

// Names that client, workflow and worker share.
const (
	Workflow  = "autobuild-run"
	Attempt   = "autobuild-attempt"
	Integrate = "autobuild-integrate"
	Row       = "autobuild-integrate-row" // several, one after the other
	Final     = "autobuild-final"
	Publish   = "autobuild-publish"
	Query     = "events"
	Stop      = "stop"  // signal, with Stopping
	Steer     = "steer" // update, with Command; its result is Answer
	GoOn      = "go-on" // signal, without a value: usage limits are not waited for
)

// Names by which a server lists runs: search attributes, which it may refuse, and the same fields
// of the memo.
const (
	ListedPlan       = "AutobuildPlan"
	ListedRepository = "AutobuildRepository"
	ListedState      = "AutobuildState"
)

// Values of Input.Listing.
const (
	Indexed = "attributes"
	Noted   = "memo"
)

// Running is the listed state of a run that goes on.
const Running = "running"

// Types of errors of activities.
const (
	Moved    = "Moved"    // the worker ends: another one goes on
	Declined = "Declined" // this worker cannot do it: another one may
	Busy     = "Busy"     // two queues gave work for one slot: another worker may have it
	Away     = "Away"     // git's remote cannot be reached
	Broken   = "Broken"   // machinery: the run ends
)

// Stopping is the value of the signal Stop.
type Stopping struct {
	Now bool `json:"now,omitzero"` // do not wait for running attempts
}

// Input is a run as a workflow begins with it, or goes on with it after many events.
type Input struct {
	Run      string   `json:"run"`
	Session  int      `json:"session"`
	Spec     string   `json:"spec"` // commit with the plan and the settings
	Phases   []Phase  `json:"phases"`
	Seq      int64    `json:"seq"`
	Options  Options  `json:"options"`
	Final    bool     `json:"final,omitzero"` // the plan states gates for the whole
	Queue    string   `json:"queue"`
	Lease    int      `json:"lease"` // seconds without a heartbeat until an attempt moves
	Refs     Refs     `json:"refs,omitzero"`
	Past     int      `json:"past,omitzero"`     // events of earlier links
	Previous string   `json:"previous,omitzero"` // run id of the link before
	Without  []string `json:"without,omitzero"`

	Paused time.Time `json:"paused_since,omitzero"`

	// Listing says where the state of the run is noted: Indexed or Noted; empty: nowhere, as
	// earlier versions did. Listed is the state that was noted last.
	Listing string `json:"listing,omitzero"`
	Listed  string `json:"listed,omitzero"`

	Deliver state.Deliver `json:"deliver,omitzero"`

	Whole string `json:"whole,omitzero"` // hash of what the plan states for all phases

	// Rows says that workers integrate what is ready in rows; earlier versions integrate one work
	// an activity.
	Rows bool `json:"rows,omitzero"`
}

// Refs are the attempts of each phase that left something in git, oldest first.
type Refs map[string][]Ref

// Ref is what one attempt left in git.
type Ref struct {
	Attempt int    `json:"attempt"`
	Key     string `json:"key"`
	Branch  string `json:"branch,omitzero"` // autobuild/RUN/PHASE/ATTEMPT-SHA
	Work    string `json:"work,omitzero"`   // commit of unfinished work, on its base
	Commit  string `json:"commit,omitzero"` // verified work, on the tip that it was judged on
	Record  string `json:"record,omitzero"` // commit with the whole result and the logs
}

// Options are orchestrator.Options without what must not travel.
type Options struct {
	Jobs      int                           `json:"jobs"`
	Schedule  orchestrator.Schedule         `json:"schedule,omitzero"`
	KeepGoing bool                          `json:"keep_going,omitzero"`
	Selected  []bool                        `json:"selected,omitzero"`
	Held      []bool                        `json:"held,omitzero"`
	MaxCost   float64                       `json:"max_cost,omitzero"`
	MaxTokens int64                         `json:"max_tokens,omitzero"`
	StopLimit bool                          `json:"stop_limit,omitzero"`
	Agents    [][]orchestrator.Agent        `json:"agents,omitzero"`
	Tiers     map[string]orchestrator.Agent `json:"tiers,omitzero"`
	GoOn      time.Time                     `json:"go_on,omitzero"`
	Attempts  int                           `json:"attempts"` // that the policy allows
}

// Phase is a phase of the plan with where it stands.
type Phase struct {
	ID       string   `json:"id"`
	Label    string   `json:"label"`
	Name     string   `json:"name,omitzero"`
	Needs    []string `json:"needs,omitzero"`
	Weight   float64  `json:"weight,omitzero"`
	Print    string   `json:"print,omitzero"`
	Settings string   `json:"settings,omitzero"` // hash of its gates, setup and settings
	RunsOn   string   `json:"runs_on,omitzero"`
	Attempts int      `json:"attempts,omitzero"` // that a policy of its own allows
	Standing Standing `json:"standing,omitzero"`
}

// Standing is state.Phase without texts.
type Standing struct {
	Status    state.Status      `json:"status,omitzero"`
	Attempts  []state.Attempt   `json:"attempts,omitzero"`
	Max       int               `json:"max,omitzero"`
	BlockedBy string            `json:"blocked_by,omitzero"`
	Until     time.Time         `json:"until,omitzero"`
	Account   string            `json:"account,omitzero"`
	Waits     int               `json:"waits,omitzero"`
	Limits    []state.Limit     `json:"limits,omitzero"`
	Refused   []string          `json:"refused,omitzero"`
	Retry     bool              `json:"retry,omitzero"`
	Print     string            `json:"print,omitzero"`
	Commit    *state.Commit     `json:"commit,omitzero"`
	Was       state.Status      `json:"was,omitzero"`
	Past      []failure.Earlier `json:"past,omitzero"`
	Revisions int               `json:"revisions,omitzero"`
	Proposals int               `json:"proposals,omitzero"`
	Spent     state.Usage       `json:"spent,omitzero"`
	ErrorWait bool              `json:"error_wait,omitzero"`
	Notes     []state.Note      `json:"notes,omitzero"` // Text is the Ref of a Command; empty: in the spec
	Removed   bool              `json:"removed,omitzero"`
	Edited    time.Time         `json:"edited,omitzero"`
}

// Errand is one activity.
type Errand struct {
	Run      string              `json:"run"`
	Session  int                 `json:"session"`
	Spec     string              `json:"spec"`
	Phase    string              `json:"phase,omitzero"`
	Label    string              `json:"label,omitzero"`
	Name     string              `json:"name,omitzero"`
	Attempt  int                 `json:"attempt,omitzero"`
	Key      string              `json:"key,omitzero"`
	Statuses string              `json:"statuses,omitzero"` // a letter a phase, see Letter
	Phases   map[string]Standing `json:"phases,omitzero"`   // that the task is made of
	Refs     Refs                `json:"refs,omitzero"`
	Work     string              `json:"work,omitzero"`  // commit from which the attempt goes on
	Spent    state.Usage         `json:"spent,omitzero"` // of the run so far
	Avoid    []string            `json:"avoid,omitzero"` // workers that lack something
	Ref      Ref                 `json:"ref,omitzero"`   // of Integrate: what the attempt left
	Heads    map[string]string   `json:"heads,omitzero"` // of Publish: branches and their commits
}

// Outcome is how an activity ended.
type Outcome struct {
	Result      state.Result      `json:"result"`
	Decision    *failure.Decision `json:"decision,omitzero"` // of the phase's own policy
	Ref         Ref               `json:"ref,omitzero"`
	Worker      string            `json:"worker,omitzero"`
	Interrupted bool              `json:"interrupted,omitzero"`
	Broken      bool              `json:"broken,omitzero"` // the record has the error
	Gates       []state.Gate      `json:"gates,omitzero"`  // of Final
}

// Landed reports whether verified work is in Ref.Commit.
func (o Outcome) Landed() bool {
	return !o.Interrupted && !o.Broken && o.Result.Attempt.Failure == nil && o.Result.Spent == ""
}

// Event is an event of the run; what it lacks is in the record.
type Event struct {
	state.Event
	Record string `json:"record,omitzero"`
	Branch string `json:"ref,omitzero"`
	Work   string `json:"work,omitzero"`
	Worker string `json:"worker,omitzero"`
	// Command is the Ref of the command from which the event follows.
	Command string `json:"command,omitzero"`
}

// Page is the answer to Query.
type Page struct {
	First    int     `json:"first"` // number of the first event, from 0 over all links
	Events   []Event `json:"events,omitzero"`
	Total    int     `json:"total"`
	Previous string  `json:"previous,omitzero"` // the link with the events before
	Output   *Output `json:"output,omitzero"`   // once the run has ended
	Spec     string  `json:"spec,omitzero"`     // by which new attempts go
}

// Output is how a workflow ended.
type Output struct {
	Cause   orchestrator.Cause `json:"cause,omitzero"`
	Type    failure.Type       `json:"type,omitzero"`
	Reason  string             `json:"reason,omitzero"`
	Record  string             `json:"record,omitzero"` // of what was Broken
	Phase   string             `json:"phase,omitzero"`  // … and its phase
	Final   []state.Gate       `json:"final,omitzero"`
	Stopped bool               `json:"stopped,omitzero"` // by a signal
	First   int                `json:"first"`            // number of the first event of Tail
	Tail    []Event            `json:"tail,omitzero"`
}

// Command is what a user asks of the run. Its words are in git: By and Text stand for them, see
// ThinCommand.
type Command struct {
	orchestrator.Command

	Ref  string `json:"ref"`           // commit with the whole command; of an edit: its spec
	Edit *Edit  `json:"edit,omitzero"` // of ReloadPlan
}

// Edit is an edited plan, without where its phases stand.
type Edit struct {
	Phases  []Phase `json:"phases"`
	Options Options `json:"options"`
	Whole   string  `json:"whole,omitzero"`
}

// Answer is the run's answer to a Command: Text, or why nothing was done.
type Answer struct {
	Text   string `json:"text,omitzero"`
	Why    string `json:"why,omitzero"`
	Next   string `json:"next,omitzero"`
	Events int    `json:"events"` // of the run, with those that follow from the command
}

// by ends the word that stands for the name of a user.
const by = "/by"

// ThinCommand is a command as it may travel. ref is the commit that holds it whole.
func ThinCommand(c orchestrator.Command, ref string) Command {
	if c.Text != "" {
		c.Text = ref
	}
	if c.By != "" {
		c.By = ref + by
	}
	return Command{Command: c, Ref: ref}
}

// Worded puts the words of a command into a text that was made of the command without them.
func Worded(text, ref string, c orchestrator.Command) string {
	return strings.NewReplacer(ref+by, c.By, ref, strings.TrimSpace(c.Text)).Replace(text)
}

// Beat is the detail of a heartbeat.
type Beat struct {
	Worker string `json:"worker"`
	Phase  string `json:"phase,omitzero"`
	Stage  string `json:"stage,omitzero"` // agent, gates or git
	Tail   string `json:"tail,omitzero"`  // commit with the end of the log
}

// QueueFor is the task queue in which workers with these labels, joined by commas, look for work.
func QueueFor(queue, labels string) string {
	set := Labels(labels)
	if len(set) == 0 {
		return queue
	}
	return queue + "." + strings.Join(set, "+")
}

// Labels splits labels, sorts them and leaves out repetitions.
func Labels(s string) []string {
	set := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r == ',' || r == ' ' })
	slices.Sort(set)
	return slices.Compact(set)
}

// Queues are the queues of a worker with these labels: that of no label, and one for each of their
// combinations, of which a worker with more than six labels serves those of at most two.
func Queues(queue string, labels []string) []string {
	queues := []string{queue}
	all := Labels(strings.Join(labels, ","))
	const most = 6
	for bits := 1; bits < 1<<len(all) && len(all) <= most; bits++ {
		var set []string
		for i, label := range all {
			if bits&(1<<i) != 0 {
				set = append(set, label)
			}
		}
		queues = append(queues, QueueFor(queue, strings.Join(set, ",")))
	}
	for i := 0; i < len(all) && len(all) > most; i++ {
		queues = append(queues, QueueFor(queue, all[i]))
		for _, other := range all[i+1:] {
			queues = append(queues, QueueFor(queue, all[i]+","+other))
		}
	}
	return queues
}
