package render

// Ending is the input of a summary beyond the run itself: how autobuild was called, and the files
// and refs that it leaves behind.
type Ending struct {
	// the words that call autobuild from here, with its -C if there is one; nil is "autobuild"
	Program []string
	Resume  []string // the whole command that goes on; nil where nothing can be resumed
	Fresh   []string // the whole command that starts again; nil is left out
	Dir     string   // the state directory as a person types it; empty is ".autobuild"
	Files   int      // phase files in it
	Script  string   // of message-only: the path of commits.sh; empty when there is none
	Reports []string // files that were written for other eyes
	Notes   []string // notes that belong to no phase, such as gates that failed before the run
	Nothing bool     // the session found everything complete and did nothing
}
