// Package words reads what short texts of a plan mean, in all languages that plans are written in:
// statuses, relations such as "depends on", ids, titles, names of columns and of labels. Tables of
// words say what is recognised, so a new language is new entries. It does not read documents.
package words

// The words by which plans in several languages state dependencies, one table for each meaning. A
// new language adds words to each.

// The names of labels that state relations. Those in WeakNeeds may also be about tools and
// libraries, and count only when they name a phase.
var (
	NeedLabels = []string{
		"depends on", "depends", "blocked by", "depends/parallel", "can start after", "start after",
		"starts after", "must follow", "depends upon",
		"dependent on", "blocked on", "waits for", "wait for", "依存", "依存関係", "依存先", "依赖", "依賴",
		"依赖于", "依赖项", "依赖关系", "依赖任务", "前置依赖", "前置任务", "前置阶段",
		"前置步骤", "先行タスク", "先行", "前提タスク", "의존성", "의존", "의존 관계", "선행", "선행 작업", "선행 단계",
		"abhängig von", "hängt ab von", "abhängigkeit", "dépend de",
		"dépendance", "depende de", "depende", "зависит от", "зависимость", "phụ thuộc",
		"phụ thuộc vào", "dipende da",
	}
	WeakNeeds = []string{
		"dependencies", "dependency", "prerequisites", "prerequisite", "prereqs", "prereq",
		"pre-reqs", "pre-req", "requires", "after", "deps", "predecessors", "predecessor", "needs",
		"required",
		"前提", "前提条件", "前置条件", "前置", "선행 조건", "전제 조건", "abhängigkeiten", "voraussetzung",
		"voraussetzungen", "vorbedingung", "vorgänger", "nach",
		"dépendances", "prérequis",
		"après", "dependencias", "dependencia", "requisitos previos", "prerrequisitos",
		"dependências", "dependência", "pré-requisitos", "requisitos",
		"зависимости", "предусловия", "требует", "после", "dipendenze", "dipendenza", "prerequisito", "prerequisiti", "requisiti", "zależności",
	}
	BesideLabels = []string{
		"parallel with", "can run with", "runs with", "run with", "parallelizable with",
		"can parallelize with", "concurrent with", "parallel",
		"can run in parallel with", "in parallel with", "parallel zu", "parallel mit",
		"en parallèle avec", "en paralelo con", "em paralelo com",
		"可并行", "并行", "並行", "병렬", "параллельно с",
	}
	// labels that answer whether a phase may run beside others
	BesideAnswers = []string{
		"parallelizable", "parallelisable", "can run in parallel", "can parallelize", "parallel?",
		"parallel safe", "parallel-safe",
	}
	UnlockLabels = []string{
		"blocks", "unlocks", "unblocks", "enables", "阻塞", "blockiert",
		"bloque", "bloqueia", "блокирует", "차단",
	}
	EstimateNames = []string{
		"estimate", "est", "estimated", "estimated effort", "effort", "points", "story points",
		"estimated time", "estimated duration", "duration", "size",
		"工时", "预估工时", "预计时间", "预计工时", "工数", "見積", "見積もり", "예상 시간", "aufwand", "dauer", "durée",
		"effort estimé", "duración", "estimación",
		"duração", "estimativa",
		"оценка", "длительность",
	}
	StatusLabels = []string{
		"status", "state", "状态", "狀態", "ステータス", "状態", "상태", "zustand", "statut",
		"état", "estado", "situação", "статус", "состояние", "trạng thái",
	}
)

// NeedWords join a phase with what it depends on, between the two or before the second. A space at
// an end stands for the end of a word.
var NeedWords = []string{
	"depends on completion of", "depends on the completion of", "depend on completion of",
	"depend on the completion of", "depends only on", "depend only on", "depends on", "depend on", "depends upon",
	"is dependent on", "are dependent on", "dependent on",
	"is blocked by", "are blocked by", "blocked by", "requires completion of", "requires",
	"require", "must wait for", "waits for", "wait for",
	"waits on", "must come after", "comes after", "must follow", "follows", "builds on", "build on",
	"builds upon", "build upon", "relies on", "rely on", "relies upon", "assumes that", "assumes",
	"presupposes", "wait until", "waits until", "has to wait for", "have to wait for",
	"continues from", "continue from", "uses the output of", "uses the outputs of",
	"uses the results of", "uses the result of", "only possible if", "only possible after",
	"only possible once",
	"needs", "need",
	"hängt ab von", "hängen ab von", "hängt von", "hängen von", "ist abhängig von", "abhängig von",
	"benötigt", "benötigen", "braucht", "brauchen", "erfordert", "setzt voraus", "setzen voraus",
	"baut auf",
	"hängt vom", "hängen vom", "dépend de", "dépendent de", "dépend des", "dépend du",
	"dépendent du", "dépendent des", "dépend d'",
	"depende del", "dependen del", "depende dos", "depende das", "dependem da", "dependem do",
	"dependem das", "dependem dos", "dipende dal", "dipendono da", "nécessite", "nécessitent",
	"requiert", "depende de", "dependen de", "dependem de",
	"depende das", "depende da",
	"depende do", "requiere", "requieren", "requer", "requerem", "necesita", "necessita",
	"зависит от", "зависят от", "требует",
	"phụ thuộc vào", "phụ thuộc", "dipende da", "dipende dalla",
	"依赖于", "依赖", "依賴於", "依賴", "取决于", "需要先完成", "需先完成", "须先完成", "必须先完成", "基于",
	"based on", "stacked on", "on top of", "repose sur", "se basa en", "aufbauend auf",
	"hangs off", "hang off", "hinges on", "hinge on", "is contingent on", "contingent on",
	"is gated by", "are gated by", "gated by", "is gated on", "gated on", "sequenced after",
	"picks up where", "preceded by", "folgt auf", "folgen auf", "wartet auf", "warten auf",
	"erfordern", "attend", "attendent", "exige", "exigent", "requièrent", "vient après", //nolint:misspell // French
	"viennent après", "espera a", "esperan a", "exigen", "necesitan", "exigem", "aguarda",
	"aguardam", "precisa da", "precisam da", "necessitam", "richiede", "richiedono", "attende",
	"attendono", "dipendono dalla", "ждёт", "ждет", "ждут", "требуют", "следует за", "等待", "需要等", "需等", "要等", "hinges upon", "hinge upon", "suit", "suivent",
	"опирается на", "опираются на", "trails",
}

