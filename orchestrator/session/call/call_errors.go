package call

// UsageError is a mistake in how autobuild was called.
type UsageError struct{ What, Next string }

// Error joins What and Next with a semicolon.
func (e *UsageError) Error() string {
	if e.Next == "" {
		return e.What
	}
	return e.What + "; " + e.Next
}

// Usage is a *UsageError.
func Usage(what, next string) error { return &UsageError{what, next} }

// ShownError is an error that the user has seen in full already; only its exit code remains to be
// used.
type ShownError struct{ Err error }

// Error is the error's own text.
func (e *ShownError) Error() string { return e.Err.Error() }

// Unwrap is the error.
func (e *ShownError) Unwrap() error { return e.Err }
