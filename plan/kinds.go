package plan

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// kind is a word that only says what sort of thing an id names, in the languages that plans are
// written in.
type kind struct {
	name  string // as SplitKind returns it
	loose bool   // also an ordinary word: a kind only before a number or a single letter
	words []string
}

// kindTable lists the kinds. Spellings are in lower case; an "s" at the end of an English one is
// read too.
var kindTable = []kind{
	{name: "task group", words: []string{"task group"}},
	{name: "user story", words: []string{
		"user story", "user stories", "用户故事", "使用者故事", "ユーザーストーリー",
		"historia de usuario", "사용자 스토리",
	}},
	{name: "phase", words: []string{
		"phase", "implementation phase", "fase", "fases", "fasi", "phasen", "phases", "阶段", "階段",
		"フェーズ", "フェイズ", "段階", "단계", "페이즈", "фаза", "фазы", "giai đoạn", "fáza",
	}},
	{name: "task", words: []string{
		"task", "aufgabe", "aufgaben", "tâche", "tâches", "tache", "tarea", "tareas", "tarefa",
		"tarefas", "任务", "任務", "タスク", "작업", "태스크",
		"задача", "задачи", "nhiệm vụ",
	}},
	{name: "step", words: []string{
		"step", "schritt", "schritte", "étape", "étapes", "etape", "paso", "pasos", "passo",
		"passos", "步骤", "步驟", "ステップ", "手順", "스텝",
		"шаг", "шаги", "bước",
	}},
	{name: "wave", words: []string{"wave", "welle", "vague", "ola", "onda", "波次", "ウェーブ", "волна"}},
	{name: "story", words: []string{"story", "stories", "故事", "ストーリー", "스토리"}},
	{name: "epic", words: []string{"epic", "épica", "épico", "史诗", "エピック", "에픽", "эпик"}},
	{name: "milestone", words: []string{
		"milestone", "meilenstein", "meilensteine", "jalon", "jalons", "hito", "hitos", "marco",
		"marcos", "里程碑", "マイルストーン", "마일스톤", "веха",
	}},
	{name: "sprint", words: []string{"sprint", "冲刺", "スプリント", "스프린트", "спринт"}},
	{name: "group", words: []string{"group", "组"}},
	{name: "session", words: []string{"session"}},
	{name: "stage", words: []string{
		"stage", "etapa", "etapas", "etappe", "etappen", "stufe", "tappa", "этап", "этапы",
		"ステージ",
	}},
	{name: "section", words: []string{"section", "abschnitt", "sección", "seção", "セクション"}},
	{name: "iteration", words: []string{
		"iteration", "iteración", "iteração", "itération", "迭代",
		"イテレーション", "итерация",
	}},
	{name: "part", words: []string{"part"}},
	{name: "implementation unit", loose: true, words: []string{"implementation unit"}},
	{name: "work package", loose: true, words: []string{
		"work package", "arbeitspaket", "lot",
		"paquete", "pacote",
	}},
	{name: "work item", loose: true, words: []string{"work item"}},
	{name: "deliverable", loose: true, words: []string{
		"deliverable", "livrable", "entregable",
		"entrega",
	}},
	{name: "workstream", loose: true, words: []string{"workstream", "work stream"}},
	{name: "unit", loose: true, words: []string{"unit", "einheit", "unité", "unidad", "unidade"}},
	{name: "ticket", loose: true, words: []string{"ticket"}},
	{name: "issue", loose: true, words: []string{"issue"}},
	{name: "feature", loose: true, words: []string{"feature", "功能", "機能"}},
	{name: "pr", loose: true, words: []string{"pr", "pull request"}},
	{name: "chunk", loose: true, words: []string{"chunk"}},
	{name: "increment", loose: true, words: []string{"increment", "inkrement"}},
	{name: "module", loose: true, words: []string{
		"module", "modul", "模块", "モジュール", "모듈",
		"модуль",
	}},
	{name: "batch", loose: true, words: []string{"batch"}},
	{name: "block", loose: true, words: []string{"block", "bloc", "bloque", "bloco", "блок"}},
	{name: "track", loose: true, words: []string{"track"}},
	{name: "goal", loose: true, words: []string{"goal", "implementation goal", "ziel", "目标"}},
	{name: "week", loose: true, words: []string{
		"week", "woche", "semana", "semaine", "周", "第周",
		"週", "주차", "неделя",
	}},
	{name: "day", loose: true, words: []string{
		"day", "tag", "día", "dia", "jour", "天", "日目", "일차",
		"день",
	}},
	{name: "teil", loose: true, words: []string{"teil", "partie", "parte", "часть", "部分", "パート"}},
}

