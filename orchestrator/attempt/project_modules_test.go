package attempt

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"autobuild/failure"
	"autobuild/failure/diagnose"
)

// A package that the project itself is to hold is not one to install, so its absence is worth a
// retry.
func TestOwnPackagesAreNotInstalled(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "// the shop\nmodule github.com/acme/shop\n\ngo 1.26\n", "cart.py": "", "src/orders/x.py": "", "billing/x.py": "", "node_modules/left/x.js": "", ".git/HEAD": "",
	} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	names := own(dir)
	if want := []string{"github.com/acme/shop", "billing", "cart", "orders", "src"}; !slices.Equal(slices.Sorted(slices.Values(names)), slices.Sorted(slices.Values(want))) {
		t.Errorf("own = %q, want %q", names, want)
	}
	for text, want := range map[string]failure.Type{
		"a.go:2:8: no required module provides package github.com/acme/shop/cart; to add it:": failure.GateFailure,
		"a.go:2:8: no required module provides package github.com/acme/shopping; to add it:":  failure.DependencyMissing,
		"ModuleNotFoundError: No module named 'orders'":                                       failure.GateFailure,
		"ModuleNotFoundError: No module named 'requests'":                                     failure.DependencyMissing,
	} {
		d := diagnose.From(failure.Evidence{Gates: []failure.GateRun{{Name: "build", Exit: 1, Tail: text, Own: names}}})
		if d.Type != want {
			t.Errorf("%q: %s, want %s", text, d.Type, want)
		}
	}
	if got := own(filepath.Join(dir, "gone")); got != nil {
		t.Errorf("own of no directory = %q", got)
	}
}
