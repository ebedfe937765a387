package plan

import "strings"

// namesCheck reports whether a line of a section begins with a word for how the work is checked:
// "**Verification:** …", "Independent Test: …", "- [ ] Run `npm test`".
func namesCheck(section string) bool {
	for line := range strings.Lines(section) {
		line = strings.ToLower(strings.TrimLeft(line, " \t#>*_-+[]x<|`0123456789.)"))
		if head, rest, _ := strings.Cut(line, "\n"); rest == "" && startsCheck(head) {
			return true
		}
	}
	return false
}

// startsCheck reports whether a line in lower case begins with a word for a check.
func startsCheck(line string) bool {
	for _, word := range checkWords {
		rest, found := strings.CutPrefix(line, word)
		if found && (rest == "" || word[0] >= 0x80 || !letter(rest[0])) {
			return true
		}
	}
	return false
}

// checkWords are words for how work is checked, at the beginning of a line.
var checkWords = []string{
	"verification", "verify", "verified by", "validation", "validate", "independent test",
	"independent tests", "acceptance", "acceptance criteria", "acceptance_criteria",
	"success criteria", "success_criteria", "definition of done", "done when", "tests", "test",
	"testing", "test plan", "checks", "exit criteria", "expected result", "run tests", "run test",
	"npm test", "npm run test", "go test", "pytest", "cargo test", "make test", "checkpoint",
	"run npm test", "run `npm test", "run `npm run test", "run `go test", "run `pytest",
	"run `cargo test", "run `make test", "run pytest", "run go test", "run cargo test",
	"verificar", "verificación", "verificação", "validación", "validação", "validar", "pruebas",
	"criterios de aceptación", "critérios de aceitação", "testes", "vérification", "vérifier",
	"critères", "valider", "prüfung", "prüfen", "abnahme", "проверка", "проверить",
	"критерии", "验证", "验收", "检查", "测试", "検証", "確認", "テスト", "受け入れ", "검증", "확인", "테스트",
}
