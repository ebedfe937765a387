package agent

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"autobuild/internal/proc"
)

// The test binary is also the supervisor, and every agent that is driven here.
func TestMain(m *testing.M) {
	proc.Supervise()
	if as := os.Getenv("FAKE_AGENT"); as != "" {
		os.Exit(fakeAgent(as))
	}
	os.Exit(m.Run())
}

// saw records the input of a fake agent.
type saw struct {
	Argv   []string
	Dir    string
	Env    []string
	Prompt string
}

// fakeAgent notes its input and plays the named part: "print" prints a recording, "hang" never
// ends.
func fakeAgent(as string) int {
	if as == "acp" {
		return fakeACP(os.Getenv("FAKE_CASE"))
	}
	if as == "brief" { // reads nothing
		fmt.Fprint(os.Stderr, os.Getenv("FAKE_STDERR"))
		code, _ := strconv.Atoi(os.Getenv("FAKE_CODE"))
		return code
	}
	prompt, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 99
	}
	if path := os.Getenv("FAKE_SAW"); path != "" {
		dir, _ := os.Getwd()
		raw, _ := json.Marshal(saw{os.Args, dir, os.Environ(), string(prompt)})
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 99
		}
	}
	polite := make(chan os.Signal, 1)
	signal.Notify(polite, syscall.SIGTERM, syscall.SIGINT)
	fmt.Fprint(os.Stderr, os.Getenv("FAKE_STDERR"))
	fmt.Print(os.Getenv("FAKE_STDOUT"))
	code, _ := strconv.Atoi(os.Getenv("FAKE_CODE"))
	switch as {
	case "hang":
		<-polite
	case "signal":
		fmt.Fprintln(os.Stderr, "stopped by", <-polite)
	case "files":
		return filesAgent(polite)
	}
	return code
}

// stage is a place for one job of one fake agent.
type stage struct {
	t   *testing.T
	run *proc.Runner
	job Job
	saw string // file
	log string // file
	did []string
}

// newStage prepares a job; program is the name under which the fake agent is found.
func newStage(t *testing.T, program string, env ...string) *stage {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin, s := t.TempDir(), &stage{t: t, run: new(proc.Runner)}
	t.Cleanup(s.run.Close)
	if err = os.Symlink(exe, filepath.Join(bin, program)); err != nil {
		t.Fatal(err)
	}
	s.saw, s.log = filepath.Join(t.TempDir(), "saw.json"), filepath.Join(t.TempDir(), "log")
	log, err := os.Create(s.log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	s.job = Job{
		Prompt: "do it", Dir: t.TempDir(), Scratch: t.TempDir(), Log: log, Activity: func(line string, _ time.Duration) { s.did = append(s.did, line) },
		Env: append([]string{"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "FAKE_AGENT=print", "FAKE_SAW=" + s.saw}, env...),
	}
	return s
}

// given returns the input of the fake agent.
func (s *stage) given() (out saw) {
	s.t.Helper()
	raw, err := os.ReadFile(s.saw)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		s.t.Fatal(err)
	}
	return out
}

// logged returns the content of the log.
func (s *stage) logged() string {
	s.t.Helper()
	raw, err := os.ReadFile(s.log)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(raw)
}

func (s *stage) do(a Agent) Outcome {
	s.t.Helper()
	out, err := a.Run(s.t.Context(), s.job)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

func lookup(env []string, name string) (string, bool) {
	for _, entry := range env {
		if n, value, _ := strings.Cut(entry, "="); n == name {
			return value, true
		}
	}
	return "", false
}

// printing are the names of the built-in agents that print what they do. The others are talked to.
func printing() []string {
	return slices.DeleteFunc(Names(), func(name string) bool {
		s, _ := specOf(name)
		return s.talks != nil
	})
}
