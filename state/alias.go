package state

import "autobuild/failure"

// A Gate holds the types of package failure so that a verifier can fill one in without knowledge of
// failures.
type (
	// Test is one failing test.
	Test = failure.Test
	// Place is one finding of a linter, compiler or type checker.
	Place = failure.Place
)
