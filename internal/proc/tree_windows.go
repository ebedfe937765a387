package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

const (
	cpuTick       = 16 * time.Millisecond
	sweepPatience = 5 * time.Second // for processes to be gone after the end of their job
)

// supervisor is not needed here: a job object ends with its last handle, and so with this process.
type supervisor struct{}

// tree is a child in a job object, which no descendant can leave.
type tree struct {
	ended chan outcome
	pid   int

	mu  sync.Mutex
	job windows.Handle // 0 once it is closed: by then its number may be another job's
}

// Supervise returns at once: this system needs no supervisors.
func Supervise() {}

// Close has nothing to end here.
func (r *Runner) Close() { r.idle = nil }

// start creates the child suspended, puts it into its job, and only then lets it run: nothing that
// it starts can be outside.
func (r *Runner) start(l launch) (*tree, error) {
	job, err := newJob()
	if err != nil {
		return nil, &machineryError{err}
	}
	cmd := &exec.Cmd{
		Path: l.path, Args: l.argv, Dir: l.dir, Env: append([]string{}, l.env...),
		Stdin: l.files[0], Stdout: l.files[1], Stderr: l.files[2],
		SysProcAttr: &syscall.SysProcAttr{
			CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP,
			CmdLine:       verbatim(l.argv),
		},
	}
	if err := cmd.Start(); err != nil {
		_ = windows.CloseHandle(job)
		return nil, explainStart(err, &l)
	}
	if err := admit(job, uint32(cmd.Process.Pid)); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = windows.CloseHandle(job)
		return nil, &machineryError{err}
	}
	t := &tree{ended: make(chan outcome, 1), job: job, pid: cmd.Process.Pid}
	go func() {
		_ = cmd.Wait() // the state says it all
		out := outcome{code: cmd.ProcessState.ExitCode()}
		out.cpu, _ = t.cpu()
		out.left = t.sweep()
		t.ended <- out
	}()
	return t, nil
}

// sweep ends what the child has left and waits until it is gone, because a process that is only
// being ended still holds its files and the directory that it works in. It returns how many live
// on, and closes the job.
func (t *tree) sweep() int {
	t.abandon()
	deadline := time.After(sweepPatience)
	left := 1
	for wait := time.Millisecond; left > 0 &&
		deadline != nil; wait = min(2*wait, 50*time.Millisecond) {
		now, err := t.account()
		if left = int(now.active); err != nil {
			left = 0 // nothing can be known, and the end of the job is the end of all in it
		}
		if left == 0 {
			break
		}
		select {
		case <-time.After(wait):
		case <-deadline:
			deadline = nil
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	_ = windows.CloseHandle(t.job)
	t.job = 0
	return left
}

func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, fmt.Errorf("create a job object: %w", err)
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		_ = windows.CloseHandle(job)
		return 0, fmt.Errorf("limit a job object: %w", err)
	}
	return job, nil
}

// admit assigns the suspended process to the job and resumes its only thread.
func admit(job windows.Handle, pid uint32) error {
	p, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, pid)
	if err != nil {
		return fmt.Errorf("open the child: %w", err)
	}
	err = windows.AssignProcessToJobObject(job, p)
	_ = windows.CloseHandle(p)
	if err != nil {
		return fmt.Errorf("put the child into its job: %w", err)
	}
	threads, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return fmt.Errorf("list threads: %w", err)
	}
	defer func() { _ = windows.CloseHandle(threads) }()
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(threads,
		&entry); err == nil; err = windows.Thread32Next(threads, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		h, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return fmt.Errorf("open the child's thread: %w", err)
		}
		_, err = windows.ResumeThread(h)
		_ = windows.CloseHandle(h)
		if err != nil {
			return fmt.Errorf("resume the child: %w", err)
		}
		return nil
	}
	return fmt.Errorf("find the child's thread: %w", err)
}

// signal asks politely by a console event, which a program without a console never receives; the
// grace period ends that.
func (t *tree) signal(r request) {
	if r == kill {
		t.abandon()
		return
	}
	_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(t.pid))
}

func (t *tree) abandon() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.job != 0 {
		_ = windows.TerminateJobObject(t.job, 1)
	}
}

// accounts holds the system's counters of a job: JOBOBJECT_BASIC_ACCOUNTING_INFORMATION, its times
// in 100 ns.
type accounts struct {
	user, kernel, periodUser, periodKernel int64
	faults, total, active, terminated      uint32
}

func (t *tree) account() (accounts, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var a accounts
	if t.job == 0 {
		return a, os.ErrClosed
	}
	const basicAccounting = 1
	err := windows.QueryInformationJobObject(t.job, basicAccounting, uintptr(unsafe.Pointer(&a)),
		uint32(unsafe.Sizeof(a)), nil)
	return a, err
}

// cpu returns the CPU time of the whole job.
func (t *tree) cpu() (time.Duration, bool) {
	a, err := t.account()
	return time.Duration(a.user+a.kernel) * 100, err == nil
}

func Locate(name, dir string, env []string) (string, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", fmt.Errorf("%s is no directory: %w; create it, or start elsewhere", dir,
			fs.ErrNotExist)
	}
	if strings.ContainsAny(name, `/\`) && !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%w; install it, or give the program's full path", err)
	}
	return path, nil
}

func explainStart(err error, l *launch) error { return fmt.Errorf("%s: %w", l.path, err) }

// directHold: handles are not passed on here.
func directHold(*os.File) []*os.File { return nil }

func directAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

func stopDirect(cmd *exec.Cmd, _ bool) {
	if windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(cmd.Process.Pid)) != nil {
		killDirect(cmd)
	}
}

func killDirect(cmd *exec.Cmd) {
	if err := cmd.Process.Kill(); errors.Is(err, os.ErrProcessDone) {
		return
	}
}

func signalOf(*os.ProcessState) string { return "" }

func closeOnExec() {}
