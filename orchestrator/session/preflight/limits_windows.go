package preflight

import "golang.org/x/sys/windows"

// FreeSpace is how many bytes can still be written below dir, and no limit of files; ok is false
// where the limit is unknown.
func FreeSpace(dir string) (bytes, files uint64, ok bool) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0, false
	}
	err = windows.GetDiskFreeSpaceEx(name, &bytes, nil, nil)
	return bytes, ^uint64(0), err == nil
}

// LargestFile is unknown: Windows has no such limit.
func LargestFile() (bytes uint64, ok bool) { return 0, false }

// Descriptors is unknown: Windows has no such limit.
func Descriptors() (n uint64, ok bool) { return 0, false }
