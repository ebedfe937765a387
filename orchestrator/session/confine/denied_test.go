//go:build unix

package confine

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autobuild/internal/environ"
)

// A denied write is recognised in the words of every tool, by what the path is: one outside of the
// places, which autobuild itself could write.
func TestDenied(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	for _, dir := range []string{"project/tree", "cache", "out/dir", "home/go", "rooms-1"} {
		if err := os.MkdirAll(at(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"out/file", "bin-sh"} {
		if err := os.WriteFile(at(file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	socket, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", at("out/s"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close() //nolint:errcheck // the directory goes with it
	b := &Box{
		Root: at("project"), GitDir: at("project/.git"), Rooms: at("rooms-"), Environ: environ.Environ{"HOME=" + at("home")},
		shared: []string{at("cache")},
	}
	for output, want := range map[string]DeniedWrite{
		"open OUT/x: permission denied":                                                                  {"out/x", "out"},
		"main_test.go:29: open OUT/x.db: permission denied":                                              {"out/x.db", "out"},
		"touch: cannot touch 'OUT/a b': Permission denied":                                               {"out/a b", "out"},
		"sh: 1: cannot create OUT/x: Permission denied":                                                  {"out/x", "out"},
		"bash: line 3: OUT/file: Read-only file system":                                                  {"out/file", "out/file"},
		"PermissionError: [Errno 13] Permission denied: 'OUT/x'":                                         {"out/x", "out"},
		"OSError: [Errno 30] Read-only file system: 'OUT/x'":                                             {"out/x", "out"},
		"Error: EACCES: permission denied, mkdir 'OUT/new/deep'":                                         {"out/new/deep", "out/new"},
		"Error: EROFS: read-only file system, open 'OUT/x'":                                              {"out/x", "out"},
		"EXDEV: cross-device link not permitted, rename 'a' -> 'OUT/x'":                                  {"out/x", "out"},
		"java.io.FileNotFoundException: OUT/x (Permission denied)":                                       {"out/x", "out"},
		"java.nio.file.AccessDeniedException: OUT/x":                                                     {"out/x", "out"},
		"Permission denied @ rb_sysopen - OUT/x (Errno::EACCES)":                                         {"out/x", "out"},
		"fopen(OUT/x): Failed to open stream: Permission denied":                                         {"out/x", "out"},
		"System.UnauthorizedAccessException: Access to the path 'OUT/x' is denied.":                      {"out/x", "out"},
		"fatal: could not open 'OUT/x' for writing: Permission denied":                                   {"out/x", "out"},
		"FATAL:  could not create lock file \"OUT/.s.PGSQL.5432.lock\": Permission denied":               {"out/.s.PGSQL.5432.lock", "out"},
		"Error: unable to open database \"OUT/a.db\": unable to open database file":                      {"out/a.db", "out"},
		"error: failed to open: OUT/.crates.toml\n\nCaused by:\n  Permission denied (os error 13)":       {"out/.crates.toml", "out"},
		"npm error code EACCES\nnpm error syscall mkdir\nnpm error path OUT/cowsay\nnpm error errno -13": {"out/cowsay", "out"},
		"  errno: -13,\n  code: 'EACCES',\n  syscall: 'open',\n  path: 'OUT/x'\n}":                       {"out/x", "out"},
		"go: mkdir HOME/go/bin/: permission denied":                                                      {"home/go/bin", "home/go"},
		"mkdir ~/.new: permission denied":                                                                {"home/.new", "home/.new"},
		"BIN: 1: cannot create OUT/x: Permission denied":                                                 {"out/x", "out"},
		"fatal: Unable to create 'PROJECT/.git/index.lock': Permission denied":                           {"project/.git/index.lock", ""},
		"touch: cannot touch 'PROJECT/other/x': Operation not permitted":                                 {"project/other/x", ""},

		"open PROJECT/tree/x: permission denied":                                  {},
		"open CACHE/x: permission denied":                                         {},
		"open ROOMS1/x: permission denied":                                        {},
		"open /dev/null: permission denied":                                       {},
		"open /proc/sys/kernel/x: permission denied":                              {},
		"open OUT/x: no such file or directory":                                   {},
		"wrote OUT/x\nok":                                                         {},
		"chown: changing ownership of 'OUT/file': Operation not permitted":        {},
		"dial unix OUT/s: connect: permission denied":                             {},
		"git@example.com: Permission denied (publickey).\ncould not read OUT/key": {},
		"got error \"permission denied\", want nil\nok OUT/x":                     {},
		"https://example.com/OUT: access denied":                                  {},
		"src/out/x: permission denied":                                            {},
	} {
		names := strings.NewReplacer("OUT", at("out"), "HOME", at("home"), "PROJECT", at("project"), "CACHE", at("cache"), "ROOMS1", at("rooms-1"), "BIN", at("bin-sh"))
		got := b.Denied(at("project/tree"), names.Replace(output))
		if want == (DeniedWrite{}) {
			if len(got) > 0 {
				t.Errorf("%s: %v", output, got)
			}
			continue
		}
		want.Path = at(want.Path)
		if want.Allow != "" {
			want.Allow = at(want.Allow)
		}
		if len(got) != 1 || got[0] != want {
			t.Errorf("%s: %v, want %v", output, got, want)
		}
	}
}
