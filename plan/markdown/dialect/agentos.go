package dialect

import "autobuild/plan/markdown/document"

// agentOS writes task groups, each with numbered boxes.
func agentOS() family {
	return family{
		"agent-os", "task group",
		func(*document.Document, []document.Heading) bool { return true },
	}
}
