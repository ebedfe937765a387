//go:build !unix

package steering

import "os"

func lock(*os.File) error { return ErrUnsupported }

func holder(*os.File) (int, error) { return 0, ErrUnsupported }
