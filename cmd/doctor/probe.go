package doctor

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"autobuild/internal/proc"
	"autobuild/internal/safefile"
	"autobuild/orchestrator/agent"
	"autobuild/orchestrator/session/config"
	"autobuild/orchestrator/session/confine"
	"autobuild/orchestrator/session/preflight"
	"autobuild/orchestrator/verify"
	"autobuild/render"
)

// probe lets the agent write one file in an empty directory, with the environment and in the
// sandbox of a run. Only a file with the right word proves that the agent works.
func (d *Doctor) probe(ctx context.Context, name string, c config.Agent) error {
	d.Note("the probe spends one small turn of %s, and ends within a minute", name)
	var made agent.Agent
	c, err := c.Resolve(name, d.Environ.Get)
	if err != nil {
		return err
	}
	if len(c.Command) > 0 {
		made, err = c.Define(d.Runner, name)
	} else {
		made, _ = agent.Builtin(d.Runner, name, c.Args, c.Env)
	}
	if err != nil {
		return err
	}
	rooms := &verify.Rooms{Owner: "doctor", Dir: preflight.Temporary()}
	dir, remove, err := rooms.Scratch()
	if err != nil {
		return err
	}
	defer remove()
	room, err := rooms.Take()
	if err != nil {
		return err
	}
	defer room.Leave()
	work := filepath.Join(dir, "work")
	if err = os.Mkdir(work, 0o700); err != nil {
		return err
	}
	var secret [8]byte
	_, _ = rand.Read(secret[:]) // never fails
	word := hex.EncodeToString(secret[:])
	maps.Copy(room.Vars, map[string]string{
		"AUTOBUILD_RUN_ID": "doctor", "AUTOBUILD_PHASE_ID": "probe", "AUTOBUILD_PHASE_LABEL": "probe",
		"AUTOBUILD_ATTEMPT": "1", "AUTOBUILD_NONCE": "probe", "AUTOBUILD_RESULT_FILE": filepath.Join(dir, "result.json"),
	})
	box, err := d.confine(rooms)
	if err != nil {
		return err
	}
	if box != nil {
		d.Runner.Confine = box.Command
		defer func() { d.Runner.Confine = nil }()
	}
	out, err := made.Run(ctx, agent.Job{
		Prompt: "Write a file named answer.txt in the current directory that holds the one word " +
			word + " and nothing else. Then end.\n",
		Dir: work, Scratch: dir, Env: proc.Environ(d.children(), room.Vars), Timeout: cmp.Or(d.limit, probePatience),
		Model: c.Model,
	})
	if err != nil {
		return err
	}
	raw, unread := safefile.ReadPlain(filepath.Join(work, "answer.txt"), safefile.Small)
	d.judge(name, out, unread == nil && strings.TrimSpace(string(raw)) == word)
	if box == nil {
		return nil
	}
	for _, denied := range box.Denied(work, strings.Join([]string{out.Tail, out.Final, out.Message, out.Words}, "\n")) {
		d.say("agent "+name, render.Caution, "name "+cmp.Or(denied.Allow, "it")+" under sandbox.write in "+config.Name+", or use --sandbox off",
			"probe: the sandbox denies writing %s", denied.Path)
	}
	return nil
}

// confine is the sandbox that a run would put the agent in; nil: none.
func (d *Doctor) confine(rooms *verify.Rooms) (*confine.Box, error) {
	choice, err := confine.Choose(d.asked, d.Try)
	if err != nil || choice.Means == "" {
		return nil, err
	}
	box := &confine.Box{Means: choice.Means, Dir: d.Dir, Environ: d.Environ, Rooms: rooms.Prefix()}
	if d.project != nil {
		box.Root, box.Write = d.project.Root, d.project.Settings.Write
	}
	if err = box.Prepare(); err != nil {
		return nil, err
	}
	return box, nil
}

// judge adds what the probe has shown. wrote: the file holds the word.
func (d *Doctor) judge(name string, out agent.Outcome, wrote bool) {
	topic := "agent " + name
	spent := fmt.Sprintf("%d tokens in, %d out", out.InputTokens, out.OutputTokens)
	if out.CostUSD > 0 {
		spent += fmt.Sprintf(", $%.4f", out.CostUSD)
	}
	byHand := cmp.Or(out.Remedy,
		"run "+name+" by hand: log in, check billing, the model's name and the flags")
	ending := fmt.Sprintf("ended with exit code %d", out.ExitCode)
	if out.Signal != "" {
		ending = "was ended by " + out.Signal
	}
	said := firstWords(cmp.Or(out.Final, out.Message, out.Tail))
	fatal := func(fix, format string, args ...any) {
		d.say(topic, render.Fatal, fix, "probe: "+format, args...)
	}
	switch {
	case out.Err != "":
		fatal(byHand, "it could not start: %s", out.Err)
	case out.Kind == agent.UsageLimit: // login and network are proved
		d.say(topic, render.Caution, "nothing: a run waits for the reset, or goes on with another: --agent "+name+",OTHER",
			"probe: %s: %s", out.Kind, firstWords(out.Message))
	case out.Kind == agent.Transient:
		fatal("check the network, the proxy and the provider's status; then probe again",
			"its model does not answer: %s", firstWords(out.Message))
	case out.Kind != "":
		fatal(byHand, "%s: %s", out.Kind, firstWords(out.Message))
	case out.TimedOut:
		fatal(byHand, "no end within %s; last sign of life: %s", cmp.Or(d.limit, probePatience), firstWords(out.Last))
	case !wrote:
		fatal("allow it to write files, or log in; see the agent's page in docs/agents.md",
			"it %s and did not write what it was asked to (%s): %s", ending, spent, said)
	case out.ExitCode != 0 || out.Signal != "":
		d.say(topic, render.Caution, byHand, "probe: it wrote the file, and %s, which a run does not take for success (%s): %s", ending, spent, said)
	default:
		d.say(topic, render.Fine, "", "probe: it wrote the file in %s (%s)", out.Duration.Round(time.Second), spent)
	}
}
