package git

// VerifyPinned compares the files of the scratch directory, as each call does first. Its error
// names a file that cannot be put back.
func (r *Repository) VerifyPinned() error { return r.pins.verify() }

// Breaches lists, in words, the changed files and the removed pipes since the last call.
func (r *Repository) Breaches() []string { return r.pins.drain() }

// NoteBreach adds one to Breaches.
func (r *Repository) NoteBreach(text string) { r.pins.note(text) }

// BeforeEachCall has check called before each call of git; nil ends that.
func (r *Repository) BeforeEachCall(check func()) { r.pins.watchBy(check) }

// RemovePipes has named pipes for which git would wait removed from now on, in git's directories
// and in the checkout, but for those below the directory spare. The content of changed files is
// kept in the directory kept.
func (r *Repository) RemovePipes(kept, spare string) {
	r.pins.removePipes(kept, spare, r.Top, r.GitDir, r.CommonDir)
}
