package cmd

import (
	"os"
	"strings"
	"testing"

	"autobuild/orchestrator/agent"
)

const (
	agentsPage   = "../docs/agents.md"
	agentsBegin  = "<!-- agents: go test ./cmd -run TestAgentsPage -update -->\n"
	factsBegin   = "<!-- facts: "
	factsEnd     = "<!-- end of facts -->"
	markerCloses = " -->\n"
)

// The page about agents says of each that is built in how it is installed, logged in, called and
// confined, as the program itself has it.
func TestAgentsPage(t *testing.T) {
	raw, err := os.ReadFile(agentsPage)
	if err != nil {
		t.Fatal(err)
	}
	page := between(t, string(raw), agentsBegin, overview(t))
	for _, name := range agent.Names() {
		heading := "\n## " + name + "\n"
		if strings.Count(page, heading) != 1 {
			t.Fatalf("%s has no section of its own in %s", name, agentsPage)
		}
		before, section, _ := strings.Cut(page, heading)
		section, after, more := strings.Cut(section, "\n## ")
		section = between(t, section, factsBegin+name+markerCloses, facts(t, name))
		if more {
			after = "\n## " + after
		}
		page = before + heading + section + after
	}
	if n := strings.Count(page, factsBegin); n != len(agent.Names()) {
		t.Errorf("%s has facts of %d agents, and %d are built in", agentsPage, n, len(agent.Names()))
	}
	if page == string(raw) {
		return
	}
	if !*update {
		t.Fatalf("%s has other facts than the program: go test ./cmd -run TestAgentsPage -update", agentsPage)
	}
	if err := os.WriteFile(agentsPage, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
}

// between is the text with what stands between the marker and the end of facts replaced.
func between(t *testing.T, text, begin, want string) string {
	t.Helper()
	before, rest, ok := strings.Cut(text, begin)
	_, after, closed := strings.Cut(rest, factsEnd)
	if !ok || !closed {
		t.Fatalf("%s has no %q that is closed where it belongs", agentsPage, strings.TrimSpace(begin))
	}
	return before + begin + want + factsEnd + after
}

// overview is the table of all agents, in the order in which one is chosen.
func overview(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("\n| name | program | driven with | reports its usage | in the sandbox | what it may do |\n|---|---|---|---|---|---|\n")
	for _, name := range agent.Names() {
		about := introduced(t, name)
		driven := about.Tested
		if driven == "" {
			driven = "documentation alone"
		}
		b.WriteString("| [" + name + "](#" + name + ") | `" + about.Program + "` | " + driven + " | " + reportsUsage(name) + " | " + confined(about) + " | " + about.Ability + " |\n")
	}
	return b.String() + "\n"
}

// reportsUsage is what an agent reports of its usage: tokens, cost, or nothing.
func reportsUsage(name string) string {
	switch {
	case agent.ReportsCost(name):
		return "cost and tokens"
	case agent.ReportsTokens(name):
		return "tokens"
	}
	return "nothing"
}

// confined says whether an agent was driven in the sandbox.
func confined(about agent.About) string {
	if about.Confined {
		return "works"
	}
	return "not tried"
}

// facts are what of an agent would go stale if it were written by hand.
func facts(t *testing.T, name string) string {
	t.Helper()
	about := introduced(t, name)
	lines := []string{
		"Install: `" + about.Install + "` (<" + about.Homepage + ">)",
		"Log in: " + about.Login + "; or set " + anyOf(about.Keys),
	}
	lines = append(lines, "Called as: `"+strings.Join(agent.CommandLine(name, nil), " ")+"`")
	var extra []string
	if about.Model != "" {
		extra = append(extra, "`"+about.Model+" NAME`")
	}
	if level, ok := agent.Effort(name, "LEVEL"); ok {
		extra = append(extra, "`"+strings.Join(level, " ")+"`")
	}
	if len(about.Sets) > 0 {
		extra = append(extra, quoted(about.Sets, "", ", "))
	}
	if len(extra) > 0 {
		lines = append(lines, "Model, effort, variables: "+strings.Join(extra, "; "))
	}
	lines = append(lines, "Writes to: its clone, "+quoted(about.Write, "~/", ", "))
	return "\n- " + strings.Join(lines, "\n- ") + "\n\n"
}

func introduced(t *testing.T, name string) agent.About {
	t.Helper()
	about, ok := agent.AboutOf(name)
	if !ok || about.Ability == "" || about.Homepage == "" || len(about.Write) == 0 || len(about.Files) == 0 {
		t.Fatalf("not all is known of %s: %+v", name, about)
	}
	return about
}

// anyOf are variables of which one is enough.
func anyOf(names []string) string {
	if len(names) == 1 {
		return quoted(names, "", "")
	}
	return "one of " + quoted(names, "", ", ")
}

// quoted are words as code.
func quoted(words []string, lead, between string) string {
	return "`" + lead + strings.Join(words, "`"+between+"`"+lead) + "`"
}
