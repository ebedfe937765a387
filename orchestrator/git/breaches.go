package git

// VerifyPinned compares the files of the scratch directory, as each call does first. Its error
// names a file that cannot be put back.
func (r *Repository) VerifyPinned() error { return r.pins.verify() }

// Breaches lists, in words, the changed files since the last call.
func (r *Repository) Breaches() []string { return r.pins.drain() }
