//go:build !linux

package cmd

// reap is for systems with subreapers.
func reap() {}
