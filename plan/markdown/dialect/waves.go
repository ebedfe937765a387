package dialect

import (
	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/reading"
	"autobuild/plan/markdown/words"
)

// waves is a plan of task tables without dependencies, one for each wave or with a column that
// gives it.
type waves struct{}

func (waves) name() string { return "waves" }

func (waves) signs(d *document.Document) bool { return len(waveTables(d)) > 0 }

// waveTables finds the tables that list tasks by waves.
func waveTables(d *document.Document) []document.TablePart {
	var parts []document.TablePart
	head := ""
	for i := range d.Tables {
		t := &d.Tables[i]
		c := document.WithKey(t, document.ReadColumns(t), nil)
		wave := t.Column("wave")
		if c.Key < 0 || wave == c.Key || wave < 0 && d.HeadingAbove(t.Line).Title.Kind != "wave" {
			continue
		}
		if now := words.HeadWords(t.Header[c.Key].Raw); head == "" || head == now {
			head = now
			parts = append(parts, document.TablePart{Table: t, Columns: c})
		}
	}
	return parts
}

func (waves) read(r *reading.Reading) {
	parts := waveTables(r.Doc)
	if len(parts) == 0 {
		return
	}
	r.AddRows(document.JoinParts(parts))
	r.AttachHeadings()
}
