package sandbox

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestOutermost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want []string }{
		{nil, nil},
		{[]string{"/b/c/", "/a", "/b", "/a"}, []string{"/a", "/b"}},
		{[]string{"/ab", "/a", "/a-b/c"}, []string{"/a", "/a-b/c", "/ab"}},
		{[]string{"/", "/x"}, []string{"/"}},
		{[]string{"/x/../y", "/y/z"}, []string{"/y"}},
	} {
		if got := outermost(c.in); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.in, got, c.want)
		}
	}
}

func TestBwrapCommand(t *testing.T) {
	t.Parallel()
	got := bwrapCommand("/bin/tool", []string{"tool", "-x", "--"}, "/work", Rights{Write: []string{"/cache", "/dev/kvm"}})
	want := []string{
		"bwrap", "--die-with-parent", "--unshare-pid", "--cap-drop", "CAP_SYS_ADMIN", "--cap-drop", "CAP_MKNOD", "--ro-bind", "/", "/", "--dev", "/dev",
		"--proc", "/proc", "--bind", "/cache", "/cache", "--dev-bind", "/dev/kvm", "/dev/kvm", "--chdir", "/work", "--", "/bin/tool", "-x", "--",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// A place that does not exist is left out: a mount of it would keep the program from starting.
func TestMissingPlaceIsLeftOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, m := range All() {
		got, err := m.Command("/bin/true", []string{"true"}, "/", Rights{Write: []string{dir, filepath.Join(filepath.Dir(dir), "missing")}})
		line := strings.Join(got, " ")
		if err == nil && (strings.Contains(line, "missing") || !strings.Contains(line, dir)) {
			t.Errorf("%s: %q", m, got)
		}
	}
}

func TestRelativePlaceIsRefused(t *testing.T) {
	t.Parallel()
	for _, m := range All() {
		if got, err := m.Command("/bin/true", []string{"true"}, "/", Rights{Write: []string{"here"}}); err == nil {
			t.Errorf("%s: %q", m, got)
		}
	}
}

// A trial decides whether bubblewrap can be used, and its output leads to the remedy.
func TestBwrapIsTried(t *testing.T) {
	t.Parallel()
	if !hasBwrap {
		t.Skip("bubblewrap needs Linux")
	}
	if f := lookBwrap(func([]string) error { return nil }); f.Err != nil || f.Words == "" {
		t.Errorf("%+v", f)
	}
	for words, next := range map[string]string{
		"not found on PATH; install it":                "install bubblewrap",
		"bwrap: setting up uid map: Permission denied": "allow unprivileged user namespaces to it, or use landlock",
	} {
		if f := lookBwrap(func([]string) error { return errors.New(words) }); f.Err == nil || f.Err.Next != next {
			t.Errorf("%s: %+v", words, f.Err)
		}
	}
}
