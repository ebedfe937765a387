package plan

// The words of lists of dependencies, in all languages that plans are written in. A new language
// adds words to each table.

// noneWords mean that there are no dependencies, also when more text follows.
var noneWords = []string{
	"none", "nothing", "n/a", "na", "nil", "no dependencies", "no dependency", "no deps",
	"no prerequisites",
	"can start immediately", "independent", "all independent", "fully independent", "standalone",
	"no blockers", "no blocker", "not blocked", "unblocked", "can start any time",
	"can start anytime", "can run anytime", "can run any time", "at any time", "any time", "anytime", "✗", "✘", "❌", "ingen", "inga", "geen", "暂无", "nihil",
	"nema", "nic", "sans objet", "entfällt", "no aplica", "não se aplica", "not applicable", "start immediately", "immediately",
	"依存なし", "依存関係なし", "なし", "無し", "特になし", "無", "无", "无依赖", "没有", "没有依赖", "無依賴", "không", "không có",
	"없음",
	"없다", "의존성 없음", "해당 없음",
	"nenhuma", "nenhum", "sem dependências", "nada", "ninguna", "ninguno", "sin dependencias",
	"aucune",
	"aucun", "sans dépendance", "néant", "rien",
	"keine", "keiner", "kein", "nichts", "ohne", "unabhängig", "нет", "отсутствуют", "отсутствует",
	"нет зависимостей", "без зависимостей",
	"ничего", "nessuna", "nessuno", "brak",
}

// rangeMarks stand between the ends of a range.
var rangeMarks = []string{
	"..", "…", "–", "—", " to ", " through ", " thru ", " bis ", " à ", " a ", " al ", " hasta ",
	" até ", " по ", "から", "到", "至", "부터", "~", "〜", "～", "-",
}

// allWords mean all, in languages whose word order is not that of English.
var allWords = []string{
	"所有", "全部", "すべて", "全て", "全", "모든", "전체", "alle", "sämtliche", "tous", "toutes", "todos",
	"todas",
	"все", "tutte", "tutti", "tất cả",
}

// priorWords after those mean what stands before in the document.
var priorWords = []string{
	"之前", "前面", "前述", "以前", "前の", "前の", "先行", "이전", "앞", "vorherig", "vorangehend", "vorigen",
	"bisherigen",
	"précédent", "antérieur",
	"anterior", "previ", "предыдущ", "precedent", "trước",
}

// softWords turn a dependency into a preference.
var softWords = []string{
	"recommended", "optional", "optionally", "preferably", "preferred",
	"ideally", "nice", "soft",
}

// fillers may stand before an id and have no meaning there.
var fillers = []string{
	"after", "on", "depends", "depend", "depending", "requires", "require", "required", "needs",
	"need", "completion",
	"completed", "complete", "of", "blocked", "by", "all", "both", "the", "from", "output",
	"outputs",
	"starts", "start",
	"once", "when", "until", "waits", "wait", "for", "follows", "is", "and", "only", "merged",
	"finished",
	"can", "be", "must", "starts",
	"begin", "begins", "immediately", "but", "aber", "erst", "nur", "mais", "pero", "mas",
	"done", "ready", "phase", "task", "step", "issue", "pr", "at", "plus", "also", "completing",
	"completes", "finishing", "landing", "lands", "#",
	"nach", "von", "abhängig", "hängt", "ab", "benötigt", "abschluss", "der", "die", "das", "den",
	"dem",
	"des", "le", "la", "les", "de",
	"du", "après", "dépend", "fin",
	"el", "los", "las", "después", "depende", "tras", "del", "da", "do", "das", "dos", "depois",
	"após",
	"o", "os", "as", "после", "зависит",
	"от", "завершения",
	"依赖", "依赖于", "前置", "需要", "需", "依存", "在", "完成", "因", "第", "於", "于",
	"as", "soon", "in", "im", "en", "em", "в", "with", "along", "together", "just", "с", "mit", "avec", "con", "com", "まで", "까지", "has", "have", "been", "being", "are", "its", "to", "land", "completes",
	"deliverables", "deliverable", "results", "result", "first", "fully", "then", "no", "no.", "nr",
	"nr.", "wait", "wartet", "auf", "abgeschlossen", "fertig", "ist", "sind", "sein", "terminée",
	"terminé", "terminées", "terminada", "terminado", "concluída", "concluído", "est", "sont",
	"that", "dass", "daß", "estar", "esté", "que", "завершена", "завершен", "завершён", "завершение",
}

