//go:build unix

package proc_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"autobuild/internal/proc"
)

// child makes this test binary a hostile child.
func child(args []string) int {
	switch args[0] {
	case "exit":
		n, _ := strconv.Atoi(args[1])
		return n
	case "say":
		fmt.Print(args[1])
	case "cat":
		n, err := io.Copy(os.Stdout, os.Stdin)
		fmt.Fprintln(os.Stderr, n, err)
	case "hang":
		fmt.Println("ready")
		time.Sleep(time.Hour)
	case "deaf":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
		fmt.Println("ready")
		time.Sleep(time.Hour)
	case "listen":
		return listen()
	case "doze":
		return doze()
	case "drip":
		for range time.Tick(5 * time.Millisecond) {
			fmt.Println("drip")
		}
	case "burn":
		fmt.Println("ready")
		for n := 0; ; n++ {
			_ = n * n
		}
	case "flood":
		return flood(args[1], args[2:]...)
	case "files":
		return fileWorker(args[1])
	case "relay":
		return relay(args[1])
	case "poor":
		return poor()
	case "quiet":
		return quietWorker(args[1])
	case "about":
		return about()
	case "sit":
		return sit(args[1], args[2])
	case "fork":
		return spawn(&syscall.SysProcAttr{Setsid: true}, nil, "sit", args[1], args[2])
	case "wipe":
		return spawn(&syscall.SysProcAttr{Setsid: true}, []string{}, "sit", args[1], args[2])
	case "tree":
		return hostileTree(args[1], args[2:])
	case "run":
		return orchestrator(args[1], args[2:])
	case "stopped":
		return stopped(args[1])
	case "floodrun":
		return floodRunner(args[1], args[2])
	}
	return 0
}

// listen ends by the first polite signal and says which it was.
func listen() int {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM, syscall.SIGINT)
	fmt.Println("ready")
	fmt.Println("got", <-c)
	return 7
}

// doze says its number and stops, as by Ctrl-Z; once it is woken it says which signal it was sent.
func doze() int {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	fmt.Println(os.Getpid())
	_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	fmt.Println("got", <-c)
	return 7
}

func flood(size string, quoted ...string) int {
	n, _ := strconv.Atoi(size)
	what := "0123456789abcdef"
	if len(quoted) > 0 {
		what, _ = strconv.Unquote(quoted[0])
	}
	chunk := []byte(strings.Repeat(what, 64<<10/len(what)))
	for ; n > 0; n -= len(chunk) {
		if _, err := os.Stdout.Write(chunk); err != nil {
			return 1
		}
	}
	fmt.Print("\nthe end\n")
	return 0
}

// fileWorker prints nothing, and changes a file again and again.
func fileWorker(file string) int {
	for n := range time.Tick(50 * time.Millisecond) {
		if os.WriteFile(file, []byte(n.String()), 0o600) != nil {
			return 1
		}
	}
	return 0
}

// relay hands the lock over to a copy of itself in a session of its own, and ends; for ever.
func relay(dir string) int {
	lock := os.NewFile(3, "lock")
	if syscall.Flock(int(lock.Fd()), syscall.LOCK_SH) != nil { // the first one has none
		var err error
		if lock, err = os.Open(filepath.Join(dir, "lock")); err != nil || syscall.Flock(int(lock.Fd()), syscall.LOCK_SH) != nil {
			return 1
		}
	}
	exe, err := os.Executable()
	if err != nil || os.WriteFile(filepath.Join(dir, "at-"+strconv.Itoa(os.Getpid())), nil, 0o600) != nil {
		return 1
	}
	next := exec.Command(exe, "child", "relay", dir)
	next.Env, next.SysProcAttr, next.ExtraFiles = []string{}, &syscall.SysProcAttr{Setsid: true}, []*os.File{lock}
	if next.Start() != nil {
		return 1
	}
	return 0
}

// poor is a program that uses a Runner and has few files left to open.
func poor() int {
	r := new(proc.Runner)
	defer r.Close()
	exe, _ := os.Executable()
	c := proc.Command{Argv: []string{exe, "child", "say", "fed"}, Stdin: strings.NewReader("x"), Stdout: func([]byte) {}}
	if _, err := r.Run(context.Background(), c); err != nil { // opens the lasting descriptors
		return 1
	}
	r.Close()
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 1
	}
	// every place at which the last one can be missing
	for limit.Cur = 4; limit.Cur < 64; limit.Cur++ {
		if syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
			return 1
		}
		e, err := r.Run(context.Background(), c)
		fmt.Println(e.OK(), err)
		if err == nil {
			return 0
		}
	}
	return 2
}

// quietWorker closes its outputs and works on.
func quietWorker(file string) int {
	fmt.Println("before")
	_ = os.Stdout.Close()
	_ = os.Stderr.Close()
	time.Sleep(100 * time.Millisecond)
	if os.WriteFile(file, []byte("done"), 0o600) != nil {
		return 1
	}
	return 0
}

