//go:build unix && !linux && !darwin

package proc

import (
	"errors"
	"time"
)

const cpuTick = 10 * time.Millisecond

// processes is not known here: only the child's group can be ended.
func processes() ([]process, error) { return nil, errors.ErrUnsupported }
