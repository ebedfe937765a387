package serve_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"autobuild/cmd/serve"
	"autobuild/render/html"
	"autobuild/state/store"
)

func Example() {
	v := serve.New(serve.Config{
		StateDir: "no-run", Host: "127.0.0.1:80", Now: time.Now,
		Page: func(context.Context, string) (html.Page, error) { return html.Page{}, store.ErrNoRun },
	})
	for _, address := range []string{v.Address(), "http://127.0.0.1:80/guess/", strings.Replace(v.Address(), "127.0.0.1", "site", 1)} {
		w := httptest.NewRecorder()
		v.ServeHTTP(w, httptest.NewRequest(http.MethodGet, address, http.NoBody))
		page, _ := io.ReadAll(w.Body)
		fmt.Println(w.Code, strings.Contains(string(page), "<html"))
	}
	// Output:
	// 200 true
	// 404 false
	// 421 false
}
