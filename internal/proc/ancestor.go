package proc

// maxAncestors bounds how far InTree looks, should numbers be given anew meanwhile.
const maxAncestors = 1000

// InTree reports whether a process is ancestor itself, or was started by it or by one that was.
// False where the system does not say.
func InTree(pid, ancestor int) bool {
	for range maxAncestors {
		switch pid {
		case ancestor:
			return true
		case 0, 1:
			return false
		}
		pid = parentOf(pid)
	}
	return false
}
