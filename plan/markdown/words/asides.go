package words

import (
	"slices"
	"strings"

	"autobuild/plan/markdown/inline"
)

// IsAside reports whether the text of a heading is that of a part of a document which is done only
// if something goes wrong, or is only shown or weighed: a rollback, a plan B, an appendix, risks.
func IsAside(heading string) bool {
	w := strings.TrimLeft(inline.Words(heading), "0123456789 ")
	for _, start := range asideOpenings {
		if strings.HasPrefix(w, start) {
			return true
		}
	}
	if strings.HasPrefix(w, "if ") || strings.HasPrefix(w, "when ") ||
		strings.HasPrefix(w, "in case ") {
		return ContainsAny(w, "goes wrong", "go wrong", "fails", "failure", "breaks")
	}
	for _, name := range asideNames {
		rest, found := strings.CutPrefix(w, name)
		if !found || rest != "" && rest[0] != ' ' && rest[0] != '-' && rest[0] < 0x80 {
			continue
		}
		others := strings.FieldsFunc(rest, func(r rune) bool { return r == ' ' || r == '-' || r == '/' })
		if !slices.ContainsFunc(others, func(s string) bool { return !slices.Contains(asideFillers, s) }) {
			return true
		}
	}
	return false
}

// asideOpenings begin such a heading.
var asideOpenings = []string{
	"appendix", "anhang", "annexe", "apéndice", "apêndice", "приложение", "附录", "附錄", "付録", "부록",
	"wenn etwas schiefgeht", "falls etwas schiefgeht", "falls es schiefgeht", "en cas de problème",
	"en cas d'échec", "si algo sale mal", "si algo falla", "se algo der errado", "se algo falhar",
	"если что-то пойдет не так", "если что-то пойдёт не так", "如果出错", "如果失败", "出问题时",
	"問題が発生した場合", "失敗した場合", "문제가 발생하면", "실패 시",
}

// asideNames are such headings, with nothing but asideFillers behind them.
var asideNames = []string{
	"rollback", "roll back", "rolling back", "back-out", "backout", "fallback", "contingency",
	"contingencies", "plan b", "troubleshooting", "example", "examples", "risks", "risk",
	"emergency", "disaster recovery", "abort", "revert",
	"rückfall", "rückbau", "rückfallplan", "notfall", "notfallplan", "fehlerbehebung",
	"fehlersuche", "beispiel", "beispiele", "risiken", "risiko",
	"retour arrière", "plan de secours", "dépannage", "exemple", "exemples", "risques", //nolint:misspell // French
	"reversión", "contingencia", "plan de contingencia", "plan de reversión",
	"solución de problemas", "ejemplo", "ejemplos", "riesgos", //nolint:misspell // Spanish
	"reversão", "contingência", "plano b", "plano de contingência", "plano de reversão",
	"solução de problemas", "exemplo", "exemplos", "riscos", //nolint:misspell // Portuguese
	"откат", "план отката", "план б", "план b", "устранение неполадок", "пример", "примеры", "риски",
	"回滚", "回滾", "回退", "应急", "應急", "故障排除", "示例", "例子", "风险", "風險",
	"ロールバック", "切り戻し", "緊急時", "トラブルシューティング", "例", "リスク",
	"롤백", "비상", "문제 해결", "예시", "예제", "위험", "리스크",
}

// asideFillers are words behind such a name that leave its meaning as it is.
var asideFillers = []string{
	"plan", "plans", "procedure", "procedures", "strategy", "strategies", "steps", "step",
	"process", "scenario", "scenarios", "notes", "guide", "phases", "phase", "tasks", "section",
	"path", "actions", "measures", "playbook", "runbook", "register", "and", "of", "mitigation",
	"mitigations", "assumptions", "issues", "recovery", "rollback", "contingency", "contingencies",
	"only", "only)", "if", "needed", "optional", "und", "maßnahmen", "et", "y", "e", "и",
	"方案", "计划", "計画", "步骤", "手順", "策略", "预案", "計劃", "与对策", "计划方案", "와", "계획",
	"절차", "应急",
}
