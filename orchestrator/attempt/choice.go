package attempt

import "time"

// Choice is how attempts at one phase, by one agent, differ from others. Zero fields are the
// runner's own.
type Choice struct {
	// with it come its Name, its Model, and whether it wants a clean workspace or is Strong
	Agent   Agent
	Name    string
	Model   string
	Clean   bool
	Strong  bool
	Timeout time.Duration
	Idle    time.Duration
	Budget  Budget
}

// chosen is the runner for one phase and the agent that the task names, which may be empty.
func (r *Runner) chosen(phase, agent string) *Runner {
	if r.For == nil {
		return r
	}
	c, mine := r.For(phase, agent), *r
	if c.Agent != nil {
		mine.Agent, mine.Name, mine.Model, mine.Clean, mine.Strong = c.Agent, c.Name, c.Model,
			c.Clean, c.Strong
	}
	if c.Timeout > 0 {
		mine.Timeout = c.Timeout
	}
	if c.Idle > 0 {
		mine.Idle = c.Idle
	}
	if c.Budget != (Budget{}) {
		mine.Budget = c.Budget
	}
	return &mine
}
