package shared_test

import (
	"os"
	"testing"

	"autobuild/orchestrator/git/gittest"
)

func TestMain(m *testing.M) { os.Exit(gittest.Main(m)) }
