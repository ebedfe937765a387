package markdown

import (
	"autobuild/plan/markdown/document"
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
		c := document.Keyed(t, document.ReadColumns(t), nil)
		if c.Key < 0 || (waveColumn(t) < 0 && d.Above(t.Line).Title.Kind != "wave") || waveColumn(t) == c.Key {
			continue
		}
		if now := words.HeadWords(t.Header[c.Key].Raw); head == "" || head == now {
			head = now
			parts = append(parts, document.TablePart{t, c})
		}
	}
	return parts
}

func (waves) read(r *reading) {
	parts := waveTables(r.doc)
	if len(parts) == 0 {
		return
	}
	t := &document.PhaseTable{Ids: map[string]bool{}}
	for _, part := range parts {
		t.Add(part, nil)
	}
	r.rows(t)
	r.attach()
}
