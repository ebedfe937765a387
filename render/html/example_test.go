package html_test

import (
	"fmt"
	"strings"

	"autobuild/render/html"
)

// A page without a run shows that there is none.
func Example() {
	page, err := html.Document(html.Page{})
	fmt.Println(err, strings.Contains(string(page), "no run yet"))
	// Output: <nil> true
}
