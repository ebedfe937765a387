package failure

// Spent says that the budget of the whole run is used up. It is no fault of the phase whose attempt
// met it: that attempt is taken back, and the run ends.
type Spent struct {
	Reason string // "the cost budget is spent: $4.02 of $4.00"
}

// Error is the reason.
func (e *Spent) Error() string { return e.Reason }
