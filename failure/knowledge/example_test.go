package knowledge_test

import (
	"fmt"
	"time"

	"autobuild/failure"
	"autobuild/failure/knowledge"
)

// A lesson from one phase is available to the next.
func Example() {
	seen := failure.Diagnosis{
		Type: failure.TypecheckError, Gate: "typecheck", Message: "2 errors",
		Places: []failure.Place{{File: "auth.test.ts", Line: 3, Rule: "TS2582", Message: "Cannot find name 'describe'."}},
	}
	book, name := (&knowledge.Book{}).Learn(knowledge.Lesson{
		Failure: seen, Fix: "build: types of the test runner (package.json)", Source: "run r1, phase 2A",
		On: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC),
	})
	fmt.Println("learned", name)

	seen.Places[0].File, seen.Places[0].Line = "pay.test.ts", 17
	match := book.Match(seen)
	fmt.Println(match.Reason)
	fmt.Println(match.Known, match.Fix)
	// Output:
	// learned cannot-find-name-describe
	// Matched cannot-find-name-describe because its trigger stands word for word in pay.test.ts
	// true build: types of the test runner (package.json)
}
