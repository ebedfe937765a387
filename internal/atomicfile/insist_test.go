package atomicfile

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// insist retries a temporary failure, for two seconds and no longer, and returns any other at once.
func TestInsist(t *testing.T) {
	t.Parallel()
	held, broken := errors.New("held"), errors.New("broken")
	passes := func(err error) bool { return errors.Is(err, held) }
	for name, c := range map[string]struct {
		fails func(tries int) error
		want  error
		tries int // 0: any
		least time.Duration
		most  time.Duration
	}{
		"at once":    {func(int) error { return nil }, nil, 1, 0, 0},
		"broken":     {func(int) error { return broken }, broken, 1, 0, 0},
		"for a bit":  {func(n int) error { return map[bool]error{true: held}[n < 10] }, nil, 10, 10 * time.Millisecond, time.Second},
		"then worse": {func(n int) error { return map[bool]error{true: held, false: broken}[n < 3] }, broken, 3, time.Millisecond, time.Second},
		"for ever":   {func(int) error { return held }, held, 0, patience, patience},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began, tries := time.Now(), 0
				err := insist(func() error { tries++; return c.fails(tries) }, passes)
				took := time.Since(began)
				if !errors.Is(err, c.want) || c.want == nil && err != nil || c.tries != 0 && tries != c.tries || took < c.least || took > c.most {
					t.Errorf("%v after %d tries and %v", err, tries, took)
				}
			})
		})
	}
}
