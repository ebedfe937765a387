package plan

// Receipt says what one line of a document was read as. There is one for every line that looks like
// work or like an order of phases.
type Receipt struct {
	Line int
	Kind Evidence
	As   string // "phase 2A", "task of 2A", "dependencies of 2A"; empty when it was read as nothing
}

// Evidence is what makes a line look like work or order.
type Evidence string

// The kinds of evidence.
const (
	EvidenceBox      Evidence = "box"
	EvidenceHeading  Evidence = "heading"
	EvidenceRow      Evidence = "row"
	EvidenceRelation Evidence = "relation"
	EvidenceChart    Evidence = "chart"
)

// Accounted counts the receipts of lines that were read as something, and of those that were not.
func (p *Plan) Accounted() (accounted, unread int) {
	for _, r := range p.Receipts {
		if r.As == "" {
			unread++
		} else {
			accounted++
		}
	}
	return accounted, unread
}

// Reaches reports whether the phase at position to comes after the one at from in every run:
// whether it depends on it, directly or not.
func (p *Plan) Reaches(from, to int) bool {
	if p.level[from] >= p.level[to] {
		return false
	}
	seen := map[int]bool{to: true}
	queue := []int{to}
	for at := 0; at < len(queue); at++ {
		for _, need := range p.needs[queue[at]] {
			if need == from {
				return true
			}
			if !seen[need] && p.level[need] > p.level[from] {
				seen[need] = true
				queue = append(queue, need)
			}
		}
	}
	return false
}
