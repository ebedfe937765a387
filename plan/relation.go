package plan

// relation is what a list of references resolves to.
type relation struct {
	hard, soft []int
	elsewhere  []string
	// says "all": every other phase, or every previous one where that would be a cycle
	all    bool
	except []int // which "all" leaves out
	bad    bool  // a problem was reported
	own    bool  // names tasks of the phase itself
}

// onlyOwnTasks reports whether a list orders the tasks of its phase and says nothing of others.
func (rel *relation) onlyOwnTasks() bool {
	return rel.own && len(rel.hard)+len(rel.soft)+len(rel.elsewhere) == 0 && !rel.all && !rel.bad
}

// add adds what another list says.
func (rel *relation) add(other relation) {
	rel.hard = append(rel.hard, other.hard...)
	rel.soft = append(rel.soft, other.soft...)
	rel.elsewhere = append(rel.elsewhere, other.elsewhere...)
	rel.except = append(rel.except, other.except...)
	rel.all, rel.bad = rel.all || other.all, rel.bad || other.bad
	rel.own = rel.own || other.own
}
