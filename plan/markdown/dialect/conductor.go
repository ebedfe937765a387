package dialect

import (
	"strings"

	"autobuild/plan/markdown/document"
	"autobuild/plan/markdown/inline"
)

// conductor writes plans of phases whose boxes begin with "Task:", and notes a checkpoint in the
// heading of each phase that is done.
func conductor() family { return family{"conductor", "phase", conductorSign} }

// conductorSign: a checkpoint in a heading, "[~]" boxes, or boxes that begin with "Task:".
func conductorSign(d *document.Document, heads []document.Heading) bool {
	for _, h := range heads {
		if strings.Contains(h.Raw, "[checkpoint:") {
			return true
		}
	}
	for i := range d.Items {
		if it := &d.Items[i]; it.Box == '~' ||
			(it.Box != 0 && strings.HasPrefix(inline.Plain(it.Raw), "Task:")) {
			return true
		}
	}
	return false
}
