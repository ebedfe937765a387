package sandbox

import "strings"

// bwrapCommand shows the program a file system that is read-only but for what it may write, an
// empty directory in place of the hidden one, devices of its own, and no process but its own. Root
// keeps its rights over files, and loses those to mount and to make devices.
func bwrapCommand(program string, argv []string, dir string, r Rights) []string {
	out := []string{
		"bwrap", "--die-with-parent", "--unshare-pid", "--cap-drop", "CAP_SYS_ADMIN",
		"--cap-drop", "CAP_MKNOD", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc",
	}
	if r.Hide != "" {
		out = append(out, "--tmpfs", r.Hide)
		for _, p := range r.Show {
			out = append(out, "--ro-bind", p, p)
		}
	}
	for _, p := range r.Write {
		how := "--bind"
		if Within("/dev", p) {
			how = "--dev-bind"
		}
		out = append(out, how, p, p)
	}
	if dir != "" {
		out = append(out, "--chdir", dir)
	}
	out = append(out, "--", program)
	return append(out, argv[1:]...)
}

// lookBwrap tries what a run would do: bubblewrap may be there and not be allowed to make
// namespaces.
func lookBwrap(try func([]string) error) Finding {
	f := Finding{
		Means: Bwrap,
		Words: "a file system of its own; what it runs is given no time to end when it is stopped",
	}
	impossible := func(why, next string) Finding {
		f.Err = &ImpossibleError{Means: Bwrap, Why: why, Next: next}
		return f
	}
	if !hasBwrap {
		return impossible("it needs Linux", elsewhere)
	}
	if try == nil {
		return impossible("it was not tried", elsewhere)
	}
	if err := try(bwrapCommand("/bin/true", []string{"true"}, "/", Rights{})); err != nil {
		if strings.Contains(err.Error(), "not found") {
			return impossible("bwrap is not on PATH", "install bubblewrap")
		}
		return impossible(strings.TrimPrefix(err.Error(), "bwrap: "),
			"allow unprivileged user namespaces to it, or use landlock")
	}
	return f
}

const elsewhere = "run autobuild in a container, or as another user"