// about prints what a child inherited.
func about() int {
	sid, _, _ := syscall.RawSyscall(syscall.SYS_GETSID, 0, 0, 0)
	wd, _ := os.Getwd()
	fmt.Printf("pid=%d ppid=%d pgid=%d sid=%d wd=%s\n", os.Getpid(), os.Getppid(), syscall.Getpgrp(), sid, wd)
	fmt.Printf("env=%s\n", strings.Join(os.Environ(), ","))
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if strings.HasPrefix(line, "SigIgn") || strings.HasPrefix(line, "SigBlk") {
			fmt.Print(line)
		}
	}
	fds, _ := os.ReadDir("/proc/self/fd")
	for _, fd := range fds {
		target, err := os.Readlink("/proc/self/fd/" + fd.Name())
		if err == nil {
			fmt.Printf("fd %s -> %s\n", fd.Name(), target)
		}
	}
	_, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	fmt.Println("tty:", err)
	return 0
}

// sit shares the lock of the folder, says that it is there, and ignores everything but SIGKILL.
func sit(dir, name string) int {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	f, err := os.Open(filepath.Join(dir, "lock"))
	if err != nil || syscall.Flock(int(f.Fd()), syscall.LOCK_SH) != nil {
		return 1
	}
	if os.WriteFile(filepath.Join(dir, "at-"+name), nil, 0o600) != nil {
		return 1
	}
	time.Sleep(time.Hour)
	return int(f.Fd())
}

func spawn(attr *syscall.SysProcAttr, env []string, args ...string) int {
	exe, err := os.Executable()
	if err != nil {
		return 1
	}
	cmd := exec.Command(exe, append([]string{"child"}, args...)...)
	cmd.Env, cmd.SysProcAttr, cmd.Stdout = env, attr, os.Stdout
	if cmd.Start() != nil {
		return 1
	}
	return 0
}

// hostileTree starts every known kind of escape, and then takes the given step.
func hostileTree(dir string, then []string) int {
	signal.Ignore(syscall.SIGTERM)
	self := spawn(nil, nil, "sit", dir, "plain") +
		spawn(&syscall.SysProcAttr{Setpgid: true}, nil, "sit", dir, "group") +
		spawn(&syscall.SysProcAttr{Setsid: true}, nil, "sit", dir, "session") +
		spawn(nil, nil, "fork", dir, "daemon") +
		spawn(nil, nil, "wipe", dir, "wiped") +
		spawn(&syscall.SysProcAttr{Setsid: true}, []string{}, "wipe", dir, "twice")
	if self != 0 {
		return 90
	}
	for present(dir) < treeSize {
		time.Sleep(time.Millisecond)
	}
	fmt.Println("tree")
	switch then[0] {
	case "exit":
		n, _ := strconv.Atoi(then[1])
		return n
	case "murder":
		_ = syscall.Kill(os.Getppid(), syscall.SIGKILL)
	case "freeze":
		_ = syscall.Kill(os.Getppid(), syscall.SIGSTOP)
		fmt.Println("frozen")
	}
	time.Sleep(time.Hour)
	return 0
}

const treeSize = 6 // beside the root

func present(dir string) int {
	names, _ := filepath.Glob(filepath.Join(dir, "at-*"))
	return len(names)
}

// orchestrator is a program that uses a Runner, for tests that kill it.
func orchestrator(dir string, args []string) int {
	hold, err := os.OpenFile(filepath.Join(dir, "agents"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil || syscall.Flock(int(hold.Fd()), syscall.LOCK_EX) != nil {
		return 1
	}
	exe, _ := os.Executable()
	r := &proc.Runner{Hold: hold}
	_, err = r.Run(context.Background(), proc.Command{Argv: append([]string{exe, "child"}, args...)})
	fmt.Println(err)
	return 0
}

// stopped is a program that starts children while the user presses Ctrl-Z again and again. It is
// not stopped itself, so a stopped process is a child.
func stopped(times string) int {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTSTP)
	go func() {
		for {
			_ = syscall.Kill(0, syscall.SIGTSTP) // its own group, as a terminal does
		}
	}()
	n, _ := strconv.Atoi(times)
	for range n {
		r := new(proc.Runner) // a supervisor of its own
		direct, _, err := r.Output(context.Background(), proc.Command{Argv: []string{"/bin/echo", "direct"}}, 0)
		if err != nil || string(direct) != "direct\n" {
			fmt.Printf("%q %v\n", direct, err)
			return 1
		}
		if e, err := r.Run(context.Background(), proc.Command{Argv: []string{"/bin/echo", "supervised"}}); !e.OK() || err != nil {
			fmt.Printf("%+v %v\n", e, err)
			return 1
		}
		r.Close()
	}
	fmt.Println("went on", <-c)
	return 0
}

// floodRunner prints its own peak of memory after a flood.
func floodRunner(size, log string) int {
	f, err := os.Create(log)
	if err != nil {
		return 1
	}
	exe, _ := os.Executable()
	r := new(proc.Runner)
	e, err := r.Run(context.Background(), proc.Command{Argv: []string{exe, "child", "flood", size}, Log: f, MaxLog: 1 << 20})
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if kb, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			fmt.Println(strings.Fields(kb)[0], e.Bytes, e.Last, err)
		}
	}
	return 0
}
