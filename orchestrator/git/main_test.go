package git_test

import (
	"os"
	"testing"

	"autobuild/internal/proc"
)

func TestMain(m *testing.M) {
	proc.Supervise()
	os.Exit(m.Run())
}
