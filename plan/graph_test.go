package plan_test

import (
	"errors"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"autobuild/orchestrator/plantest"
	"autobuild/plan"
)

// A plan that is made of the phases of another one has the same graph.
func TestGraphAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plantest.Draw(t)
		again, err := plan.Graph(p.Phases())
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.Len() {
			if !reflect.DeepEqual(p.Needs(i), again.Needs(i)) || p.Level(i) != again.Level(i) ||
				p.Rest(i) != again.Rest(i) {
				t.Fatalf("phase %s differs", p.At(i).ID)
			}
		}
	})
}

// Ids that are double or unknown are refused, and so is a cycle.
func TestGraphRefuses(t *testing.T) {
	for _, phases := range [][]plan.Phase{
		{{ID: "1"}, {ID: "1"}},
		{{ID: "1", DependsOn: []string{"2"}}},
	} {
		if _, err := plan.Graph(phases); err == nil {
			t.Errorf("%v is a plan", phases)
		}
	}
	_, err := plan.Graph([]plan.Phase{
		{ID: "1", DependsOn: []string{"2"}}, {ID: "2", DependsOn: []string{"1"}},
	})
	if _, ok := errors.AsType[*plan.CycleError](err); !ok {
		t.Errorf("a cycle gives %v", err)
	}
}
