package proc_test

import (
	"testing"

	"autobuild/internal/proc"
)

func TestExitCode(t *testing.T) {
	e, err := runner(t).Run(t.Context(), proc.Command{Argv: self(t, "hello")})
	t.Logf("%+v %v", e, err)
	if err != nil || e.Code != 3 || e.Tail != "hello\n" {
		t.Fatalf("%+v %v", e, err)
	}
}

func BenchmarkRun(b *testing.B) {
	r := runner(b)
	for b.Loop() {
		if e, err := r.Run(b.Context(), proc.Command{Argv: []string{"/bin/true"}}); err != nil || !e.OK() {
			b.Fatal(e, err)
		}
	}
}

func BenchmarkOutput(b *testing.B) {
	r := runner(b)
	for b.Loop() {
		if _, e, err := r.Output(b.Context(), proc.Command{Argv: []string{"/bin/true"}}, 0); err != nil || !e.OK() {
			b.Fatal(e, err)
		}
	}
}
