package term

import (
	"fmt"
	"testing"

	"autobuild/render"
	"autobuild/render/rendertest"
)

// TestMended holds the screen of a repair in golden files, before and after, at three widths.
func TestMended(t *testing.T) {
	mends := []Mend{
		{Path: ".autobuild/phases/phase-2a.json", Line: 6, Col: 13, Label: "2A", Cause: "says complete, but its commit c0ffee123 is not part of the work", Do: "again", Why: "complete is what has landed"},
		{Path: ".autobuild/phases/phase-2b.json", Line: 1, Col: 33, Label: "2B", Cause: "is not JSON: \x1b[31munexpected\x1b[0m end of JSON input", Do: "adopt", Why: "its work has landed as commit d64d258f8; the record of its gates is lost"},
		{Path: ".autobuild/phases/phase-3.json", Line: 1, Col: 12, Label: "3", Cause: "schema 999 was written by a newer autobuild; this one reads schema 1", Do: "leave", Why: "it is whole, and of a form that this autobuild does not know", Next: "go on with the autobuild that wrote it"},
		{Path: ".autobuild/result.json", Line: 1, Col: 1, Cause: "want an object, found null", Do: "set aside", Why: "the next end writes it anew"},
		{Path: ".autobuild/events.jsonl", Line: 13, Col: 1, Cause: "is not an event; 2 lines are none 品質", Do: "trim", Why: "the program never needs the diary, and its other lines can be read"},
		{Path: ".autobuild/config.json", Cause: "is missing, although there are phase files", Do: "restore", Why: "the diary tells how session 1 of run r1 was started"},
	}
	for _, width := range []int{40, 80, 120} {
		s := render.Style{Width: width}
		before := Mended(Repair{Mends: mends, Files: 6, Next: []string{"autobuild repair"}}, s)
		after := Mended(Repair{Mends: mends, Files: 6, Done: true, Backup: ".autobuild/history/repair-20260102-030405", Next: []string{"autobuild plan.md --resume"}}, s)
		rendertest.Golden(t, fmt.Sprintf("repair-%d.txt", width), before+"\n"+after+"\n"+Mended(Repair{Files: 6}, s)+"\n"+Mended(Repair{Mends: mends[2:3]}, s))
		rendertest.Lacks(t, before+after, "\x1b[31m")
	}
}
