package markdown_test

import (
	"fmt"
	"testing"
)

// TestFlowCharts reads the order of four phases from flow charts. The want lists what each phase
// depends on.
func TestFlowCharts(t *testing.T) {
	const phases = "## Phase 1: Read\n\n- [ ] a\n\n## Phase 2: Parse\n\n- [ ] b\n\n## Phase 3: Check\n\n- [ ] c\n\n## Phase 4: Print\n\n- [ ] d\n\n"
	const diamond = "[] [1] [1] [2 3]"
	for _, c := range []struct{ name, chart, want string }{
		{"arrows", "graph TD\nP1[Phase 1: Read] --> P2[Phase 2]\nP1 --> P3[Phase 3]\nP2 --> P4[Phase 4]\nP3 --> P4", diamond},
		{"chains and groups", "flowchart LR\n1 --> 2 & 3 --> 4", diamond},
		{"labels between bars", "graph TD\n1 -->|then| 2\n1 -->|or --> so| 3\n2 & 3 -->|and & last| 4", diamond},
		{"labels on the line", "graph TD\n1 -- then --> 2\n1 -- or --> 3\n2 & 3 -- last --> 4", diamond},
		{"labels that turn the arrow", "graph TD\n2 -- depends on --> 1\n3 -->|needs| 1\n4 -. \"is blocked by\" .-> 2 & 3", diamond},
		{"labels that turn it in German and Chinese", "graph TD\n2 -->|hängt ab von| 1\n3 -- 依赖 --> 1\n4 == requires ==> 2 & 3", diamond},
		{"labels of the work", "graph TD\n1 -->|needs review| 2\n1 -->|unblocks| 3\n2 & 3 -->|required by| 4", diamond},
		{"thick and dotted", "graph TD\n1 ==> 2\n1 -.-> 3\n2 == then ==> 4\n3 -. then .-> 4", diamond},
		{"long arrows", "graph TD\n1 ----> 2\n1 ===> 3\n2 & 3 -..-> 4", diamond},
		{"backwards", "graph TD\n2 <-- 1\n3 <== 1\n4 <-- 2 & 3", diamond},
		{"shapes", "graph TD\nA[\"Phase 1: Read\"] --> B(Phase 2 - now) & C{{Phase 3<br/>Check}}\nB & C --> D([Phase 4 --> out])", diamond},
		{"labels later", "graph TD\nA --> B & C --> D\nA[Phase 1]\nB[Phase 2]\nC[Phase 3]\nD[Phase 4]", diamond},
		{"one line", "flowchart LR; 1-->2; 1-->3; 2-->4; 3-->4;", diamond},
		{"classes", "graph TD\nsubgraph all\n1:::open --> 2:::open\nend\n1 --> 3 --> 4\n2 --> 4\n%% 4 --> 1\nclassDef open fill:#fff", diamond},
		{"a node between", "graph TD\n1 --> ok{All well?} --> 2 & 3\n2 & 3 --> 4", diamond},
		{"lines without an arrow", "graph TD\n1 --> 2 --> 4\n1 --> 3 --> 4\n2 --- 3\n2 --o 3\n2 ~~~ 3\n2 <--> 3", diamond},
		{"another diagram", "sequenceDiagram\n1 --> 2\n2 --> 3\n3 --> 4", "[1] [2] [3]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := parse(t, "plan.md", []byte(phases+"# Order\n\n```mermaid\n"+c.chart+"\n```\n"))
			got := ""
			for _, phase := range p.Phases() {
				if phase.Unstated && len(phase.DependsOn) == 0 {
					continue
				}
				got += fmt.Sprint(" ", phase.DependsOn)
			}
			if got != " "+c.want {
				t.Errorf("got%s, want %s\n%v", got, c.want, p.Notes)
			}
		})
	}
}
