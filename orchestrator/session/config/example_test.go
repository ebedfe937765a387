package config_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"autobuild/orchestrator/session/config"
)

func ExampleRead() {
	dir, err := os.MkdirTemp("", "config-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	near := filepath.Join(dir, config.Name)
	if err = os.WriteFile(near, []byte("jobs: 2\nmodel: large\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	var o config.Options
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	o.Bind(flags)
	s, err := config.Read(config.Sources{Near: near, Shown: config.Name, Environ: []string{"AUTOBUILD_JOBS=3"}}, &o)
	fmt.Println(o.Jobs, o.Model, err)
	for _, l := range s.Lines(&o) {
		if l.Origin != "default" {
			fmt.Println(l.Name, l.Value, l.Origin)
		}
	}
	// Output:
	// 3 large <nil>
	// jobs 3 environment: AUTOBUILD_JOBS
	// model large autobuild.yaml:2:8
}
