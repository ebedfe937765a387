package git

// VerifyPinned compares the files of the scratch directory, as each call does first. Its error
// names a file that cannot be put back.
func (d *ScratchDir) VerifyPinned() error { return d.pins.verify() }

// Breaches lists, in words, the changed files since the last call.
func (d *ScratchDir) Breaches() []string { return d.pins.drain() }
