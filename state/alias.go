package state

import "autobuild/failure"

// What a Gate has found is in failure's words, so that a verifier can fill one in without knowing
// about failures.
type (
	// Test is one failing test.
	Test = failure.Test
	// Place is one finding of a linter, compiler or type checker.
	Place = failure.Place
)