// kindWord is one spelling.
type kindWord struct {
	text  string
	kind  string
	loose bool
}

// kindWords lists all spellings, the longer first.
var kindWords = sync.OnceValue(func() []kindWord {
	var all []kindWord
	for _, k := range kindTable {
		for _, w := range k.words {
			all = append(all, kindWord{w, k.name, k.loose})
		}
	}
	slices.SortStableFunc(all, func(a, b kindWord) int { return len(b.text) - len(a.text) })
	return all
})

// byFirst sorts the spellings by their first letter, so that most labels are compared with few of
// them.
var byFirst = sync.OnceValue(func() map[rune][]kindWord {
	index := map[rune][]kindWord{}
	for _, w := range kindWords() {
		first, _ := utf8.DecodeRuneInString(w.text)
		index[first] = append(index[first], w)
	}
	return index
})

// IsKind reports whether a single word is a kind: "Phase", "phases", "阶段".
func IsKind(word string) bool {
	word = strings.ToLower(word)
	return slices.ContainsFunc(byFirst()[firstOf(word)], func(w kindWord) bool {
		return w.text == word || w.text+"s" == word
	})
}

// Plural reports whether the kind word of a label is a plural: "Phases 2-4" is about several.
func Plural(label string) bool {
	word, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(label)), " ")
	if strings.HasPrefix(strings.ToLower(label), "user stories") ||
		among(word, "stories", "fases", "fasi", "phasen", "aufgaben", "tâches", "tareas", "tarefas",
			"schritte", "étapes", "pasos", "passos",
			"meilensteine", "jalons", "hitos", "marcos", "etapas", "etappen", "этапы", "фазы", "задачи",
			"шаги") {
		return true
	}
	for _, w := range byFirst()[firstOf(word)] {
		if word == w.text+"s" {
			return true
		}
	}
	return false
}

func among(word string, list ...string) bool { return slices.Contains(list, word) }

func firstOf(s string) rune {
	first, _ := utf8.DecodeRuneInString(s)
	return first
}

// SplitKind takes the kind word off a label: "Task Group 3" is "task group" and "3", "2A" is "" and
// "2A", and "第2阶段" is "phase" and "2". A kind word joined by a hyphen belongs to the id
// ("TASK-FB-001"), except for "phase-2a", which is how autobuild itself names files.
func SplitKind(label string) (kind, core string) {
	label = wordOrdinal(strings.TrimSpace(label))
	if first := firstOf(label); first >= 0x80 || digit(byte(first)) && len(label) > 1 {
		label = ordinalFirst(label)
	}
	first := unicode.ToLower(firstOf(label))
	for _, w := range byFirst()[first] {
		rest, ok := cutFold(label, w.text)
		if !ok {
			rest, ok = cutInflected(label, w.text)
		}
		if !ok {
			continue
		}
		if core, ok := w.core(rest); ok {
			return w.kind, core
		}
	}
	return "", label
}

// core is what follows the kind word, when the word stands alone.
func (w kindWord) core(rest string) (string, bool) {
	if rest == "" {
		return "", false
	}
	plural := false
	if len(rest) > 1 && (rest[0] == 's' || rest[0] == 'S') &&
		strings.ContainsAny(rest[1:2], " #\t") {
		rest, plural = rest[1:], true
	}
	if after := strings.TrimLeft(strings.TrimPrefix(rest, ":"), " "); rest[0] == ':' &&
		after != "" && digit(after[0]) {
		rest = " " + after // "Phase: 1 - Name"
	}
	trimmed := strings.TrimLeft(rest, " #\t\u00a0\u3000№")
	wide := w.text[len(w.text)-1] >= 0x80
	named := w.kind == "phase" && strings.ContainsAny(rest[:1], "-_") || wide &&
		(numeral(firstOf(rest)) || rest[0] >= 'A' && rest[0] <= 'Z' && ordinal(rest))
	joined := trimmed == rest && (w.loose && !wide || !digit(rest[0])) && !named
	if trimmed == "" || joined && !plural {
		return "", false
	}
	core := strings.TrimLeft(trimmed, "-_")
	if w.loose && !ordinal(core) {
		return "", false
	}
	return core, true
}

