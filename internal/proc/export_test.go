package proc

import "time"

// SetPatience shortens the time that a supervisor is given to end its tree.
func (r *Runner) SetPatience(d time.Duration) { r.patience = d }
