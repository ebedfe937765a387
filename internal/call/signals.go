package call

import (
	"context"
	"os"
	"os/signal"
	"slices"

	"autobuild/orchestrator"
)

// Listen turns signals into two strokes: the first cancels the context with an *orchestrator.Interrupted as its cause, the
// second closes kill; heard is called at the first. SIGPIPE is taken and dropped: a reader that goes away must not end a run. Ignoring it instead would
// be inherited by every child.
func Listen(parent context.Context, heard func(signal string)) (ctx context.Context, kill <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	killed := make(chan struct{})
	strokes := make(chan os.Signal, 2)
	signal.Notify(strokes, heeded()...)
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, pipeSignals...)
	done := make(chan struct{})
	go func() {
		select {
		case s := <-strokes:
			heard(signalName(s))
			cancel(&orchestrator.Interrupted{Signal: signalName(s)})
		case <-done:
			return
		}
		select {
		case <-strokes:
			close(killed)
		case <-done:
		}
	}()
	return ctx, killed, func() {
		signal.Stop(strokes)
		signal.Stop(pipes)
		close(done)
		cancel(nil)
	}
}

// heeded are the signals that end a call, less a hang-up that whoever started it has ruled out: nohup is how a person says so.
func heeded() []os.Signal {
	return slices.DeleteFunc(slices.Clone(stopSignals), func(s os.Signal) bool { return signalName(s) == "SIGHUP" && signal.Ignored(s) })
}

// ListenGoOn tells of every signal by which a person asks not to wait for usage limits. Strokes that nobody has taken yet are one.
func ListenGoOn() (asked <-chan struct{}, stop func()) {
	strokes := make(chan os.Signal, 1)
	if len(goOnSignals) > 0 { // none at all would mean every signal
		signal.Notify(strokes, goOnSignals...)
	}
	told, done := make(chan struct{}, 1), make(chan struct{})
	go func() {
		for {
			select {
			case <-strokes:
			case <-done:
				return
			}
			select {
			case told <- struct{}{}:
			default:
			}
		}
	}()
	return told, func() {
		signal.Stop(strokes)
		close(done)
	}
}

func signalName(s os.Signal) string {
	for name, known := range signalNames {
		if s == known {
			return name
		}
	}
	return s.String()
}
