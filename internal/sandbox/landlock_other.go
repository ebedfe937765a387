//go:build !linux

package sandbox

import "errors"

const hasBwrap = false

func lookLandlock() Finding {
	return Finding{Means: Landlock, Err: &ImpossibleError{Landlock, "it needs Linux", elsewhere}}
}

func landlockCommand(string, []string, Rights) ([]string, error) {
	return nil, errors.New("sandbox: there is no Landlock on this system")
}

// Enter fails: this system cannot confine a process.
func Enter([]string, []string) error { return errBroken }
