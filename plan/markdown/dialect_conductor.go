package markdown

import "strings"

// conductor writes plans of phases whose boxes begin with "Task:", and notes a checkpoint in the
// heading of each phase that is done.
func conductor() family { return family{"conductor", "phase", conductorSign} }

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
