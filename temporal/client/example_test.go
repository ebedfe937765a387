package client_test

import (
	"fmt"

	"autobuild/temporal/client"
)

// Everything about the server comes from the environment.
func ExampleOptions() {
	o, err := client.Options([]string{
		"TEMPORAL_ADDRESS=temporal.example.com:7233", "TEMPORAL_NAMESPACE=builds",
		"TEMPORAL_API_KEY=key",
	})
	fmt.Println(o.HostPort, o.Namespace, o.ConnectionOptions.TLS != nil, err)
	// Output: temporal.example.com:7233 builds true <nil>
}
