package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"time"

	"autobuild/internal/safefile"
	"autobuild/state"
)

// maxLookedBack bounds, in bytes, how far back in the diary the beginning of an attempt is looked
// for.
const maxLookedBack = 16 << 20

// CutOffs looks up how the attempt ended of each phase that is recorded as running without a
// worker. It reads the last start in the diary and the last line of the attempt's log. kills is the
// present count of the system. Unreadable facts stay unknown.
func CutOffs(stateDir string, run *state.Run, kills state.MemoryKills) {
	var running []*state.Phase
	for i := range run.Phases {
		if p := &run.Phases[i]; p.Status == state.Running && len(p.Attempts) > 0 {
			running = append(running, p)
		}
	}
	if len(running) == 0 {
		return
	}
	root, err := openRoot(stateDir)
	if err != nil {
		return
	}
	defer root.Close() //nolint:errcheck // it was only read
	steps := lastSteps(stateDir, len(running))
	for _, p := range running {
		last, _ := p.Last()
		step, alive := "agent", last.Started
		if e, ok := steps[p.ID]; ok && e.Type != state.PhaseStarted {
			if step, alive = string(e.Type), later(alive, e.Time); e.Gate != nil {
				step += " " + e.Gate.Name
			}
		}
		if step == "agent" {
			line, written := lastLine(root, fmt.Sprintf("%s/phase-%s.%d.log", logsDir, p.ID,
				last.N), last.Started)
			if step, alive = "", later(alive, written); line != "" {
				step = "agent " + line
			}
		}
		if len(running) > 1 {
			step = "" // another phase may be the cause
		}
		p.Cut = state.CutOff{
			Place: step, After: alive.Sub(last.Started),
			Memory: kills.Since(last.Kills),
		}
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// lastSteps is the diary's last event of each phase, up to the start of the earliest of n that run.
func lastSteps(stateDir string, n int) map[string]state.Event {
	steps := map[string]state.Event{}
	f, err := openDiary(stateDir)
	if err != nil {
		return steps
	}
	defer f.Close() //nolint:errcheck // it was only read
	seen := 0
	_ = linesBack(f, func(line []byte) bool {
		var e state.Event
		if seen += len(line); json.Unmarshal(line, &e) != nil || e.Phase == "" ||
			e.Type == state.Notice {
			return seen < maxLookedBack
		}
		if _, ok := steps[e.Phase]; !ok {
			steps[e.Phase] = e
		}
		if e.Type == state.PhaseStarted {
			n--
		}
		return n > 0 && seen < maxLookedBack
	})
	return steps
}

// lastLine is a fingerprint of the last line in a log, its digits left out, and when it was
// written. Both are zero for a log that is empty, or older than the attempt.
func lastLine(root *os.Root, name string, started time.Time) (string, time.Time) {
	f, err := safefile.OpenIn(root, filepath.FromSlash(name), os.O_RDONLY, 0)
	if err != nil {
		return "", time.Time{}
	}
	defer f.Close() //nolint:errcheck // it was only read
	info, err := f.Stat()
	if err != nil || info.Size() == 0 || info.ModTime().Before(started.Add(-time.Second)) {
		return "", time.Time{}
	}
	end := make([]byte, min(info.Size(), 4<<10))
	n, _ := f.ReadAt(end, info.Size()-int64(len(end)))
	text := bytes.TrimSpace(end[:n])
	text = bytes.TrimSpace(text[bytes.LastIndexByte(text, '\n')+1:])
	if len(text) == 0 {
		return "", time.Time{}
	}
	sum := fnv.New64a()
	_, _ = sum.Write(bytes.Map(func(r rune) rune { // never fails
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, text))
	return fmt.Sprintf("%016x", sum.Sum64()), info.ModTime()
}
