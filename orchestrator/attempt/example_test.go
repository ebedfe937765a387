package attempt_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"autobuild/failure"
	"autobuild/orchestrator/attempt"
	"autobuild/orchestrator/verify/referee"
	"autobuild/plan"
	"autobuild/state"
)

// desk is a workspace, an agent and a verifier of one directory. The agent claims what it does not
// do.
type desk struct {
	attempt.PlainSpace
	dir string
}

func (desk) Continues() bool { return false }

func (d desk) Run(_ context.Context, job attempt.Job) (attempt.Outcome, error) {
	job.Activity("thinking", 0)
	final := "Done!\n```json\n" + `{"nonce": "n1", "phase_id": "1", "status": "complete", "tasks": {"total": 1, "completed": 1}}` + "\n```"
	return attempt.Outcome{Claims: true, Final: final}, nil
}

func (d desk) Judge(_ context.Context, at referee.Shown, _ string, specs []state.GateSpec, each func(state.Gate)) (referee.Outcome, error) {
	g := state.Gate{Name: specs[0].Name, Kind: specs[0].Kind, Command: specs[0].Command, Status: state.GatePassed}
	if _, err := os.Stat(filepath.Join(at.Dir, "greeting.txt")); err != nil {
		g.Status, g.Exit, g.Tail = state.GateFailed, 1, "cat: greeting.txt: No such file or directory"
	}
	each(g)
	return referee.Outcome{Ran: true, Gates: []state.Gate{g}}, nil
}

func (d desk) Setup(context.Context, string, string, []string) (*state.Gate, error) { return nil, nil }

func (d desk) Open(context.Context, string, bool) (attempt.Tree, error) {
	return attempt.Tree{Dir: d.dir}, nil
}

func (d desk) Changes(context.Context, attempt.Tree, string) (state.Changes, []string, error) {
	return state.Changes{Modified: []string{"notes.txt"}}, nil, nil
}

func (d desk) Land(context.Context, attempt.Tree, attempt.Landing) (attempt.Landed, error) {
	return attempt.Landed{}, nil
}

func (d desk) Candidate(context.Context, attempt.Tree, attempt.Landing) (attempt.Candidate, error) {
	return attempt.Candidate{}, nil
}

func (d desk) Bench(context.Context, func()) (attempt.Bench, error) { return bench{d.dir}, nil }

func (desk) Between(context.Context, attempt.Candidate, []string) ([]failure.Conflict, error) {
	return nil, nil
}
func (d desk) Done(context.Context, attempt.Tree, string) error { return nil }

// bench judges where the work lies.
type bench struct{ dir string }

func (b bench) Show(context.Context, string, []string, func(context.Context, string, []string) error) (referee.Shown, error) {
	return referee.Shown{Dir: b.dir}, nil
}
func (bench) Cold()                                                    {}
func (bench) Accept(context.Context, string) error                     { return nil }
func (bench) Rehearse(context.Context, string, string) (string, error) { return "", nil }
func (bench) Changed(context.Context) (bool, error)                    { return false, nil }
func (bench) Leave()                                                   {}

// An agent claims to be done. A gate does not find what it should have made, and that decides.
func ExampleRunner_Attempt() {
	p, err := plan.New(plan.Draft{Phases: []plan.DraftPhase{{Phase: plan.Phase{Label: "1", Name: "Greet"}}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir) //nolint:errcheck // an example
	d := desk{dir: dir}
	runner := &attempt.Runner{
		Agent: d, Verifier: d, Workspace: d, Plan: p, Name: "optimist",
		Gates: func(string, plan.Phase) []state.GateSpec {
			return []state.GateSpec{{Name: "greeting", Kind: "test", Command: "cat greeting.txt"}}
		},
		Log: func(string) (*os.File, string, error) {
			log, failed := os.CreateTemp(dir, "log")
			return log, "phase-1.1.log", failed
		},
		Scratch: func() (string, func(), error) { return dir, func() {}, nil },
		Nonce:   func() string { return "n1" },
	}
	result, err := runner.Attempt(context.Background(), state.Task{Phase: p.At(0), Attempt: 1}, func(e state.Event) {
		fmt.Println("·", e.Type)
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	failed := result.Attempt.Failure
	fmt.Println(result.Attempt.Verdict)
	fmt.Printf("%s: %s\n", failed.Type, failed.Message)
	// Output:
	// · phase.activity
	// · agent.finished
	// · gate.finished
	// refused
	// verification_mismatch: claimed complete, but gate greeting failed with exit code 1: cat: greeting.txt: No such file or directory
}
