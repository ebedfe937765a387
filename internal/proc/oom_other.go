//go:build !linux

package proc

// MemoryKills is not known here.
func MemoryKills() (boot string, count int64) { return "", 0 }
