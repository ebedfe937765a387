// Package steering carries commands of a person to the run that goes on in a state directory, and
// the run's answers back. A command is a file that its sender keeps locked until it is answered:
// the kernel says which process holds the lock, so that neither an agent nor a program that it has
// started can steer the run that it works for. A command whose sender is gone is dropped. The
// package decides nothing about a run.
package steering

import (
	"errors"
	"time"

	"autobuild/orchestrator"
)

// Dir is the folder below the state directory in which commands and answers lie.
const Dir = "commands"

// Suffixes of the files of a command.
const (
	asked    = ".json"
	answered = ".answer"
)

// maxFile bounds a command and an answer, in bytes.
const maxFile = 64 << 10

// lookEvery is how often both sides look for the other's file.
const (
	lookEvery   = 500 * time.Millisecond // the run
	answerEvery = 50 * time.Millisecond  // the sender
)

// ErrEnded says that the run ended before it had answered.
var ErrEnded = errors.New("the run ended before it took the command")

// ErrUnsupported says that this system cannot say who holds a lock.
var ErrUnsupported = errors.New("this system cannot say who sends a command")

// answer is the file that answers a command: Text, or why nothing was done.
type answer struct {
	Text string `json:"text,omitzero"`
	Why  string `json:"why,omitzero"`
	Next string `json:"next,omitzero"`
}

// asAnswer is what a run says to a command.
func asAnswer(text string, err error) answer {
	if err == nil {
		return answer{Text: text}
	}
	if refused, ok := errors.AsType[*orchestrator.CommandError](err); ok {
		return answer{Why: refused.Why, Next: refused.Next}
	}
	return answer{Why: err.Error()}
}
