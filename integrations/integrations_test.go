package integrations_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"autobuild/integrations"
)

var update = flag.Bool("update", false, "write the plugin's files anew")

// head reads the frontmatter of a markdown command.
func head(t *testing.T, text string) map[string]any {
	t.Helper()
	parts := strings.SplitN(text, "---\n", 3)
	if len(parts) != 3 || parts[0] != "" {
		t.Fatalf("no frontmatter in\n%s", text)
	}
	var fields map[string]any
	if err := yaml.Unmarshal([]byte(parts[1]), &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

// Every agent's files are in a form that it reads, stay below their folder, and say the same.
func TestFiles(t *testing.T) {
	if len(integrations.Names()) < 5 {
		t.Fatalf("only %v", integrations.Names())
	}
	for _, name := range integrations.Names() {
		for _, account := range []bool{false, true} {
			files, ok := integrations.Files(name, account)
			if !ok || len(files) == 0 {
				t.Fatalf("%s has no files", name)
			}
			for _, f := range files {
				if !filepath.IsLocal(f.Path) || strings.Contains(f.Path, `\`) {
					t.Errorf("%s: the path %q leaves its folder", name, f.Path)
				}
			}
			main := files[0].Text
			for _, say := range []string{"--detach", "autobuild wait --timeout ", "124", "autobuild explain", "unchanged", "autobuild stop"} {
				if !strings.Contains(main, say) {
					t.Errorf("%s does not say %q", name, say)
				}
			}
			if left := regexp.MustCompile(`{{[a-z]+}}`).FindString(strings.ReplaceAll(main, "{{args}}", "")); left != "" {
				t.Errorf("%s has %s left", name, left)
			}
			switch {
			case strings.HasSuffix(files[0].Path, "SKILL.md"):
				if fields := head(t, main); fields["name"] != "autobuild" || fields["description"] == "" {
					t.Errorf("%s: frontmatter %v", name, fields)
				}
			case strings.HasSuffix(files[0].Path, ".toml"):
				if !strings.HasPrefix(main, `description = "`) || strings.Count(main, "'''") != 2 || !strings.Contains(main, "{{args}}") {
					t.Errorf("%s is not the TOML that it should be:\n%s", name, main)
				}
			}
		}
		if integrations.Call(name) == "" {
			t.Errorf("nobody is told how to call it in %s", name)
		}
	}
	if _, ok := integrations.Files("nano", false); ok {
		t.Error("an agent that is not known has files")
	}
}

// The plugin has the same skill as `autobuild init --for claude` writes, and its manifests are
// whole.
func TestPlugin(t *testing.T) {
	files, _ := integrations.Files("claude", false)
	const path = "claude-plugin/skills/autobuild/SKILL.md"
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[0].Text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(path)
	if err != nil || string(raw) != files[0].Text {
		t.Errorf("%s is not what init writes (-update writes it): %v", path, err)
	}
	var plugin struct{ Name, Description, Version string }
	var market struct {
		Name    string
		Plugins []struct{ Name, Source string }
	}
	for path, into := range map[string]any{"claude-plugin/.claude-plugin/plugin.json": &plugin, "../.claude-plugin/marketplace.json": &market} {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, into); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	if plugin.Name != "autobuild" || plugin.Description == "" || plugin.Version == "" {
		t.Errorf("the plugin is %+v", plugin)
	}
	if len(market.Plugins) != 1 || market.Plugins[0].Name != plugin.Name || market.Plugins[0].Source != "./integrations/claude-plugin" {
		t.Errorf("the marketplace is %+v", market)
	}
}
