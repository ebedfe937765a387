package reading

import (
	"slices"
	"strings"

	"autobuild/internal/lazyregexp"
)

// readGantt reads the order of a Gantt chart: "Phase 2 :b, after a, 5d" comes after the task a, and
// a task with nothing but a duration after the one above it.
func readGantt(text string) *Flow {
	f := newFlow()
	last := ""
	var open []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if title, found := strings.CutPrefix(line, "section "); found {
			open = []string{f.group("section "+strings.TrimSpace(title), title, nil)}
			continue
		}
		name, rest, found := strings.Cut(line, ":")
		if at := strings.LastIndex(line, " :"); at > 0 {
			name, rest = line[:at], line[at+len(" :"):] // "Phase 1: Read :a, 5d"
		}
		if !found || strings.HasPrefix(name, "%%") || slices.Contains(ganttHeads, firstWord(name)) {
			continue
		}
		last = f.ganttTask(strings.TrimSpace(name), rest, last, open)
	}
	return f
}

// ganttTask reads one task, and returns its name.
func (f *Flow) ganttTask(label, rest, last string, open []string) string {
	id, date := "", ""
	var after []string
	dated := false
	for part := range strings.SplitSeq(rest, ",") {
		part = strings.TrimSpace(part)
		ids, follows := strings.CutPrefix(part, "after ")
		switch {
		case follows:
			after = strings.Fields(ids)
		case slices.Contains(ganttTags, part) || part == "" || strings.HasPrefix(part, "until "):
		case part[0] >= '0' && part[0] <= '9':
			if isDate.MatchString(part) && date == "" {
				date = part
			}
			dated = dated || !isDuration.MatchString(part)
		case id == "":
			id = part
		}
	}
	if id == "" {
		id = label
	}
	f.note(id, label, open)
	if date != "" {
		f.begins[id] = date
	}
	if len(after) == 0 && !dated && last != "" {
		after = []string{last}
	}
	f.join(after, []string{id})
	return id
}

var (
	isDate     = lazyregexp.New(`^\d{4}-\d{2}-\d{2}`)
	isDuration = lazyregexp.New(`^\d+(?:\.\d+)?(?:ms|[smhdwMy])$`)
)

func firstWord(s string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return word
}

// ganttTags say what a task of a Gantt chart looks like.
var ganttTags = []string{"done", "active", "crit", "milestone", "vert"}

// ganttHeads begin the lines of a Gantt chart that are no tasks.
var ganttHeads = []string{
	"title", "dateFormat", "axisFormat", "tickInterval", "excludes", "includes", "todayMarker",
	"weekday", "click", "accTitle", "accDescr",
}
