package markdown

import (
	"slices"
	"strings"

	"autobuild/plan"
)

// headWords are the words of a column head; "#" is a word here.
func headWords(raw string) string {
	if strings.TrimSpace(plain(raw)) == "#" {
		return "#"
	}
	name := words(raw)
	if before, _, found := strings.Cut(raw, "("); found {
		name = words(before)
	}
	if name == "" {
		return strings.TrimSpace(plain(raw)) // "№"
	}
	return name
}

// cellTitle reads an id cell: a title, or an id with nothing but a status or a name behind it.
func cellTitle(raw string) title {
	if t := readTitle(raw); t.label != "" {
		return t
	}
	t := title{struck: strings.Contains(raw, "~~"), status: statusOf(raw, false)}
	text := bare(plain(raw))
	kind, core := plan.SplitKind(text)
	label, rest := idAt(core)
	if word, tail := wholeID(core, label, rest); word != "" {
		label, rest = word, tail
	}
	rest = strings.TrimSpace(rest)
	if label == "" || strings.EqualFold(label, "total") {
		return title{}
	}
	if len(label) == 1 && letters(label) && rest != "" && wordStatus(rest) == plan.StatusUnknown {
		return title{} // "A whole sentence"
	}
	t.kind, t.label, t.name = kind, label, rest
	if s := wordStatus(rest); s != plan.StatusUnknown {
		t.name = ""
		if t.status == plan.StatusUnknown {
			t.status = s
		}
	}
	return t
}

// summing reports whether a row only adds up the others.
func summing(label string) bool {
	return slices.Contains([]string{"total", "totals", "sum", "gesamt", "summe", "合计", "总计", "合計", "합계", "totaal", "итого", "всего"}, strings.ToLower(strings.TrimSpace(label)))
}

// doneNames head the column of a table of tasks that says which are done.
var doneNames = []string{
	"completed", "complete", "done", "finished", "erledigt", "fertig", "terminé", "fait", "hecho", "completado", "feito", "concluído", "готово",
	"выполнено", "完成", "完了", "완료",
}