// wideLimits are parts of words of scripts without blanks that say which other phases are meant.
var wideLimits = []string{
	"以外", "之外", "除", "以降", "以上", "以下", "以内", "未満", "为止", "제외", "이상", "이하", "부터", "이외", "중",
}

// wideEnds are parts of words of such scripts for what is complete.
var wideEnds = []string{
	"完", "後", "后", "終", "终", "済", "结束", "合并", "マージ", "通过", "就绪", "产出", "成果", "结果", "結果", "出力", "输出",
	"후", "끝", "종료", "결과", "산출", "다음",
}

// wideParticles have no meaning of their own in a list of dependencies.
var wideParticles = []string{
	"の", "が", "を", "に", "は", "も", "で", "と", "み", "のみ", "だけ", "から", "より", "両方", "すべて", "全て", "必要", "依存",
	"する", "します", "実装", "すぐ", "フェーズ", "ステップ", "タスク", "的", "之", "都", "均", "已", "先", "需", "需要", "须", "必须", "前置",
	"依赖", "依賴", "于", "於", "在", "只", "仅", "僅", "两者", "全部", "所有", "阶段", "階段", "步骤", "任务", "实现", "和", "与",
	"의", "가", "이", "은", "는", "을", "를", "에", "만", "도", "모두", "둘", "다", "단계", "작업", "필요", "의존", "선행", "하고", "한다",
}

// states go on behind a reference: "Phase 3 complete and reviewed" names one phase.
var states = []string{
	"reviewed", "approved", "tested", "deployed", "released", "verified", "merged", "complete",
	"completed",
	"done", "finished", "live", "green",
	"stable", "signed off", "documented", "validated", "shipped", "landed",
}

// outsideWords before a reference say that it is no part of the plan.
var outsideWords = []string{
	"external", "externe", "externes", "externer", "externo", "externa", "esterno", "esterna",
	"внешний", "внешняя", "внешнее", "外部", "외부",
}

// previousWords after "all" mean what stands before in the document.
var previousWords = []string{"previous", "prior", "earlier", "preceding", "above", "before"}

// joints join the entries of a list by more than "and": every entry is waited for, but the list
// says something of them that a graph cannot hold, or that the graph has to confirm.
type joint int

const (
	jointAnd    joint = iota
	jointOr           // one of the two is enough
	jointThen         // the second comes after the first
	jointBefore       // the first comes after the second
)

// jointWords are looked for between entries, the longer first. A word that ends with a letter needs
// a reference behind it.
var jointWords = []struct {
	joint joint
	words []string
}{
	{jointOr, []string{
		" and/or ", " und/oder ", " et/ou ", " y/o ", " e/ou ", " e/o ", " и/или ", " or ", " oder ",
		" ou ", " o ", " u ", " или ", " либо ", " lub ", " hoặc ", " xor ", " bzw. ", " || ", " vs ",
		" vs. ", " versus ", "或者", "或", "または", "もしくは", "或いは", "か", " 또는 ", " 혹은 ", "이나 ",
		"나 ", " | ",
	}},
	{jointThen, []string{
		" then ", " and then ", " followed by ", "→", "➜", "➔", "⇒", "⟶", "->", "-->", "=>", " > ",
		" dann ", " puis ", " luego ", " depois ", " затем ", " poi ", "然后", "然後", "次に", "그다음",
	}},
	{jointBefore, []string{"←", "⇐", "⟵", "<-", "<--", " < "}},
}

// denyingWords say that what follows is not waited for.
var denyingWords = []string{
	"not", "never", "without", "isn't", "doesn't", "don't", "nicht", "kein", "keine", "ohne", "pas",
	"sans", "sin", "sem", "não", "не", "без", "instead", "rather", "statt", "anstatt",
	"except", "no", "non", "ne", "niet", "ei", "inte", "ikke", "nie",
	"不", "而不是", "而非", "ではなく", "不要", "아닌", "제외",
}

