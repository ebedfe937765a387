package policy

import (
	"fmt"

	"autobuild/failure"
)

// Limited bounds the cost and tokens of one phase under another policy. It applies after a failed
// attempt only: verified work lands whatever it cost.
type Limited struct {
	failure.Policy
	MaxCostUSD float64 // 0 is no limit
	MaxTokens  int64   // in and out; 0 is no limit
}

// Decide is the decision of the policy, or Fail where that would exceed a limit.
func (l Limited) Decide(d failure.Diagnosis, h failure.History) failure.Decision {
	decided := l.Policy.Decide(d, h)
	if !decided.Again() && decided.Action != failure.Wait {
		return decided
	}
	var why, rule string
	switch {
	case l.MaxCostUSD > 0 && h.CostUSD >= l.MaxCostUSD:
		rule, why = "limit.cost", fmt.Sprintf("the phase has cost $%.2f and may cost $%.2f",
			h.CostUSD, l.MaxCostUSD)
	case l.MaxTokens > 0 && h.Tokens >= l.MaxTokens:
		rule, why = "limit.tokens", fmt.Sprintf("the phase has used %d tokens and may use %d",
			h.Tokens, l.MaxTokens)
	default:
		return decided
	}
	return failure.Decision{
		Action: failure.Fail, Attempts: decided.Attempts, Rule: rule,
		Rationale: fmt.Sprintf("%s; without that limit: %s", why, decided.Rationale),
	}
}
