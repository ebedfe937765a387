package doctor_test

import (
	"context"
	"errors"
	"fmt"

	"autobuild/cmd/doctor"
	"autobuild/orchestrator/session/config"
)

func Example() {
	d := &doctor.Doctor{
		Open: func(context.Context, *config.Options) (*doctor.Project, error) {
			return nil, errors.New("git is not installed")
		},
	}
	findings, err := d.Look(context.Background(), "script", false)
	for _, f := range findings {
		fmt.Println(f.Topic, f.Level, f.What)
	}
	fmt.Println(err)
	// Output:
	// git fail git is not installed
	// agent script ok built in: it runs the sh blocks of a plan and needs nothing but sh
	// <nil>
}
