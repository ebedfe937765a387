// Package session makes a run out of settings: it chooses agents, gates, policies and the
// workspace, starts or resumes the run, and reports its end. Everything that a run needs is made
// here once and handed down; the packages below know nothing of flags and configuration. It does
// not know commands.
package session

import "autobuild/internal/call"

// Caller is a call of the program that starts a run, or looks at one.
type Caller struct{ *call.Call }