// ordinal reports whether a text begins with a number, a short code with a digit ("U1"), or one
// letter that stands alone.
func ordinal(s string) bool {
	end := strings.IndexFunc(s, func(r rune) bool {
		return r > 0x7f && !numeral(r) || r < 0x80 && !letterOrDigit(byte(r)) && r != '-' &&
			r != '_'
	})
	if end < 0 {
		end = len(s)
	}
	token := s[:end]
	return strings.ContainsAny(token, "0123456789") || numeral(firstOf(token)) || len(token) == 1 &&
		token[0] >= 'A' && token[0] <= 'Z'
}

// cutFold takes a prefix off, whatever its case.
func cutFold(s, prefix string) (rest string, ok bool) {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return s[len(prefix):], true
	}
	return s, false
}

// cutInflected takes a Cyrillic word off in any of its cases: "этапа", "этапов" and "этапу" for
// "этап".
func cutInflected(s, word string) (rest string, ok bool) {
	const ending = 3 // letters
	if !unicode.Is(unicode.Cyrillic, firstOf(word)) {
		return s, false
	}
	rest, ok = cutFold(s, strings.TrimRight(word, "аяыиьй"))
	for n := 0; ok && unicode.Is(unicode.Cyrillic, firstOf(rest)); n++ {
		if n == ending {
			return s, false
		}
		rest = rest[utf8.RuneLen(firstOf(rest)):]
	}
	return rest, ok
}

// ordinalStems are the beginnings of the words for first, second and so on, each list for one
// number.
var ordinalStems = [][]string{
	{"first", "erste", "premi", "primer", "primeir", "перв"},
	{"second", "zweite", "deuxi", "segund", "втор"},
	{"third", "dritte", "troisi", "tercer", "terceir", "трет"},
	{"fourth", "vierte", "quatri", "cuart", "quart", "четв"},
	{"fifth", "fünfte", "cinqui", "quint", "пят"},
	{"sixth", "sechste", "sixi", "sext", "шест"},
	{"seventh", "siebte", "septi", "séptim", "sétim", "седьм"},
	{"eighth", "achte", "huiti", "octav", "oitav", "восьм"},
	{"ninth", "neunte", "neuvi", "noven", "девят"},
	{"tenth", "zehnte", "dixi", "décim", "десят"},
}

// wordOrdinal writes "First phase: Name" and "2nd Phase" as "phase 1: Name" and "Phase 2".
func wordOrdinal(label string) string {
	at := strings.IndexByte(label, ' ')
	if at < 3 || at > 16 {
		return label
	}
	number := ordinalNumber(strings.ToLower(label[:at]))
	if number == "" {
		return label
	}
	rest := strings.TrimLeft(label[at:], " ")
	for _, w := range byFirst()[unicode.ToLower(firstOf(rest))] {
		tail, ok := cutFold(rest, w.text)
		if ok && !w.loose && !unicode.IsLetter(firstOf(tail)) {
			return rest[:len(w.text)] + " " + number + tail
		}
	}
	return label
}

// ordinalNumber is the number of "first" or "1st", "" when a word is none.
func ordinalNumber(word string) string {
	digits := 0
	for digits < len(word) && digit(word[digits]) {
		digits++
	}
	if digits > 0 {
		if among(word[digits:], "st", "nd", "rd", "th", "er", "re", "ère", "ere", "e", "ème", "eme",
			"ª", "º") {
			return word[:digits]
		}
		return ""
	}
	for n, stems := range ordinalStems {
		for _, stem := range stems {
			if rest, ok := strings.CutPrefix(word, stem); ok && len([]rune(rest)) <= 4 {
				return strconv.Itoa(n + 1)
			}
		}
	}
	return ""
}

// ordinalFirst writes the ordinals of languages that put the number first the other way round:
// "第一阶段：名" is "阶段 一：名", "2단계" is "단계 2".
func ordinalFirst(s string) string {
	rest, marked := strings.CutPrefix(s, "第")
	rest = strings.TrimLeft(rest, " ")
	end := 0
	for _, r := range rest {
		if !numeral(r) && r != '.' && (r > 0x7f || !digit(byte(r))) {
			break
		}
		end += utf8.RuneLen(r)
	}
	if end == 0 {
		return s
	}
	number, after := rest[:end], strings.TrimLeft(rest[end:], " ")
	for _, counter := range []string{"个", "個", "-", "та", "-й ", "-я "} {
		after = strings.TrimPrefix(after, counter)
	}
	if firstOf(after) < 0x80 {
		return s
	}
	for _, w := range byFirst()[firstOf(strings.ToLower(after))] {
		tail, ok := cutFold(after, w.text)
		if ok && (marked || w.text != "周" && w.text != "週" && w.text != "天") {
			return after[:len(w.text)] + " " + number + tail
		}
	}
	return s
}
