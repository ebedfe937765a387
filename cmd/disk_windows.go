package cmd

import "golang.org/x/sys/windows"

// freeSpace is how many bytes may still be written below dir, and no limit of files; ok is false where the system does not tell.
func freeSpace(dir string) (bytes, files uint64, ok bool) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0, false
	}
	err = windows.GetDiskFreeSpaceEx(name, &bytes, nil, nil)
	return bytes, ^uint64(0), err == nil
}

// largestFile has no answer here: the system knows no such limit.
func largestFile() (bytes uint64, ok bool) { return 0, false }

// descriptors has no answer here: the system knows no such limit.
func descriptors() (n uint64, ok bool) { return 0, false }
