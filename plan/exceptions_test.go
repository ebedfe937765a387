package plan_test

import (
	"fmt"
	"testing"

	"autobuild/plan"
)

// TestExceptions reads lists of the fifth of five phases that rule phases out, or only seem to say
// none.
func TestExceptions(t *testing.T) {
	for list, want := range map[string]string{
		"none except Phase 1":                    "[1]",
		"None, but after Phase 2":                "[2]",
		"no dependencies other than Phase 3":     "[3]",
		"nothing but Phase 4":                    "[4]",
		"Nothing – only Phase 4":                 "[4]",
		"keine außer Phase 2":                    "[2]",
		"nichts, nur Phase 1":                    "[1]",
		"aucune sauf l'étape 2":                  "[2]",
		"нет, кроме фазы 3":                      "[3]",
		"无，除了阶段2":                                "[2]",
		"none (phase 1 runs beside it)":          "[]",
		"none, but can run in parallel with 2":   "[]",
		"none; unlocks phase 3":                  "[]",
		"all previous phases except Phase 2":     "[1 3 4]",
		"all except 2":                           "[1 3 4]",
		"all phases except for 2 and 3":          "[1 4]",
		"toutes sauf l'étape 2":                  "[1 3 4]",
		"alle außer Phase 2":                     "[1 3 4]",
		"todas excepto la fase 2":                "[1 3 4]",
		"everything but Phase 2":                 "[1 3 4]",
		"everything except phases 1-2":           "[3 4]",
		"1-3 (without 2)":                        "[1 3]",
		"1-4 excluding 3":                        "[1 2 4]",
		"1，不依赖第二阶段":                              "[1]",
		"Phase 1, but not Phase 2":               "[1]",
		"all except Phase 9":                     "refused",
		"all previous phases except the release": "refused",
	} {
		d := draft("1: none", "2: none", "3: none", "4: none", "5: none")
		d.Phases[4].Needs = []plan.Ref{{Text: list}}
		got := "refused"
		if p, err := plan.New(d); err == nil {
			got = fmt.Sprint(p.At(4).DependsOn)
		}
		if got != want {
			t.Errorf("%q is %s, want %s", list, got, want)
		}
	}
}
