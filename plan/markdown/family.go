package markdown

// family is a dialect of plain headings that has signs of its own. Its phases read as headings do;
// only its name differs, so that a report can say what was recognised.
type family struct {
	called string
	kind   string
	sign   func(d *document, heads []heading) bool
}

func (f family) name() string { return f.called }

func (f family) signs(d *document) bool {
	var heads []heading
	for _, h := range d.heads {
		if h.title.kind == f.kind {
			heads = append(heads, h)
		}
	}
	return len(heads) > 0 && d.headKind() == f.kind && f.sign(d, heads)
}

func (f family) read(r *reading) {
	r.headings(func(h *heading) bool { return h.title.kind == f.kind })
}

// families lists them.
func families() []dialect {
	return []dialect{conductor(), ralphex(), superpowers(), agentOS()}
}
