package proc

import (
	"cmp"
	"context"
	"time"
)

// watch is one child being waited for: every reason to stop it meets in its loop.
type watch struct {
	c      *Command
	tree   *tree
	sink   *sink
	killed <-chan struct{}

	patience time.Duration
	sense    func() signs

	ended   Ended
	hurried bool             // there is no grace
	force   <-chan time.Time // the grace is over
	giveUp  <-chan time.Time // the supervisor does not answer
	quiet   <-chan time.Time // the next activity line may be shown
	pending bool

	awake  time.Duration // since the start, suspended time left out
	beat   time.Duration
	last   time.Time     // of the last beat
	seen   int64         // bytes of output
	spoke  time.Duration // awake time at the last output
	told   time.Duration // length of the silence that was reported
	rested time.Duration // since when its work is over, in awake time; 0: it is not
	gone   time.Duration // since when it says that it ends, in awake time; 0: it does not

	lively   time.Duration // awake time at the last sign of life
	looked   time.Duration // awake time at the last look for signs
	looks    chan signs    // receives the result of a look; nil while none is under way
	signs    signs         // the result of the last look
	compared time.Duration // awake time of that look
}

func (w *watch) loop(ctx context.Context) outcome {
	cancelled, killed, hurry := ctx.Done(), w.killed, w.c.Hurry
	ticks := w.startBeat()
	for {
		select {
		case out := <-w.tree.ended:
			if w.ended == "" {
				w.ended = Exited
			}
			return out
		case <-cancelled:
			cancelled = nil
			w.stop(Stopped)
		case <-killed:
			killed = nil
			w.stop(Killed)
		case now := <-ticks:
			w.tick(now)
			ticks = time.After(untilBeat(now, w.beat))
		case s := <-w.looks:
			w.notice(s)
		case <-hurry:
			if hurry, w.hurried = nil, true; w.ended != "" {
				w.kill()
			}
		case <-w.force:
			w.kill()
		case <-w.giveUp:
			w.giveUp = nil
			w.tree.abandon()
		case <-w.sink.nudge:
			w.pending = true
			w.show()
		case <-w.quiet:
			w.quiet = nil
			w.show()
		}
	}
}

// stop ends the child for the given reason. The first reason is the one that Exit reports.
func (w *watch) stop(why Ended) {
	first := w.ended == ""
	if first {
		w.ended = why
	}
	switch {
	case why == Killed || w.hurried:
		w.kill()
	case first && w.c.Interrupt:
		w.tree.signal(interrupt)
	case first:
		w.tree.signal(terminate)
	}
	if first && why != Killed && !w.hurried {
		w.force = time.After(w.c.grace())
	}
}

func (w *watch) kill() {
	w.force = nil
	w.tree.signal(kill)
	w.giveUp = time.After(cmp.Or(w.patience, killPatience))
}

func (w *watch) show() {
	if w.quiet != nil || !w.pending || w.c.Activity == nil {
		return
	}
	w.pending = false
	if line, fresh := w.sink.activity(); fresh {
		w.c.Activity(line)
		w.quiet = time.After(activityEvery)
	}
}

// slowest is the longest beat. A deadline is met at most a twentieth of it late, those after the
// end of the work a fifth.
const slowest = 3 * time.Second

func (w *watch) startBeat() <-chan time.Time {
	var beat time.Duration
	for _, d := range []time.Duration{
		w.c.Timeout / 20, w.c.Idle / 20, w.quietly() / 20, w.linger() / 5, w.leave() / 5,
	} {
		if d > 0 && (beat <= 0 || d < beat) {
			beat = d
		}
	}
	if beat <= 0 {
		return nil
	}
	w.beat = min(max(beat, 5*time.Millisecond), slowest)
	return time.After(w.beat)
}

// untilBeat is the time to the next beat. Beats fall on multiples of their length, so that all
// children of a process wake it up at the same time.
func untilBeat(now time.Time, beat time.Duration) time.Duration {
	return beat - time.Duration(now.UnixNano()%int64(beat))
}

func (w *watch) linger() time.Duration {
	if w.c.Done == nil {
		return 0
	}
	return cmp.Or(w.c.Linger, DefaultLinger)
}

func (w *watch) leave() time.Duration {
	if w.c.Gone == nil {
		return 0
	}
	return LeaveTime
}

func (w *watch) quietly() time.Duration {
	if w.c.Quiet == nil {
		return 0
	}
	return quietEvery
}

// tick counts awake time: a beat that comes late, because the machine or this program was
// suspended, counts as one that came on time, so that sleep spends no deadline.
func (w *watch) tick(now time.Time) {
	if w.last.IsZero() {
		w.last = now.Add(-w.beat)
		if w.c.Idle > 0 && w.c.Files != "" {
			// Later looks compare with this one. A child that ends before the first beat needs
			// none.
			w.look()
		}
	}
	w.awake += min(max(0, now.Sub(w.last)), 2*w.beat)
	w.last = now
	if w.ended != "" {
		return
	}
	w.listen()
	over := w.over()
	idle := w.c.Idle > 0 && w.idle()
	switch {
	case w.c.Timeout > 0 && w.awake >= w.c.Timeout:
		w.stop(Timeout)
	case w.leaves():
		w.stop(Lingered)
	case over && (idle || w.awake-w.rested >= w.linger()):
		w.stop(Lingered)
	case idle:
		w.stop(Idle)
	}
}

// listen notes whether there was output since the last beat, and reports silence, once for each
// further minute of it.
func (w *watch) listen() {
	if n := w.sink.seen(); n != w.seen {
		w.seen, w.spoke, w.lively, w.told = n, w.awake, w.awake, 0
	}
	if silence := (w.awake - w.spoke).Truncate(quietEvery); w.c.Quiet != nil && silence > w.told {
		w.told = silence
		w.c.Quiet(silence)
	}
}

// over reports whether the child has done its work and only waits. Further output restarts the
// wait.
func (w *watch) over() bool {
	if w.c.Done == nil || w.spoke == w.awake || !w.c.Done() {
		w.rested = 0
		return false
	}
	if w.rested == 0 {
		w.rested = w.awake
	}
	return true
}

// leaves reports whether the child said that it ends, and has had its time for that.
func (w *watch) leaves() bool {
	switch {
	case w.c.Gone == nil || !w.c.Gone():
		w.gone = 0
	case w.gone == 0:
		w.gone = w.awake
	}
	return w.gone > 0 && w.awake-w.gone >= LeaveTime
}

// idle reports whether there was no sign of life for too long. Output is seen at each beat; other
// signs are looked for four times in an idle period, and only when there was no output. It decides
// nothing while a look is under way, for lookPatience at most.
func (w *watch) idle() bool {
	since := w.awake - w.looked
	silent := w.awake-w.spoke >= w.c.Idle/4
	if w.looks == nil && silent && since >= w.c.Idle/4 {
		w.look()
		since = 0
	}
	return w.awake-w.lively >= w.c.Idle && (w.looks == nil || since >= lookPatience)
}
