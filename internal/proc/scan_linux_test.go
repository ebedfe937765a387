package proc

import (
	"os"
	"testing"
	"time"
)

func TestProcessesFindsUs(t *testing.T) {
	t.Parallel()
	all, err := processes()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if p.pid == os.Getpid() {
			if p.ppid != os.Getppid() || p.started == 0 || p.started != startedAt(p.pid) {
				t.Errorf("%+v", p)
			}
			return
		}
	}
	t.Error("this process is not in the table")
}

func TestParseStat(t *testing.T) {
	t.Parallel()
	const line = "42 (a) R (b) S 7 8 9 0 -1 0 0 0 0 0 1 2 3 4 20 0 1 0 777 0 0\n"
	p, ok := parseStat([]byte(line))
	if want := (process{pid: 42, ppid: 7, pgid: 8, sid: 9, started: 777, cpu: 10 * 10 * time.Millisecond}); !ok || p != want {
		t.Errorf("%+v, want %+v", p, want)
	}
}

// The law: no process name makes the parser panic.
func FuzzParseStat(f *testing.F) {
	f.Add([]byte("42 (a) R (b) S 7 8 9 0 -1 0 0 0 0 0 1 2 3 4 20 0 1 0 777 0 0\n"))
	f.Add([]byte(")("))
	f.Fuzz(func(_ *testing.T, b []byte) { parseStat(b) })
}
