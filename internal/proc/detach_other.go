//go:build unix && !linux && !darwin

package proc

// Identity is not available here: a process number counts as proof.
func Identity(int) string { return "" }
