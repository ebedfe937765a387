package git

// VerifyPinned compares the pinned files, as each call of git does first. Its error is a file that
// cannot be put back.
func (r *Repository) VerifyPinned() error { return r.pins.verify() }

// Breaches are the changes of pinned files and the removed pipes since the last call, in words.
func (r *Repository) Breaches() []string { return r.pins.drain() }

// NoteBreach adds one to Breaches.
func (r *Repository) NoteBreach(text string) { r.pins.note(text) }

// BeforeEachCall has check called before each call of git; nil ends that.
func (r *Repository) BeforeEachCall(check func()) { r.pins.watchBy(check) }

// MovePipes has named pipes in git's directories and in the checkout removed from now on where git
// would wait for them, but for those below worktrees/ of the state directory. What a pinned file
// had become is kept in breaches/ of the state directory.
func (r *Repository) MovePipes(stateDir string) {
	r.pins.watch(stateDir, r.Top, r.GitDir, r.CommonDir)
}
