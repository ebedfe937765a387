// Command record runs a command that is meant to fail and writes what was seen of it as a case of
// the corpus. What people wrote into a case by hand (its expectations, and the members of the input
// that no command prints) stays as it is when the case is recorded again.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"autobuild/internal/lazyregexp"
)

const (
	maxTail = 4 << 10 // bytes of each stream
	home    = "/home/user"
	app     = "/home/user/app" // where the command is said to have run
)

// scrubs replace what belongs to the machine of the recording, and what differs each time without
// meaning anything.
var scrubs = []struct {
	re *lazyregexp.Regexp
	by string
}{
	{lazyregexp.New(
		`\b(?:registry\.npmjs\.org|repo\.maven\.apache\.org/maven2|(?:static\.|index\.)?crates\.io|proxy\.golang\.org)\b`),
		"packages.example"},
	{lazyregexp.New(`(?m)^npm warn .*(?:nodedir|allowScripts|install-scripts).*\n`), ""},
	{lazyregexp.New(`(?m)^Picked up JAVA_TOOL_OPTIONS.*\n`), ""},
	{lazyregexp.New(`(?:\.\./)+\S*?node_modules/`), "node_modules/"},
	{lazyregexp.New(`(lookup \S+ on )\S+:53\b`), "${1}127.0.0.53:53"},
	{lazyregexp.New(`/tmp/go-build\d+`), "/tmp/go-build"},
	{lazyregexp.New(`\d{4}-\d\d-\d\dT\d\d_\d\d_\d\d_\d{3}Z-debug`),
		"2026-01-01T00_00_00_000Z-debug"},
}

func main() {
	name := flag.String("name", "", "the case: TOOL-CASE")
	kind := flag.String("kind", "",
		"lint, format, typecheck, test, build, setup, agent, git or custom; empty leaves it open")
	how := flag.String("how", "", "what is run, in words, with versions")
	tool := flag.String("tool", "",
		"the command as a person would give it, where it is not what is run")
	limit := flag.Duration("timeout", 0, "stop the command then, and say so")
	signal := flag.Bool("signal", false,
		"tell a death by signal as a signal instead of as 128 and its number")
	flag.Parse()
	if *name == "" || *how == "" || flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr,
			"usage: record -name TOOL-CASE -how WORDS [-kind KIND] [-tool COMMAND] [-timeout D] "+
				"[-signal] COMMAND")
		os.Exit(2)
	}
	input := map[string]any{"tool": flag.Arg(0)}
	if *tool != "" {
		input["tool"] = *tool
	}
	if *kind != "" {
		input["kind"] = *kind
	}
	if err := run(flag.Arg(0), *limit, *signal, input); err != nil {
		fail(err)
	}
	if err := write(filepath.Join(os.Getenv("CORPUS"), *name+".json"), *how, input); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "record:", err)
	os.Exit(1)
}

// run fills in what the command leaves behind. A command that succeeds is a mistake in the
// recorder.
func run(command string, limit time.Duration, signal bool, input map[string]any) error {
	ctx := context.Background()
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	c := exec.CommandContext(ctx, "sh", "-c", command)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	if err == nil {
		return fmt.Errorf("%s: succeeds", command)
	}
	var exit *exec.ExitError
	if ctx.Err() == nil && !errors.As(err, &exit) {
		return err
	}
	status, _ := c.ProcessState.Sys().(syscall.WaitStatus)
	switch {
	case ctx.Err() != nil:
		input["exit_code"], input["timed_out"], input["after"] = -1, true, limit.String()
	case status.Signaled() && signal:
		input["exit_code"], input["signal"] = -1, signalName(status.Signal())
	case status.Signaled():
		input["exit_code"] = 128 + int(status.Signal())
	default:
		input["exit_code"] = c.ProcessState.ExitCode()
	}
	for member, out := range map[string]string{"stdout_tail": stdout.String(),
		"stderr_tail": stderr.String()} {
		if t := tail(scrub(out)); t != "" {
			input[member] = t
		}
	}
	return nil
}

func signalName(s syscall.Signal) string {
	switch s {
	case syscall.SIGKILL:
		return "SIGKILL"
	case syscall.SIGSEGV:
		return "SIGSEGV"
	case syscall.SIGABRT:
		return "SIGABRT"
	case syscall.SIGTERM:
		return "SIGTERM"
	}
	return s.String()
}

// scrub makes an output that of a neutral machine.
func scrub(s string) string {
	dir, _ := os.Getwd()
	for _, p := range [][2]string{{dir, app}, {filepath.Dir(dir), home},
		{os.Getenv("SCRATCH"), home}, {os.Getenv("HOME"), home}} {
		if p[0] != "" && p[0] != "/" {
			s = strings.ReplaceAll(s, p[0], p[1])
		}
	}
	if host, err := os.Hostname(); err == nil {
		s = strings.ReplaceAll(s, host, "host")
	}
	for _, r := range scrubs {
		s = r.re.ReplaceAllString(s, r.by)
	}
	return s
}

// tail is the end of an output, from the beginning of a line.
func tail(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= maxTail {
		return s
	}
	s = s[len(s)-maxTail:]
	for !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	if _, rest, ok := strings.Cut(s, "\n"); ok && rest != "" {
		return rest
	}
	return s
}

// failureCase is a file of the corpus, members in the order in which people read them.
type failureCase struct {
	How      string          `json:"how"`
	Recorded bool            `json:"recorded"`
	Input    evidence        `json:"input"`
	Expect   json.RawMessage `json:"expect"`
}

func write(path, how string, input map[string]any) error {
	c := failureCase{Expect: json.RawMessage("{}")}
	old, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(old, &c)
	} else if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, seen := range []string{"tool", "kind", "exit_code", "signal", "timed_out", "after",
		"stdout_tail", "stderr_tail"} {
		delete(c.Input, seen)
	}
	maps.Copy(input, c.Input)
	c.How, c.Recorded, c.Input = how, true, input
	raw, err := encode(c)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// evidence is an input, whose members are written in the order in which people read them.
type evidence map[string]any

var order = []string{
	"tool", "kind", "exit_code", "signal", "timed_out", "idle", "not_available", "after",
	"stdout_tail", "stderr_tail", "output", "test_output",
	"files_touched", "cause", "conflict_id", "node", "history", "siblings", "claim",
	"missing_files", "no_change", "agent",
}

// MarshalJSON writes the members that there are.
func (e evidence) MarshalJSON() ([]byte, error) {
	var members [][]byte
	for _, name := range order {
		if value, ok := e[name]; ok {
			raw, err := encode(value)
			if err != nil {
				return nil, err
			}
			members = append(members, append([]byte(`"`+name+`":`), bytes.TrimSpace(raw)...))
		}
	}
	if len(members) != len(e) {
		return nil, fmt.Errorf("the input has members that no case has")
	}
	return append(append([]byte("{"), bytes.Join(members, []byte(","))...), '}'), nil
}

// encode leaves <, > and & as they are: tools print them.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}
