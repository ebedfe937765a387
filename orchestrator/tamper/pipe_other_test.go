//go:build !unix

package tamper

import "errors"

func mkfifo(string) error { return errors.ErrUnsupported }
