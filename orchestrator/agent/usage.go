package agent

import (
	"context"
	"fmt"
	"math"
)

// spending is the usage of a job so far.
type spending struct {
	cost    float64
	in, out int64
}

// count reports the usage whenever it changes. It does not report the usage that comes with the end
// of a stream: that is in the outcome, and a budget would stop an agent that is done.
func (s *story) count() {
	now := spending{s.out.CostUSD, s.out.InputTokens, s.out.OutputTokens}
	if s.spent == nil || now == s.counted || s.rests.Load() {
		return
	}
	s.counted = now
	s.spent(now.cost, now.in, now.out)
}

// stingy is a report of use after which over is closed once ctx has ended, because what was reported
// has used up a budget: an agent that is asked to end may ask its model once more.
func stingy(
	ctx context.Context, spent func(float64, int64, int64), over chan<- struct{},
) func(float64, int64, int64) {
	if spent == nil {
		return nil
	}
	return func(costUSD float64, in, out int64) {
		going := ctx.Err() == nil
		if spent(costUSD, in, out); going && ctx.Err() != nil {
			close(over)
		}
	}
}

// capped are the arguments that make an agent stop by itself when it has cost that much, and
// whether there are any.
func (c cli) capped(job Job) ([]string, bool) {
	if c.spec.cap == "" || job.MaxCost <= 0 || c.given(c.spec.cap) {
		return nil, false
	}
	cents := math.Ceil(job.MaxCost*10000) / 10000 // it refuses a limit of 0
	return []string{c.spec.cap, fmt.Sprintf("%.4f", cents)}, true
}

// ReportsCost reports whether the built-in agent of that name reckons what it costs. The others
// report tokens or nothing.
func ReportsCost(name string) bool {
	s, _ := specOf(name)
	return s.costs
}

// ReportsTokens reports whether the built-in agent of that name counts tokens.
func ReportsTokens(name string) bool {
	s, _ := specOf(name)
	return !s.uncounted && name != "script"
}

// Prices are US dollars for a million tokens. The zero value has none.
type Prices struct {
	Input, Output float64
}

// priced is an agent whose tokens have a price.
type priced struct {
	Agent
	prices Prices
}

// Priced is an agent that costs as much as its tokens, unless it reports a cost itself. Reads from
// a cache count as input, so that the cost is rather too high than too low.
func Priced(a Agent, p Prices) Agent {
	if p == (Prices{}) {
		return a
	}
	return priced{a, p}
}

// Run runs the agent, and reckons.
func (p priced) Run(ctx context.Context, job Job) (Outcome, error) {
	if spent := job.Spent; spent != nil {
		job.Spent = func(cost float64, in, out int64) { spent(p.cost(cost, in, out), in, out) }
	}
	out, err := p.Agent.Run(ctx, job)
	out.CostUSD = p.cost(out.CostUSD, out.InputTokens, out.OutputTokens)
	return out, err
}

func (p priced) cost(said float64, in, out int64) float64 {
	if said > 0 {
		return said
	}
	return (float64(in)*p.prices.Input + float64(out)*p.prices.Output) / 1e6
}
