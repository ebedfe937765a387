package markdown

// waves is a plan of task tables without dependencies, one for each wave or with a column that
// gives it.
type waves struct{}

func (waves) name() string { return "waves" }

func (waves) signs(d *document) bool { return len(waveTables(d)) > 0 }

// waveTables finds the tables that list tasks by waves.
func waveTables(d *document) []tablePart {
	var parts []tablePart
	head := ""
	for i := range d.tables {
		t := &d.tables[i]
		c := keyed(t, readColumns(t), nil)
		if c.key < 0 || (waveColumn(t) < 0 && d.above(t.line).title.kind != "wave") || waveColumn(t) == c.key {
			continue
		}
		if now := headWords(t.header[c.key].raw); head == "" || head == now {
			head = now
			parts = append(parts, tablePart{t, c})
		}
	}
	return parts
}

func (waves) read(r *reading) {
	parts := waveTables(r.doc)
	if len(parts) == 0 {
		return
	}
	t := &phaseTable{ids: map[string]bool{}}
	for _, part := range parts {
		t.add(part, nil)
	}
	r.rows(t)
	r.attach()
}
