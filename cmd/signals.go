package cmd

import (
	"context"
	"os"
	"os/signal"
	"slices"

	"autobuild/orchestrator"
	"autobuild/orchestrator/session/call"
)

// listen turns signals into two strokes: the first cancels the context with an
// *orchestrator.Interrupted as its cause, the second closes kill; heard is called at the first.
// SIGPIPE is taken and dropped: a reader that goes away must not end a run. Ignoring it instead
// would be inherited by every child.
func listen(
	parent context.Context, heard func(signal string),
) (ctx context.Context, kill <-chan struct{}, stop func()) {
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

// heeded are the signals that end a call, except a hang-up that the caller ignores: nohup does
// that.
func heeded() []os.Signal {
	return slices.DeleteFunc(slices.Clone(stopSignals),
		func(s os.Signal) bool { return signalName(s) == "SIGHUP" && signal.Ignored(s) })
}

// systemSignals are those of this process.
func systemSignals() call.Signals {
	return call.Signals{
		Stop:      listen,
		GoOn:      func() (<-chan struct{}, func()) { return notified(goOnSignals) },
		Continued: func() (<-chan struct{}, func()) { return notified(continueSignals) },
		Quit:      onQuit,
	}
}

// notified receives once some of the signals have arrived. Signals that are not yet received count
// as one.
func notified(signals []os.Signal) (received <-chan struct{}, stop func()) {
	in := make(chan os.Signal, 1)
	if len(signals) > 0 { // none at all would mean every signal
		signal.Notify(in, signals...)
	}
	out, done := make(chan struct{}, 1), make(chan struct{})
	go func() {
		for {
			select {
			case <-in:
			case <-done:
				return
			}
			select {
			case out <- struct{}{}:
			default:
			}
		}
	}()
	return out, func() {
		signal.Stop(in)
		close(done)
	}
}

// onQuit calls do at the first SIGQUIT; the runtime handles a second one.
func onQuit(do func()) (stop func()) {
	quit, unsubscribe := notified(quitSignals)
	done := make(chan struct{})
	go func() {
		select {
		case <-quit:
		case <-done:
			return
		}
		signal.Reset(quitSignals...)
		do()
	}()
	return func() {
		unsubscribe()
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
