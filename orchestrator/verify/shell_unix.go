//go:build !windows

package verify

func shell(command string) []string { return []string{"sh", "-c", command} }
