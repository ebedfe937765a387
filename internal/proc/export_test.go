package proc

import "time"

// SetPatience shortens the time that a supervisor is given to end its tree.
func (r *Runner) SetPatience(d time.Duration) { r.patience = d }

// SetStartPatience shortens the time that a supervisor is given to say that the child is there.
func (r *Runner) SetStartPatience(d time.Duration) { r.begins = d }
