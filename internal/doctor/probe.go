package doctor

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"autobuild/internal/config"
	"autobuild/internal/proc"
	"autobuild/internal/safefile"
	"autobuild/orchestrator/agent"
	"autobuild/orchestrator/verify"
	"autobuild/render"
)

// probe lets the agent write one file in an empty directory.
func (d *Doctor) probe(ctx context.Context, name string, c config.Agent) error {
	topic := "agent " + name
	d.Note("the probe spends one small turn of %s", name)
	var made agent.Agent
	var err error
	if len(c.Command) > 0 {
		made, err = c.Define(d.Runner, name)
	} else {
		made, _ = agent.Builtin(d.Runner, name, c.Args, c.Env)
	}
	if err != nil {
		return err
	}
	dir, remove, err := (&verify.Rooms{Owner: "doctor"}).Scratch()
	if err != nil {
		return err
	}
	defer remove()
	work := filepath.Join(dir, "work")
	if err = os.Mkdir(work, 0o700); err != nil {
		return err
	}
	var secret [8]byte
	_, _ = rand.Read(secret[:]) // never fails
	word := hex.EncodeToString(secret[:])
	out, err := made.Run(ctx, agent.Job{
		Prompt: "Write a file named answer.txt in the current directory that holds the one word " + word + " and nothing else. Then end.\n",
		Dir:    work, Scratch: dir, Env: proc.Environ(d.Environ, nil), Timeout: probePatience, Model: c.Model,
	})
	if err != nil {
		return err
	}
	spent := fmt.Sprintf("%d tokens in, %d out", out.InputTokens, out.OutputTokens)
	if out.CostUSD > 0 {
		spent += fmt.Sprintf(", $%.4f", out.CostUSD)
	}
	byHand := "run " + name + " by hand: log in, check billing, the model's name and the flags"
	raw, err := safefile.ReadPlain(filepath.Join(work, "answer.txt"), safefile.Small)
	switch {
	case out.Err != "":
		d.say(topic, render.Fatal, byHand, "probe: it could not start: %s", out.Err)
	case out.Kind == agent.UsageLimit || out.Kind == agent.Transient:
		d.say(topic, render.Caution, "nothing: a run waits for that, or goes on with another: --agent "+name+",OTHER", "probe: %s: %s", out.Kind, firstWords(out.Message))
	case out.Kind != "":
		d.say(topic, render.Fatal, byHand, "probe: %s: %s", out.Kind, firstWords(out.Message))
	case out.TimedOut:
		d.say(topic, render.Fatal, byHand, "probe: no end within %s; last sign of life: %s", probePatience, firstWords(out.Last))
	case err != nil || strings.TrimSpace(string(raw)) != word:
		d.say(topic, render.Fatal, "allow it to write files; see the agent's page in docs/agents.md",
			"probe: it ended with exit code %d and did not write what it was asked to (%s): %s", out.ExitCode, spent, firstWords(cmp.Or(out.Final, out.Message, out.Tail)))
	default:
		d.say(topic, render.Fine, "", "probe: it wrote the file in %s (%s)", out.Duration.Round(time.Second), spent)
	}
	return nil
}
