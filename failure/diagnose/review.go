package diagnose

import (
	"slices"
	"strings"

	"autobuild/failure"
	"autobuild/internal/text"
)

// reviewed diagnoses work that passed its gates and in which autobuild has seen what a reviewer
// found.
func reviewed(found []failure.Reviewed, d *failure.Diagnosis) string {
	d.Type, d.Count = failure.ReviewRejected, len(found)
	var shown []string
	for _, f := range found {
		d.Places = append(d.Places, f.Place)
		if f.File != "" && !slices.Contains(d.Files, f.File) {
			d.Files = append(d.Files, f.File)
		}
		d.Found = append(d.Found, f.File+": "+f.Message)
		shown = append(shown, f.String()+"\n"+
			failure.Head(f.Shown, failure.MaxDetails/len(found)))
	}
	first := d.Found[0]
	d.Message = text.Count(len(found), "finding") + " of the review confirmed: " + first
	d.Details = failure.Head(strings.Join(shown, "\n"), failure.MaxDetails)
	return first
}