// postverbs stand behind what is depended on.
var postverbs = []string{
	"に依存する", "に依存します", "に依存", "完了後に", "完了後", "の後に", "の後", "에 의존", "에만 의존", "만 의존", "완료 후", "이후", "完成之后", "完成后",
	"完成後", "之后", "が必要", "を必要とする",
	"が終わってから", "が終わった後", "終了後", "이 끝난 후", "가 끝난 후", "이 끝난 뒤", "가 끝난 뒤", "이 완료된 후", "가 완료된 후",
	"が完了してから", "してから",
}

// starters say that a thing begins; behind them "after" is an order.
var starters = []string{
	"start", "starts", "begin", "begins", "started", "run", "runs", "only", "come", "comes",
	"execute", "happens", "proceed", "done", "implemented",
	"beginnt", "startet", "beginnen", "starten", "commence", "commencer", "démarre", "démarrer",
	"débute", "empieza", "empezar", "comienza", "comenzar", "começa",
	"começar", "inicia", "iniciar", "начинать", "начать", "начинается", "может", "possible",
}

// afters begin what comes first.
var afters = []string{
	"after", "once", "as soon as", "when", "sobald", "wenn", "dès que", "quand", "cuando", "quando",
	"когда", "nach", "après", "tras", "después de", "después del", "depois de", "depois da",
	"depois do",
	"depois das", "depois dos", "após", "dopo", "после",
}

// freely are words for a phase that waits for nothing.
var freely = []string{
	"no dependencies", "no dependency", "no deps", "has no prerequisites", "no prerequisites",
	"independent", "can start immediately", "can be done at any time", "can be done any time",
	"can run at any time", "can start at any time", "may run at any time", "may start at any time",
	"can go first", "无依赖", "無依賴", "没有依赖",
	"依存なし", "依存関係なし", "의존성 없음", "keine abhängigkeiten", "unabhängig", "aucune dépendance",
	"indépendant", "sin dependencias", "independiente",
	"sem dependências",
	"independente", "нет зависимостей", "без зависимостей", "независим", "nessuna dipendenza",
}

// beside are words for phases that may run at the same time.
var beside = []string{
	"beside", "alongside", "parallel", "concurrently", "simultaneously", "parallèle", "paralelo",
	"并行",
	"並行", "並列", "병렬", "параллельно", "gleichzeitig", "同时", "同時",
}

// before are words for a phase that others need.
var before = []string{
	"blocks", "unlocks", "unblocks", "enables", "is required by", "is required for", "is needed by",
	"is needed for", "needed before",
	"needed for", "must be done before",
	"must be complete before", "must complete before", "must be completed before", "must precede",
	"precedes", "comes before", "blockiert",
	"阻塞", "bloquea", "bloqueia", "блокирует", "gates", "is a prerequisite for",
	"is a prerequisite of", "is the prerequisite for", "is a precondition for", "feeds into",
	"must be finished before", "must finish before", "must land before", "blockieren",
	"ist voraussetzung für", "bloque", "bloquent", "précède", "précèdent", "bloquean",
	"es requisito para", "bloqueiam", "é pré-requisito para", "блокируют", "предшествует", "desbloquea", "desbloqueia", "débloque", "sblocca", "разблокирует",
}

// Ordered lists what a heading says that stands above statements of order.
var Ordered = []string{
	"dependenc", "order", "sequence", "sequencing", "execution", "critical path", "graph",
	"parallel", "abhängigkeit", "reihenfolge",
	"ablauf", "dépendance",
	"ordre", "dependencia", "dependência", "orden", "ordem", "secuencia", "sequência", "依赖", "依賴",
	"依存", "顺序", "順序", "順番", "의존", "순서", "선행",
	"зависимост", "порядок", "последовательност", "zależno", "phụ thuộc",
}

// Priorities are the beginnings of words for priorities.
var Priorities = []string{"priorit", "приоритет", "优先", "優先", "우선"}
