package fakemodel_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"autobuild/internal/fakemodel"
)

func Example() {
	scenario, err := fakemodel.Parse([]byte(`{"what": "a refusal", "attempts": [[{"refuse": {"status": 529, "message": "Overloaded"}}]]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	server, err := fakemodel.Start(scenario, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close() //nolint:errcheck // an example
	resp, err := http.Post(server.URL+"/v1/messages", "application/json", strings.NewReader(`{"messages": []}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close() //nolint:errcheck // an example
	body, _ := io.ReadAll(resp.Body)
	fmt.Println(resp.StatusCode, string(body))
	// Output: 529 {"error":{"message":"Overloaded","type":"overloaded_error"},"request_id":"req_fake","type":"error"}
}
