package session

import "autobuild/internal/call"

// Caller is a call of the program that starts a run, or looks at one.
type Caller struct{ *call.Call }
