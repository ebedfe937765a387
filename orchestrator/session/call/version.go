package call

import "runtime/debug"

// release is the version of a build that was not made from a tagged module.
const release = "0.1.0"

// Version is the module's version where the build knows it, else the release with the commit that
// it was built from.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return release
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return release + "+" + s.Value[:min(len(s.Value), 12)]
		}
	}
	return release
}
