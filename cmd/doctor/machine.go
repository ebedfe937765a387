package doctor

import (
	"os"

	"autobuild/internal/safefile"
	"autobuild/internal/sandbox"
	"autobuild/internal/text"
	"autobuild/orchestrator/session/config"
	"autobuild/orchestrator/session/preflight"
	"autobuild/render"
)

// Limits of the machine below which a doctor warns.
const (
	leastBytes = 256 << 20
	leastFiles = 10_000
	leastOpen  = 256
)

// disk looks at where state and worktrees go.
func (d *Doctor) disk() {
	const topic = "machine"
	where := d.Shown(d.project.Root)
	if free, files, ok := preflight.FreeSpace(d.project.Root); ok {
		level := render.Caution
		if free < preflight.MinBytes || files < preflight.MinFiles { // a run would not start
			level = render.Fatal
		}
		switch {
		case free < leastBytes:
			d.say(topic, level, "df -h "+render.Command([]string{where}),
				"only %.1f MB are free at %s; worktrees and logs need more", float64(free)/(1<<20),
				where)
		case files < leastFiles:
			d.say(topic, level, "df -i "+render.Command([]string{where}),
				"only %d files can be made at %s", files, where)
		default:
			d.say(topic, render.Fine, "", "%.1f GB are free at %s", float64(free)/(1<<30), where)
		}
	}
	probe, err := os.CreateTemp(d.project.Root, ".autobuild-doctor-*")
	if err != nil {
		d.say(topic, render.Fatal, "ls -ld "+render.Command([]string{where}),
			"%s cannot be written: %s", where, safefile.Reason(err))
	} else {
		_ = probe.Close()
		_ = os.Remove(probe.Name())
	}
	if err := preflight.CheckTemporary(d.project.Owner); err != nil {
		d.say(topic, render.Fatal, "export TMPDIR=DIR, with a directory that you can write",
			"no temporary file can be made in %s: %s", text.Clean(preflight.Temporary(), 0),
			safefile.Reason(err))
	}
	if most, ok := preflight.LargestFile(); ok && most < preflight.MinBytes {
		d.say(topic, render.Fatal, "ulimit -f unlimited", "a file may have only %d KB", most>>10)
	}
	if n, ok := preflight.Descriptors(); ok && n < leastOpen {
		d.say(topic, render.Caution, "ulimit -n 4096",
			"only %d files may be open at once; parallel phases need more", n)
	}
	switch {
	case d.found("sh"):
	case onWindows:
		d.say(topic, render.Caution, "",
			"there is no sh on PATH: the agent script runs by it (Git for Windows has one); "+
				"gates are run by cmd")
	default:
		d.say(topic, render.Fatal, "", "there is no sh on PATH: gates and scripts are run by it")
	}
}

// sandbox adds the means that could confine agents and gates, and the one that does.
func (d *Doctor) sandbox() {
	const topic = "sandbox"
	possible, byDefault := "", false
	for _, f := range sandbox.Possible(d.Try) {
		wanted := d.asked == string(f.Means)
		byDefault = byDefault || f.Means == sandbox.Landlock && f.Rename
		switch {
		case f.Err == nil:
			d.say(topic, render.Fine, "", "%s is possible: %s", f.Means, f.Words)
			if possible == "" || wanted {
				possible = string(f.Means)
			}
		case wanted:
			d.say(topic, render.Fatal, f.Err.Next,
				"%s is to confine agents and gates, and cannot: %s", f.Means, f.Err.Why)
		default:
			d.say(topic, render.Aside, "", "%s is not possible: %s", f.Means, f.Err.Why)
		}
	}
	const open = "agents and gates can write wherever you can"
	switch {
	case d.asked == "" && byDefault:
		d.say(topic, render.Fine, "",
			"%s confines agents, gates and setup, which is the default (--sandbox off turns it off)",
			sandbox.Landlock)
	case d.asked == "":
		d.say(topic, render.Aside, "", "%s, which is the default here: %s", config.SandboxOff, open)
	case d.asked == config.SandboxOff:
		d.say(topic, render.Aside, "", "%s, as is asked for: %s", d.asked, open)
	case d.asked == config.SandboxAuto && possible == "":
		d.say(topic, render.Caution, "run autobuild in a container, or as another user",
			"%s is asked for, and nothing is possible: %s", d.asked, open)
	case d.asked == config.SandboxAuto || d.asked == possible:
		d.say(topic, render.Fine, "", "%s confines agents, gates and setup, as is asked for (%s)",
			possible, d.asked)
	}
}
