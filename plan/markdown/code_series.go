package markdown

import (
	"strconv"
	"strings"
)

// codeSeries gives an id to headings that begin with a code and no separator, "S1 Schema", where
// they are a series: on one level, with the same letters, and numbers that go up by one. One alone
// may be any name: "S3 Bucket".
func (d *document) codeSeries() {
	type series struct {
		level  int
		prefix string
	}
	found := map[series][]int{}
	titles := map[int]title{}
	for i := range d.heads {
		h := &d.heads[i]
		if h.title.label != "" {
			continue
		}
		if t, ok := codeTitle(h); ok {
			titles[i] = t
			key := series{h.level, idPrefix(t.label)}
			found[key] = append(found[key], i)
		}
	}
	for key, heads := range found {
		if len(heads) < 2 || among(notUnits, key.prefix) {
			continue
		}
		next, counts := 0, true
		for n, i := range heads {
			number, err := strconv.Atoi(titles[i].label[len(key.prefix):])
			counts = counts && err == nil && (n == 0 || number == next)
			next = number + 1
		}
		if !counts {
			continue
		}
		for _, i := range heads {
			d.heads[i].title = titles[i]
		}
	}
}

// codeTitle reads a heading that begins with capitals and a number, and goes on as a name does.
func codeTitle(h *heading) (title, bool) {
	label, rest := idAt(bare(strings.TrimSpace(plain(h.raw))))
	letters := strings.TrimRight(label, "0123456789")
	if letters == "" || letters == label || len(letters) > 4 || strings.Trim(letters, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-") != "" || !titled(rest) {
		return title{}, false
	}
	t := title{struck: struck(h.raw), status: statusOf(h.raw, false), label: label, sep: " ", loose: true}
	t.name, t.asides = undecorated(strings.TrimSpace(rest))
	return t, true
}
