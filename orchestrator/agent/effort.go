package agent

// Effort is what tells the agent of that name how hard to think, in its own words, or false where its command line takes none.
// Whether it knows the level is for the agent to say: the levels differ between models.
func Effort(name, level string) ([]string, bool) {
	switch name {
	case "claude":
		return []string{"--effort", level}, true
	case "codex":
		return []string{"-c", "model_reasoning_effort=" + level}, true
	case "copilot":
		return []string{"--reasoning-effort", level}, true
	case "opencode":
		return []string{"--variant", level}, true
	case "pi":
		return []string{"--thinking", level}, true
	}
	return nil, false
}
