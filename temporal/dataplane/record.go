package dataplane

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"autobuild/internal/proc"
	"autobuild/internal/safefile"
	"autobuild/internal/secret"
	"autobuild/orchestrator/attempt"
	"autobuild/state"

	"autobuild/temporal/wire"
)

// MaxLog bounds one log in a record, in bytes: its end is kept.
const MaxLog = 1 << 20

// maxRead bounds a log that is read for its end: longer ones stay on the worker alone.
const maxRead = 256 << 20

// Record is all that an attempt, or the final gates, left besides the work.
type Record struct {
	Outcome wire.Outcome    `json:"outcome"`         // as it travelled, without Ref.Record
	Result  state.Attempt   `json:"result"`          // whole
	Events  []state.Event   `json:"events,omitzero"` // of the attempt, with their times
	Gates   []state.Gate    `json:"gates,omitzero"`
	Err     string          `json:"error,omitzero"` // of what was Broken
	Nonce   string          `json:"nonce,omitzero"`
	Said    attempt.Outcome `json:"said,omitzero"`        // of the agent
	File    string          `json:"result_file,omitzero"` // that the agent wrote
}

// WriteRecord makes a commit of a record and the logs in a directory, in the repository g.
func WriteRecord(ctx context.Context, g Git, r Record, logs string) (string, error) {
	raw, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	files := map[string][]byte{"record.json": raw}
	names, err := os.ReadDir(logs)
	for _, n := range names {
		if !n.Type().IsRegular() {
			continue
		}
		text, unread := safefile.Read(filepath.Join(logs, n.Name()), maxRead)
		if unread != nil {
			continue
		}
		files["logs/"+n.Name()] = text[max(0, len(text)-MaxLog):]
	}
	if err != nil && !os.IsNotExist(err) {
		return "", err
	}
	return WriteFiles(ctx, g, "record", files)
}

// masker is what hides secrets in a file: those of the environment, and what looks like one.
func (g Git) masker() func(name string, data []byte) []byte {
	runner := &proc.Runner{Secrets: secret.Values(g.Env)}
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case string:
			return runner.Mask(v)
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case map[string]any:
			for key := range v {
				v[key] = walk(v[key])
			}
		}
		return v
	}
	return func(name string, data []byte) []byte {
		var value any
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.UseNumber()
		if filepath.Ext(name) != ".json" || decoder.Decode(&value) != nil {
			return []byte(runner.Mask(string(data)))
		}
		out, err := json.Marshal(walk(value))
		if err != nil {
			return nil
		}
		return out
	}
}

// WriteFiles makes a commit without a parent of files in at most one folder each. Secrets in them are
// masked.
func WriteFiles(
	ctx context.Context, g Git, message string, files map[string][]byte,
) (string, error) {
	folders := map[string][]string{}
	hide := g.masker()
	for name, data := range files {
		id, err := g.RunInput(ctx, hide(name, data), "hash-object", "-w", "--stdin")
		if err != nil {
			return "", err
		}
		folder, base, in := strings.Cut(name, "/")
		if !in {
			folder, base = "", name
		}
		folders[folder] = append(folders[folder], fmt.Sprintf("100644 blob %s\t%s", id, base))
	}
	tree := func(lines []string) (string, error) {
		sort.Strings(lines)
		return g.RunInput(ctx, []byte(strings.Join(lines, "\x00")+"\x00"), "mktree", "-z")
	}
	top := folders[""]
	for folder, lines := range folders {
		if folder == "" {
			continue
		}
		id, err := tree(lines)
		if err != nil {
			return "", err
		}
		top = append(top, fmt.Sprintf("040000 tree %s\t%s", id, folder))
	}
	id, err := tree(top)
	if err != nil {
		return "", err
	}
	return g.Commit(ctx, id, message)
}

// Commit makes a commit of a tree under autobuild's own name.
func (g Git) Commit(ctx context.Context, tree, message string, parents ...string) (string, error) {
	args := []string{
		"-c", "user.name=autobuild", "-c", "user.email=autobuild@localhost",
		"-c", "commit.gpgsign=false", "commit-tree", tree, "-m", message,
	}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	return g.Run(ctx, args...)
}

// ReadRecord reads a record that is here.
func ReadRecord(ctx context.Context, g Git, commit string) (r Record, err error) {
	err = read(ctx, g, commit, "record", &r)
	return r, err
}

// Logs are the logs of a record, by name.
func Logs(ctx context.Context, g Git, commit string) (map[string][]byte, error) {
	out, err := g.Run(ctx, "ls-tree", "-z", "--name-only", "-r", commit)
	if err != nil {
		return nil, err
	}
	logs := map[string][]byte{}
	for name := range strings.SplitSeq(out, "\x00") {
		base, ok := strings.CutPrefix(name, "logs/")
		if !ok || base != filepath.Base(base) {
			continue
		}
		text, err := g.Run(ctx, "cat-file", "blob", commit+":"+name)
		if err != nil {
			return nil, err
		}
		logs[base] = []byte(text)
	}
	return logs, nil
}
