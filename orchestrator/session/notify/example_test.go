package notify_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"autobuild/orchestrator/session/notify"
	"autobuild/state"
)

func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		fmt.Println(r.Method, r.Header.Get("Content-Type"))
	}))
	defer server.Close()
	n, missing := notify.New(notify.Config{
		Settings: notify.Settings{Webhook: server.URL, On: []string{notify.Complete}},
		Base:     notify.Notice{Run: "r1", Plan: "plan.md"},
		Now:      func() time.Time { return time.Unix(0, 0) },
	})
	end := state.End{Outcome: state.Done}
	err := n.Event(state.Event{Type: state.RunFinished, End: &end}, &state.Run{})
	n.Finish(nil, nil)
	fmt.Println(missing, err)
	// Output:
	// POST application/json
	// [] <nil>
}
