// Package classify reads the description of one failure of any program and classifies it. A
// description becomes failure.Evidence, so that the same rules answer as in a run: the same input
// gives the same answer. It does not know where the description is from.
package classify

import (
	"autobuild/failure"
	"autobuild/failure/diagnose"
)

// MaxInput bounds a description, in bytes: the end of an output and some history, not a log.
const MaxInput = 8 << 20

// InputError is a mistake in a description.
type InputError struct{ What, Next string }

// Error joins What and Next with a semicolon.
func (e *InputError) Error() string { return e.What + "; " + e.Next }

func wrong(what, next string) error { return &InputError{what, next} }

// JSON classifies one failure that is described as JSON. It returns the class and the diagnosis
// that holds it. The error is an *InputError.
func JSON(raw []byte) (failure.Classification, failure.Diagnosis, error) {
	s, err := readFailure(raw)
	if err != nil {
		return failure.Classification{}, failure.Diagnosis{}, err
	}
	if !s.failed() {
		return failure.Classification{}, failure.Diagnosis{},
			wrong("not a failure: it exited with 0, and nothing else is said to be wrong",
				"name what is wrong: exit_code, timed_out, claim, missing_files, no_change, cause")
	}
	e := s.evidence()
	e.Past = s.past(e)
	d := diagnose.From(e)
	return d.Class, d, nil
}
