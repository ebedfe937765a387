package words_test

import (
	"fmt"

	"autobuild/plan/markdown/words"
)

func ExampleReadTitle() {
	title := words.ReadTitle("Phase 2A: Backend (est. 5)")
	fmt.Println(title.Kind, title.Label, title.Name)
	// Output: phase 2A Backend
}

func ExampleRelate() {
	relation, ok := words.Relate("Phase 3 depends on phase 1")
	fmt.Println(relation.Subject, "→", relation.Object, ok)
	// Output: Phase 3 → phase 1 true
}
