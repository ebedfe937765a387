package main

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
)

// Every node runs once and after its dependencies; no node starts after a failure.
func TestGraph(t *testing.T) {
	t.Parallel()
	g := graph{{}, {0}, {0}, {1, 2}, {}, {4}}
	var mu sync.Mutex
	var order []int
	if err := g.run(3, func(node int) error {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, node)
		return nil
	}); err != nil || len(order) != len(g) {
		t.Fatalf("%v: %v", order, err)
	}
	for node, on := range g {
		for _, d := range on {
			if slices.Index(order, d) > slices.Index(order, node) {
				t.Errorf("%d ran before %d: %v", node, d, order)
			}
		}
	}
	broken := errors.New("broken")
	ran := 0
	if err := (graph{{}, {0}, {1}}).run(2, func(node int) error {
		if ran++; node == 1 {
			return broken
		}
		return nil
	}); !errors.Is(err, broken) || ran != 2 {
		t.Errorf("%d nodes ran: %v", ran, err)
	}
}

func Example() {
	err := graph{{}, {0}}.run(1, func(node int) error {
		fmt.Println("node", node)
		return nil
	})
	fmt.Println(err)
	// Output:
	// node 0
	// node 1
	// <nil>
}
