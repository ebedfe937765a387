//go:build !linux

package sandbox

import "errors"

const hasBwrap = false

func lookLandlock() Finding {
	return Finding{Means: Landlock, Err: &ImpossibleError{Landlock, "it needs Linux", elsewhere}}
}

func landlockCommand(string, []string, []string) ([]string, error) {
	return nil, errors.New("sandbox: there is no Landlock on this system")
}

// Enter is the end of a process that was told to confine itself on a system that cannot.
func Enter([]string, []string) error { return errBroken }
