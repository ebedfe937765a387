package render

import (
	"autobuild/failure"
	"autobuild/state"
)

// explainDocument is the output of explain --json.
type explainDocument struct {
	Schema    int                `json:"schema"`
	Run       string             `json:"run"`
	Phase     statusPhase        `json:"phase"`
	Policy    string             `json:"retry_policy"`
	Diagnosis *failure.Diagnosis `json:"diagnosis"` // of the last attempt; null when that did not fail
	Decision  *failure.Decision  `json:"decision"`
	Attempts  []state.Attempt    `json:"attempts"`
	Past      []failure.Earlier  `json:"past"` // failures of earlier sessions included, oldest first
	Revisions int                `json:"revisions"`
	Proposals int                `json:"proposals"` // in a row without progress
	Siblings  []string           `json:"siblings"`  // ids of phases whose last attempt failed in the same way
}

// ExplainJSON is the same as schema 1 of the JSON document. Its field names do not change; new ones
// may come.
func ExplainJSON(e Explanation) ([]byte, error) {
	p := e.Phase
	doc := explainDocument{
		Schema: 1, Run: e.Run.Config.RunID, Phase: statusOf(e.Run, p, e.Alive),
		Policy:   e.Run.Config.RetryPolicy,
		Attempts: p.Attempts, Past: p.Past, Revisions: p.Revisions, Proposals: p.Proposals,
		Siblings: []string{},
	}
	if own := e.Run.Config.Choices[p.ID]["retry-policy"]; own != "" {
		doc.Policy = own
	}
	if doc.Attempts == nil {
		doc.Attempts = []state.Attempt{}
	}
	if doc.Past == nil {
		doc.Past = []failure.Earlier{}
	}
	if last, ok := p.Last(); ok && last.Failure != nil {
		doc.Diagnosis, doc.Decision = last.Failure, last.Decision
		for i := range e.Run.Phases {
			q := &e.Run.Phases[i]
			if other, ok := q.Last(); ok && q.ID != p.ID && other.Failure != nil &&
				other.Failure.Fingerprint == last.Failure.Fingerprint {
				doc.Siblings = append(doc.Siblings, q.ID)
			}
		}
	}
	return document(doc)
}
