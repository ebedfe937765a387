package main

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/proc"
)

// adapters holds a script for each neighbour that the contest can drive, and the coding agent that
// they believe to drive.
//
//go:embed rivals
var adapters embed.FS

// rivals are the programs that have a column where they are on PATH.
var rivals = []string{"ralphex", "ralph-tui", "orkestra"}

// choose picks columns by name; absent has a line for each rival that cannot play, with the reason.
func (c *contest) choose(names string) (columns []column, absent []string, err error) {
	all := ownColumns()
	for _, rival := range rivals {
		script, err := fs.ReadFile(adapters, "rivals/"+rival+".sh")
		switch {
		case c.find(rival) == "":
			absent = append(absent, rival+": not installed")
		case err != nil:
			absent = append(absent,
				rival+": installed, and bench/truth/rivals has no script for it")
		default:
			all = append(all, column{name: rival, about: rival, play: playRival(string(script))})
		}
	}
	if names == "" {
		return all, absent, nil
	}
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(all, func(col column) bool { return col.name == name })
		if i < 0 {
			return nil, nil, fmt.Errorf("column %s is not known here", name)
		}
		columns = append(columns, all[i])
	}
	return columns, absent, nil
}

// playRival runs a neighbour in the user's checkout and commits what it leaves. Its script ends
// with 0 where it says that all phases are done.
func playRival(script string) func(context.Context, *place) (outcome, error) {
	return func(ctx context.Context, p *place) (outcome, error) {
		agent, err := fs.ReadFile(adapters, "rivals/claude")
		if err != nil {
			return outcome{}, err
		}
		tools := filepath.Join(p.root, "tools")
		if err = writeFile(filepath.Join(tools, "claude"), string(agent)); err != nil {
			return outcome{}, err
		}
		exit, err := p.run(ctx, proc.Command{
			Argv: []string{"bash", "-c", script},
			Dir:  p.repo(),
			Env: p.env(p.home(), tools+string(os.PathListSeparator)+p.toolPath(), map[string]string{
				"CONTEST_AGENT": p.agent(), "CONTEST_PHASES": strings.Join(p.scenario.phases(),
					" "),
			}),
			Timeout: attempts*p.scenario.Timeout + oracleLimit,
		})
		if err != nil || !exit.OK() {
			return outcome{said: saidFailed, took: exit.Duration}, err
		}
		return p.commitAll(ctx)
	}
}
