package render

import "autobuild/state"

// Ink is the meaning of a piece of text; Style decides what it looks like.
type Ink int

// The inks.
const (
	PlainInk Ink = iota
	Strong       // headings and names
	Faint        // frames and asides
	Good
	Bad
	Warn
	Live // running now
)

// Marks are the characters of our own that have an ASCII stand-in.
type Marks struct {
	Arrow, More              string
	Done, Failed, Running    string
	Waiting, Pending, Dot    string
	Blocked, Skipped, Warned string
}

// Marks are the marks that this Style can show.
func (s Style) Marks() Marks {
	if s.ASCII {
		return Marks{
			Arrow: "->", More: "~",
			Done: "+", Failed: "x", Running: ">", Waiting: "w", Pending: ".", Dot: ".",
			Blocked: "#", Skipped: "-", Warned: "!",
		}
	}
	return Marks{
		Arrow: "→", More: "…",
		Done: "✓", Failed: "✗", Running: "▸", Waiting: "◷", Pending: "·", Dot: "·", Blocked: "■",
		Skipped: "-", Warned: "!",
	}
}

// StatusMark is the word, the mark and the ink of a status.
func StatusMark(status state.Status, g Marks) (word, mark string, i Ink) {
	switch status {
	case state.Complete:
		return "complete", g.Done, Good
	case state.Failed:
		return "failed", g.Failed, Bad
	case state.Running:
		return "running", g.Running, Live
	case state.Waiting:
		return "waiting", g.Waiting, Warn
	case state.Blocked:
		return "blocked", g.Blocked, Warn
	case state.Skipped:
		return "skipped", g.Skipped, Faint
	case state.Pending:
	}
	return "to do", g.Pending, PlainInk
}
