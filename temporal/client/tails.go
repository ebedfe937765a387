package client

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autobuild/internal/safefile"
	"go.temporal.io/sdk/converter"

	"autobuild/temporal/dataplane"
	"autobuild/temporal/wire"
)

// tails are the ends of logs that grow on workers, as far as they are here.
type tails struct {
	seen  []string         // commits
	ends  map[string]int64 // by name of the log: how much of it is here
	hosts map[string]string
}

// mirrorLogs brings what running attempts have logged since it was called last. It is best effort:
// whole logs come with the ends of attempts.
func (f *follower) mirrorLogs(ctx context.Context) {
	seen, err := f.conn.DescribeWorkflowExecution(ctx, f.id, "")
	if err != nil {
		return
	}
	var commits []string
	for _, a := range seen.GetPendingActivities() {
		var b wire.Beat
		if a.GetHeartbeatDetails() == nil ||
			f.converter.FromPayloads(a.GetHeartbeatDetails(), &b) != nil || b.Tail == "" ||
			slices.Contains(f.tails.seen, b.Tail) {
			continue
		}
		commits = append(commits, b.Tail)
	}
	if len(commits) == 0 || f.remote.Fetch(ctx, commits...) != nil {
		return
	}
	for _, c := range commits {
		t, err := dataplane.ReadTail(ctx, f.git, c)
		if err == nil {
			err = f.addTail(t)
		}
		if err == nil {
			f.tails.seen = append(f.tails.seen, c)
		}
	}
	f.tails.seen = f.tails.seen[max(0, len(f.tails.seen)-wire.MaxJobs):]
}

// addTail appends what is new in a tail to the log here. A log of another worker begins anew.
func (f *follower) addTail(t dataplane.Tail) error {
	if t.Log != filepath.Base(t.Log) || !strings.HasPrefix(t.Log, "phase-") {
		return nil
	}
	have, known := f.tails.ends[t.Log]
	dir := filepath.Join(f.Project.StateDir, "logs")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	flag := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if !known || f.tails.hosts[t.Log] != t.Worker {
		flag, have = flag|os.O_TRUNC, 0
	}
	log, err := safefile.OpenFile(filepath.Join(dir, t.Log), flag, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // the whole log comes later
	from := min(max(0, have-t.At), int64(len(t.Text)))
	if t.At > have {
		_, err = log.WriteString("\n[the middle of this log comes when the attempt ends]\n")
	}
	if err == nil {
		_, err = log.WriteString(t.Text[from:])
	}
	if f.tails.ends == nil {
		f.tails.ends, f.tails.hosts = make(map[string]int64), make(map[string]string)
	}
	f.tails.ends[t.Log], f.tails.hosts[t.Log] = max(have, t.At+int64(len(t.Text))), t.Worker
	return err
}

// converterOf reads payloads as a connection with these options writes them.
func converterOf(own converter.DataConverter) converter.DataConverter {
	if own == nil {
		return converter.GetDefaultDataConverter()
	}
	return own
}
