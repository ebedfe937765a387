package verify

import (
	"testing"

	"autobuild/state"
)

// The fixing command is derived from the gate's own command, for gates of all sources.
func TestFixFor(t *testing.T) {
	for command, want := range map[string]string{
		"eslint src":                              "eslint --fix src",
		"npx eslint . --max-warnings 0":           "npx eslint --fix . --max-warnings 0",
		"pnpm exec prettier --check .":            "pnpm exec prettier --write .",
		"node_modules/.bin/prettier -c src":       "node_modules/.bin/prettier --write src",
		"ruff check .":                            "ruff check --fix .",
		"uv run ruff format --check src":          "uv run ruff format src",
		"python -m black --check .":               "python -m black .",
		"gofmt -l .":                              "gofmt -w .",
		`test -z "$(gofmt -l .)"`:                 "gofmt -w .",
		"cargo fmt --all --check":                 "cargo fmt --all",
		"cargo clippy --workspace -- -D warnings": "cargo clippy --fix --allow-dirty --allow-staged --workspace -- -D warnings",
		"golangci-lint run ./...":                 "golangci-lint run --fix ./...",
		"bundle exec rubocop":                     "bundle exec rubocop -A",
		"eslint --fix .":                          "eslint --fix .",
		"npm run lint":                            "",
		"eslint . && prettier --check .":          "",
		"go test ./...":                           "",
		"ruff":                                    "",
		"npx":                                     "",
		"":                                        "",
	} {
		if got := fixFor(command); got != want {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
	merged := Merge(nil, []state.GateSpec{{Name: "lint", Command: "npx eslint ."}}, nil)
	if merged[0].FixCommand != "npx eslint --fix ." || merged[0].Source != SourcePlan {
		t.Errorf("the plan's gate is %+v", merged[0])
	}
}
