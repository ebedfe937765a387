package session

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"autobuild/orchestrator/attempt"
)

// meter counts what the run uses up, what earlier sessions did included.
func (s *session) meter() *attempt.Meter {
	m := attempt.NewMeter(attempt.Budget{CostUSD: s.o.MaxCost, Tokens: s.o.MaxTokens}, s.run.Totals().Usage)
	if t := s.openNotifier(); t != nil {
		m.Near = t.Spends
	}
	return m
}

// raised are flags with as much again for every budget of the run that is spent: with the old one a
// resume would end as it begins.
func (s *session) raised(words []string) []string {
	used := s.run.Totals().Usage
	tokens := used.InputTokens + used.OutputTokens
	more := func(flag, value string) {
		words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.HasPrefix(w, flag) })
		words = append(words, flag+value)
	}
	if limit := s.o.MaxCost; limit > 0 && used.CostUSD >= limit {
		cents := max(1, math.Round(100*(used.CostUSD+limit)))
		more("--max-cost=", strconv.FormatFloat(cents/100, 'f', -1, 64))
	}
	if limit := s.o.MaxTokens; limit > 0 && tokens >= limit {
		more("--max-tokens=", strconv.FormatInt(tokens+limit, 10))
	}
	return words
}
