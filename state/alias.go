package state

import "autobuild/failure"

// Test and Place are failure's, so that a verifier can fill in a Gate without knowing about failures.
type (
	Test  = failure.Test
	Place = failure.Place
)
