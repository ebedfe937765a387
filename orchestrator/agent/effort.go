package agent

// Effort is the arguments by which the agent of that name is asked to think harder or less, or
// false where its command line takes none. The agent checks the level: levels differ between
// models.
func Effort(name, level string) ([]string, bool) {
	s, ok := specOf(name)
	if !ok || s.effort == nil {
		return nil, false
	}
	return s.effort(level), true
}
