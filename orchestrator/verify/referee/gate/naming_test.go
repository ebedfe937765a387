package gate

import "testing"

func TestNaming(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"go test ./...":                          "go test -v ./...",
		"go vet ./... && go test ./... -run 'x'": "go vet ./... && go test -v ./... -run 'x'",
		"(cd a && go test) && X=1 go test -race": "(cd a && go test -v) && X=1 go test -v -race",
		"pytest":                                 "pytest -rap",
		".venv/bin/pytest -q tests":              ".venv/bin/pytest -rap -q tests",
		"python3 -m pytest tests":                "python3 -m pytest -rap tests",
		"uv run pytest":                          "uv run pytest -rap",
		"pip install pytest && ls tests":         "pip install pytest && ls tests",
		"echo go test pytest":                    "echo go test -v pytest",
		"é || go test":                           "é || go test -v",
		"make test":                              "make test",
		"if":                                     "if",
	} {
		if got := Naming(command); got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
}
