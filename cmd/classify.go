package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"autobuild/cmd/classify"
	"autobuild/failure"
	"autobuild/internal/text"
	"autobuild/orchestrator/session/call"
)

func (a *app) classifyCommand() *cobra.Command {
	var full bool
	c := &cobra.Command{
		Use:   "classify [FILE]",
		Short: "Classify a failure (F1 to F6) from JSON on stdin",
		Long: `Classify one failure of any program, described as JSON in FILE or on stdin. The same input always gives
the same answer, and no model is asked.
  F1 it may pass by itself                   F4 it is at odds with its siblings
  F2 the work is wrong                       F5 it contradicts what the whole plan is for
  F3 the work cannot succeed as it is cut    F6 two changed the same thing

Every member is optional, and unknown ones are refused:
  tool       the command line that failed, or a tool's name
  kind       lint, format, typecheck, test, build, setup, agent, git or custom; else guessed from tool
  exit_code, signal, timed_out, idle, not_available, after ("30m0s")
  stdout_tail, stderr_tail, output, test_output, stderr_hash
  files_touched, missing_files, no_change, cause ("conflict"), conflict_id
  node       {id, parent_id, status, failed_attempts, attempts_allowed, replan_budget_remaining,
             revisions, token_overrun, deviation_score, intent_contradicted}
  history    [{node_id, stderr_hash, stderr_tail, files_touched}], oldest first
  siblings   [{id, files_touched}]
  claim      {status, tasks: {total, completed}, error: {type, message, category, retryable}, tier}
  agent      {name, kind, message}

Exit code 0: classified. 2: the input is not valid, or describes nothing that failed.`,
		Example: `  echo '{"tool": "npm test", "exit_code": 1, "stderr_tail": "TypeError: x is not a function"}' | autobuild classify
  autobuild classify --full failure.json    everything that follows from it: type, category, guidance, actions
  autobuild classify < failure.json | jq -r .recommended_action`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return call.Usage("classify reads one failure at a time",
					"give one FILE, or none to read stdin")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			raw, err := a.readSignal(c.InOrStdin(), args)
			if err != nil {
				return err
			}
			class, d, err := classify.JSON(raw)
			if wrong, ok := errors.AsType[*classify.InputError](err); ok {
				return call.Usage(wrong.What, wrong.Next)
			}
			if err != nil {
				return err
			}
			var answer any = class
			if full {
				answer = fullAnswer{d, d.Category.Nature()}
			}
			return a.printJSON(answer)
		},
	}
	c.Flags().BoolVar(&full, "full", false, "print the whole diagnosis")
	return c
}

// fullAnswer is a diagnosis with what is known of its category beside.
type fullAnswer struct {
	failure.Diagnosis
	Nature failure.Nature `json:"nature"`
}

func (a *app) readSignal(stdin io.Reader, args []string) ([]byte, error) {
	from, shown := stdin, "stdin"
	if len(args) == 1 && args[0] != "-" {
		shown = args[0]
		file, err := os.Open(a.Path(args[0]))
		if errors.Is(err, os.ErrNotExist) {
			return nil, call.Usage(text.Clean(shown, 200)+" does not exist",
				"name a file of JSON, or give it on stdin")
		}
		if err != nil {
			return nil, fmt.Errorf("reading the failure: %w", err)
		}
		defer file.Close() //nolint:errcheck // read only
		from = file
	}
	raw, err := io.ReadAll(io.LimitReader(from, classify.MaxInput+1))
	if err != nil {
		return nil, fmt.Errorf("reading the failure from %s: %w", shown, err)
	}
	if len(raw) > classify.MaxInput {
		return nil, call.Usage(fmt.Sprintf("%s has more than %d MB", text.Clean(shown, 200),
			classify.MaxInput>>20), "give the ends of outputs, not whole logs")
	}
	return raw, nil
}

// printJSON prints a value as people and programs read it.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.Answer())
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