// laterWords say that what follows waits for the phase itself.
var laterWords = []string{
	"blocks", "blocking", "unlocks", "unblocks", "enables", "before", "precedes", "blockiert", "vor",
	"bloque", "avant", "bloquea", "antes", "bloqueia", "блокирует", "阻塞", "차단",
}

// besideWords are parts of words that say that what follows may run at the same time.
var besideWords = []string{
	"parallel", "concurrent", "simultan", "alongside", "parallèle", "paralelo", "paralela", "параллельн",
	"gleichzeitig", "并行", "並行", "並列", "병렬", "同时", "同時",
}

// doubtWords make a dependency depend on something that a graph cannot hold.
var doubtWords = []string{
	"maybe", "perhaps", "possibly", "probably", "likely", "partially", "partly", "partial",
	"mostly", "half", "some", "most", "either", "any", "one", "if", "unless", "versus", "vs",
	"xor", "or", "tbd", "unclear", "unknown", "least", "alternatively", "alternative",
	"alternativ", "alternativement", "alternativamente", "eller", "och/eller",
	"vielleicht", "eventuell", "teilweise", "falls", "entweder", "oder", "eine", "peut-être",
	"partiellement", "si", "soit", "ou", "quizás", "tal", "parcialmente", "talvez", "se", "возможно",
	"частично", "если", "либо", "или",
	"可能", "部分", "如果", "也许", "任意", "たぶん", "一部", "もし", "いずれか", "どちらか", "아마", "일부", "만약",
}

// unitWords are what is counted in plans: "2 weeks" and "2 reviewers" are not phase 2. Of the
// scripts without blanks a text only has to begin with one.
var unitWords = []string{
	"day", "days", "week", "weeks", "month", "months", "year", "years", "hour", "hours", "minute",
	"minutes", "min", "mins", "h", "hr", "hrs", "d", "w", "second", "seconds", "quarter", "quarters",
	"business", "working", "calendar", "sprints", "points", "story", "pts", "percent",
	"reviewer", "reviewers", "approval", "approvals", "approver", "approvers", "review", "reviews",
	"person", "persons", "people", "engineer", "engineers", "developer", "developers", "dev",
	"devs", "team", "teams", "member", "members", "owner", "owners", "server", "servers", "host",
	"hosts", "node", "nodes", "gb", "mb", "kb", "cpu", "cpus", "core", "cores", "test", "tests",
	"file", "files", "ticket", "tickets", "item", "items", "time", "times", "other", "others",
	"more", "x", "tag", "tage", "tagen", "woche", "wochen", "monat", "monate", "monaten", "stunde",
	"stunden", "jahr", "jahre", "minuten", "personen", "leute", "prüfer", "entwickler",
	"arbeitstage", "werktage", "jour", "jours", "semaine", "semaines", "mois", "heure", "heures",
	"ans", "personnes", "développeurs", "relecteurs", "día", "días", "dia", "dias", "semana",
	"semanas", "mes", "meses", "mês", "hora", "horas", "personas", "pessoas", "revisores", "revisor",
	"aprobaciones", "aprovações", "desarrolladores", "desenvolvedores", "день", "дня", "дней",
	"дни", "неделя", "недели", "недель", "неделю", "месяц", "месяца", "месяцев", "час", "часа",
	"часов", "год", "года", "человек", "человека", "ревьюер", "ревьюера", "разработчика",
	"giorni", "settimane", "mesi", "ore", "persone", "ngày", "tuần", "tháng", "dagen", "weken",
	"天", "周", "週", "日", "个", "個", "人", "名", "月", "年", "小时", "小時", "時", "时", "分", "件", "か月", "ヶ月",
	"개", "주", "일", "명", "시간", "년", "월", "분",
}

// moneySigns stand before or behind a number that counts something.
const moneySigns = "$€£¥₩₽%°"

// additions begin a note that goes on with the list: "1 (and 3)".
var additions = []string{
	"and", "plus", "also", "und", "sowie", "et", "y", "e", "и", "+", "&", "ainsi", "además", "também",
	"auch", "和", "及", "と", "및",
}

// pointers say that what follows is only to be read: "see phase 4".
var pointers = []string{
	"see", "conflicts", "conflict", "cf", "per", "described", "explained", "siehe", "vgl", "voir", "véase", "ver", "veja", "см",
	"参见", "参照", "详见", "참조", "참고",
}
