package markdown

// agentOS writes task groups, each with numbered boxes.
func agentOS() family {
	return family{"agent-os", "task group", func(*document, []heading) bool { return true }}
}
