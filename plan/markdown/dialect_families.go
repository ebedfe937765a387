package markdown

import "strings"

// The dialects of this file are plain headings that have signs of their own. They read as headings do; only
// their names differ, so that a report can say what was recognised.

// family is a dialect of headings of one kind.
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
	return len(heads) > 0 && headKind(d) == f.kind && f.sign(d, heads)
}

func (f family) read(r *reading) {
	r.headings(func(h *heading) bool { return h.title.kind == f.kind })
}

// families lists them.
func families() []dialect {
	return []dialect{
		family{"conductor", "phase", conductorSign},
		family{"ralphex", "task", ralphexSign},
		family{"superpowers", "task", superpowersSign},
		family{"agent-os", "task group", func(*document, []heading) bool { return true }},
	}
}

// conductorSign: a checkpoint in a heading, "[~]" boxes, or boxes that begin with "Task:".
func conductorSign(d *document, heads []heading) bool {
	for _, h := range heads {
		if strings.Contains(h.raw, "[checkpoint:") {
			return true
		}
	}
	for i := range d.items {
		if it := &d.items[i]; it.box == '~' || (it.box != 0 && strings.HasPrefix(plain(it.raw), "Task:")) {
			return true
		}
	}
	return false
}

// ralphexSign: commands that hold for every task.
func ralphexSign(d *document, _ []heading) bool {
	for _, h := range d.heads {
		if w := words(h.text); w == "validation commands" || w == "progress tracking" {
			return true
		}
	}
	return false
}

// superpowersSign: several tasks that list files or steps.
func superpowersSign(d *document, heads []heading) bool {
	if len(heads) < 2 {
		return false
	}
	for _, l := range d.labels {
		if l.name == "files" || strings.HasPrefix(l.name, "step ") {
			return true
		}
	}
	return false
}
