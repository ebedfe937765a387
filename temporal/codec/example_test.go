package codec_test

import (
	"fmt"

	"autobuild/temporal/codec"
)

// A key is refused that is none, with the command that makes one.
func ExampleNew() {
	_, err := codec.New("a password")
	fmt.Println(err)
	// Output: TEMPORAL_AUTOBUILD_KEY is not a key; make one with: openssl rand -hex 32
}
