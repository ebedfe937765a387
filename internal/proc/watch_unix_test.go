//go:build unix

package proc

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// idler is a watch whose beats and signs the test gives.
type idler struct {
	*watch
	now   time.Time
	signs signs
	done  bool
	told  []time.Duration
}

func newIdler(c Command) *idler {
	w := &idler{now: time.Unix(1_000_000, 0)}
	c.Done = func() bool { return w.done }
	c.Quiet = func(d time.Duration) { w.told = append(w.told, d) }
	w.watch = &watch{c: &c, tree: &tree{sup: new(supervisor)}, sink: newSink(nil, 0, nil), sense: func() signs { return w.signs }}
	w.startBeat()
	return w
}

// run lets time pass, each beat after what happens at it, and gives the time at which the child was
// stopped, or none.
func (w *idler) run(d time.Duration, each func(at time.Duration)) time.Duration {
	for end := w.awake + d; w.awake < end; {
		each(w.awake)
		w.now = w.now.Add(w.beat)
		w.tick(w.now)
		if w.looks != nil {
			w.notice(<-w.looks)
		}
		if w.ended != "" {
			return w.awake
		}
	}
	return 0
}

func nothing(time.Duration) {}

// within reports whether d is want, or a few beats later.
func within(d, want time.Duration) bool { return d >= want && d <= want+5*time.Second }

// Output, the processor and files are signs of life, each alone; nothing else is.
func TestSignsOfLife(t *testing.T) {
	t.Parallel()
	const idle = 15 * time.Minute
	for _, tt := range []struct {
		name string
		each func(w *idler, at time.Duration)
		want Ended
		at   time.Duration
	}{
		{"none", func(*idler, time.Duration) {}, Idle, idle},
		{"output", func(w *idler, _ time.Duration) { w.sink.write([]byte("x")) }, Timeout, time.Hour},
		{"the processor", func(w *idler, at time.Duration) { w.signs = signs{cpu: at / 50, counted: true} }, Timeout, time.Hour},
		{"a little of the processor", func(w *idler, at time.Duration) { w.signs = signs{cpu: at / 500, counted: true} }, Idle, idle},
		{"files", func(w *idler, at time.Duration) { w.signs.files = uint64(at / (8 * time.Minute)) }, Timeout, time.Hour},
		{"files for a while", func(w *idler, at time.Duration) { w.signs.files = uint64(min(at, 20*time.Minute)) }, Idle, 20*time.Minute + idle},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newIdler(Command{Timeout: time.Hour, Idle: idle, Files: "there"})
			at := w.run(2*time.Hour, func(at time.Duration) { tt.each(w, at) })
			// A sign is noticed at the next look, a quarter of the period later at most.
			if w.ended != tt.want || at < tt.at || at > tt.at+idle/4+5*time.Second {
				t.Errorf("ended %q after %v, want %q after %v", w.ended, at, tt.want, tt.at)
			}
		})
	}
}

// A look that does not end, on a file system that is gone, neither blocks the loop nor puts the
// deadline off for ever.
func TestALookThatHangs(t *testing.T) {
	t.Parallel()
	w := newIdler(Command{Idle: time.Minute})
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	w.sense = func() signs { <-never; return signs{} }
	for range 2 * time.Minute / w.beat {
		w.now = w.now.Add(w.beat)
		w.tick(w.now)
	}
	if w.ended != Idle {
		t.Errorf("ended %q", w.ended)
	}
}

// A child that reported its result and does not end is stopped after half a minute; further output
// restarts that time.
func TestLingering(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		c    Command
		each func(w *idler, at time.Duration)
		want Ended
		at   time.Duration
	}{
		"done": {Command{Timeout: time.Hour, Idle: 15 * time.Minute}, func(w *idler, at time.Duration) { w.done = at >= time.Minute }, Lingered, 90 * time.Second},
		"busy": {Command{Timeout: time.Hour}, func(w *idler, at time.Duration) {
			w.done, w.signs = at >= time.Minute, signs{cpu: at, counted: true}
		}, Lingered, 90 * time.Second},
		"not done":   {Command{Timeout: time.Hour}, func(*idler, time.Duration) {}, Timeout, time.Hour},
		"done again": {Command{Timeout: time.Hour}, func(w *idler, at time.Duration) { w.done = at < 10*time.Second || at >= time.Minute }, Lingered, 90 * time.Second},
		"says more": {Command{Timeout: time.Hour}, func(w *idler, at time.Duration) {
			if w.done = true; at < 2*time.Minute {
				w.sink.write([]byte("x"))
			}
		}, Lingered, 150 * time.Second},
		"its own grace": {Command{Timeout: time.Hour, Linger: time.Minute}, func(w *idler, _ time.Duration) { w.done = true }, Lingered, time.Minute},
		"idle first":    {Command{Timeout: time.Hour, Idle: 10 * time.Second}, func(w *idler, _ time.Duration) { w.done = true }, Lingered, 10 * time.Second},
		"time is up":    {Command{Timeout: 20 * time.Second}, func(w *idler, _ time.Duration) { w.done = true }, Timeout, 20 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newIdler(tt.c)
			if at := w.run(2*time.Hour, func(at time.Duration) { tt.each(w, at) }); w.ended != tt.want || !within(at, tt.at) {
				t.Errorf("ended %q after %v, want %q after %v", w.ended, at, tt.want, tt.at)
			}
		})
	}
}

func TestSilenceIsTold(t *testing.T) {
	t.Parallel()
	w := newIdler(Command{})
	w.run(200*time.Second, nothing)
	w.sink.write([]byte("x"))
	w.run(70*time.Second, nothing)
	if want := []time.Duration{time.Minute, 2 * time.Minute, 3 * time.Minute, time.Minute}; !slices.Equal(w.told, want) {
		t.Errorf("told of %v, want %v", w.told, want)
	}
}

// Every change of a file changes the stamp, and nothing else does.
func TestStamp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a/b/c.txt", "one")
	write(".git/index", "one")
	if err := os.Symlink("/", filepath.Join(dir, "root")); err != nil {
		t.Fatal(err)
	}
	was := stamp(dir, FilesSeen)
	if was == 0 || stamp(dir, FilesSeen) != was {
		t.Fatal("it changes by itself")
	}
	for _, step := range []struct {
		name string
		do   func()
		same bool
	}{
		{"a longer file", func() { write("a/b/c.txt", "three") }, false},
		{"a new file", func() { write("a/b/d.txt", "") }, false},
		{"a file that is gone", func() { _ = os.Remove(filepath.Join(dir, "a/b/d.txt")) }, false},
		{"a later time", func() { _ = os.Chtimes(filepath.Join(dir, "a/b/c.txt"), time.Time{}, time.Unix(1, 0)) }, false},
		{"git's own", func() { write(".git/index", "three") }, true},
	} {
		step.do()
		if now := stamp(dir, FilesSeen); (now == was) != step.same {
			t.Errorf("%s: the same is %v", step.name, now == was)
		} else {
			was = now
		}
	}
	deep := stamp(dir, 3)
	write("a/b/c.txt", "beyond the limit")
	if stamp(dir, 3) != deep {
		t.Error("it looks at more entries than it may")
	}
	if stamp(filepath.Join(dir, "absent"), 3) != 0 {
		t.Error("a directory that is gone has a stamp")
	}
}
