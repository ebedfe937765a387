package state

// The kinds of gates, in the order in which they run: gates that are quick and cheap to fix come
// first.
const (
	KindLint      = "lint"
	KindFormat    = "format"
	KindTypecheck = "typecheck"
	KindTest      = "test"
	KindCustom    = "custom"
)
