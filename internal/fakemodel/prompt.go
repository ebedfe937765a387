package fakemodel

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"autobuild/internal/lazyregexp"
)

// task is the request in a prompt of autobuild: the values that a result block has to hold.
type task struct {
	nonce, phase string
	tasks        int
}

// asksFor is the example of a result block that ends every prompt.
var asksFor = lazyregexp.New(
	`"nonce":\s*"([^"\\]+)",\s*"phase_id":\s*"([^"\\]+)",[^{]*"tasks":\s*\{"total":\s*(\d+)`)

// taskOf reads a prompt. The last example counts: the plan's own text, which stands before it, may
// hold one too.
func taskOf(prompt string) (task, bool) {
	all := asksFor.FindAllStringSubmatch(prompt, -1)
	if len(all) == 0 {
		return task{}, false
	}
	m := all[len(all)-1]
	n, err := strconv.Atoi(m[3])
	return task{nonce: m[1], phase: m[2], tasks: n}, err == nil
}

// fill puts into a text what the script cannot know.
func (t task) fill(text string) string {
	return strings.NewReplacer(
		"${PHASE}", t.phase,
		"${RESULT}", t.block(t.nonce, "complete", t.tasks, nil),
		"${FAILED}", t.block(t.nonce, "failed", 0,
			object{"type": "task_incomplete", "message": "nothing is done yet"}),
		"${STRANGER}", t.block("0000000000000000", "failed", 0,
			object{"type": "task_incomplete", "message": "said by someone else"}),
	).Replace(text)
}

// block is a result block, fenced.
func (t task) block(nonce, status string, done int, err any) string {
	raw, _ := json.MarshalIndent(object{ // of texts and numbers, which always can be written
		"nonce": nonce, "phase_id": t.phase, "status": status,
		"tasks": object{"total": t.tasks, "completed": done},
		"quality_gates": object{"test": object{
			"passed": status == "complete",
			"output": "as it says",
		}},
		"commit_message": "feat: do phase " + t.phase, "plan_updated": false, "error": err,
		"files": object{"created": []any{}, "modified": []any{}, "deleted": []any{}},
	}, "", " ")
	return "```json\n" + string(raw) + "\n```"
}

// moment finds "${NOW+3600}", with the quotes around it where it stands alone: then it becomes a
// number.
var moment = lazyregexp.New(`"\$\{NOW\+(\d+)\}"|\$\{NOW\+(\d+)\}`)

// moments puts times into a text.
func moments(text string, now time.Time) string {
	return moment.ReplaceAllStringFunc(text, func(found string) string {
		m := moment.FindStringSubmatch(found)
		after, _ := strconv.Atoi(m[1] + m[2]) // one of them is empty
		return strconv.FormatInt(now.Unix()+int64(after), 10)
	})
}

// at is the refusal with its moments.
func (r Refusal) at(now time.Time) *Refusal {
	headers := make(map[string]string, len(r.Headers))
	for name, value := range r.Headers {
		headers[name] = moments(value, now)
	}
	r.Headers = headers
	if raw, err := json.Marshal(r.Fields); err == nil {
		var fields map[string]any
		if json.Unmarshal([]byte(moments(string(raw), now)), &fields) == nil {
			r.Fields = fields
		}
	}
	return &r
}
