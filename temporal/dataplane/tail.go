package dataplane

import (
	"context"

	"autobuild/orchestrator"
)

// MaxTail bounds the text of a Tail, in bytes.
const MaxTail = 64 << 10

// Tail is the end of a log that still grows.
type Tail struct {
	Log    string `json:"log"` // name of the file
	At     int64  `json:"at"`  // where Text begins in it
	Text   string `json:"text"`
	Worker string `json:"worker"`
}

// Write makes a commit of the tail in the repository g.
func (t Tail) Write(ctx context.Context, g Git) (string, error) { return write(ctx, g, "tail", t) }

// ReadTail reads a tail that is here.
func ReadTail(ctx context.Context, g Git, commit string) (t Tail, err error) {
	err = read(ctx, g, commit, "tail", &t)
	return t, err
}

// WriteCommand makes a commit of a user's command in the repository g.
func WriteCommand(ctx context.Context, g Git, c orchestrator.Command) (string, error) {
	return write(ctx, g, "command", c)
}

// ReadCommand reads a command that is here.
func ReadCommand(ctx context.Context, g Git, commit string) (c orchestrator.Command, err error) {
	err = read(ctx, g, commit, "command", &c)
	return c, err
}
