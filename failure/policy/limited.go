package policy

import (
	"fmt"

	"autobuild/failure"
)

// Limited is a policy with limits on what one phase may use up. They are looked at after an attempt
// has failed: work that is verified is never thrown away because of what it cost.
type Limited struct {
	failure.Policy
	MaxCostUSD float64 // 0 is no limit
	MaxTokens  int64   // in and out; 0 is no limit
}

// Decide is what the policy decides, unless that would go on spending what the phase has not got.
func (l Limited) Decide(d failure.Diagnosis, h failure.History) failure.Decision {
	decided := l.Policy.Decide(d, h)
	if !decided.Again() && decided.Action != failure.Wait {
		return decided
	}
	var why, rule string
	switch {
	case l.MaxCostUSD > 0 && h.CostUSD >= l.MaxCostUSD:
		rule, why = "limit.cost", fmt.Sprintf("the phase has cost $%.2f and may cost $%.2f", h.CostUSD, l.MaxCostUSD)
	case l.MaxTokens > 0 && h.Tokens >= l.MaxTokens:
		rule, why = "limit.tokens", fmt.Sprintf("the phase has used %d tokens and may use %d", h.Tokens, l.MaxTokens)
	default:
		return decided
	}
	return failure.Decision{
		Action: failure.Fail, Attempts: decided.Attempts, Rule: rule,
		Rationale: fmt.Sprintf("%s; without that limit: %s", why, decided.Rationale),
	}
}
