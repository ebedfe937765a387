package words

// The heads of the columns of tables, in several languages.

// KeyNames head the column of ids.
var KeyNames = []string{
	"phase", "task", "id", "story", "pr", "#", "step", "milestone", "epic", "plan", "ticket",
	"issue", "no", "nr", "number", "stage", "sprint",
	"wave", "work item", "item", "feature", "group", "unit", "phase id", "task id", "story id",
	"wave/id", "work package", "workstream", "session",
	"u-id", "unit id", "ref", "key", "code", "package", "deliverable", "track", "module",
	"iteration", "week", "goal", "tid", "epic id",
	"ticket id", "issue id", "issue key", "wbs", "wbs code", "outline number",
	"阶段", "任务", "步骤", "编号", "序号", "フェーズ", "タスク", "ステップ", "番号", "단계", "작업", "번호", "aufgabe",
	"schritt", "nummer", "phase-nr", "étape", "tâche", "numéro",
	"n°", "nº", "fase", "tarea", "paso", "etapa", "número", "tarefa", "passo", "фаза", "этап",
	"шаг", "задача", "номер", "№", "meilenstein",
	"paket", "arbeitspaket",
}

// The names of the other columns, in lower case. NeedNames head dependencies, TitleNames the names
// of phases, WeightNames estimates; StatusedTable heads the ids of tables that list statuses.
var (
	NeedNames = []string{
		"depends on", "depends", "dependencies", "dependency", "blocked by", "can start after",
		"requires", "direct dependency",
		"direct dependencies", "prerequisites", "prerequisite", "prereqs", "prereq",
		"depends/parallel", "deps", "dep", "pred", "preds", "predecessors", "predecessor",
		"depends upon",
		"needs", "blockedby",
		"start after", "starts after", "after", "blocked on", "waits for", "waits on",
		"is blocked by", "blockers", "blocker", "inward issue link", "hard dependencies",
		"upstream",
		"phụ thuộc", "depende de", "dependencias", "dependencia", "dependências", "dependência",
		"requisitos previos", "pré-requisitos", "prerrequisitos",
		"依存", "依存関係", "依存先", "先行タスク", "先行", "前提", "依赖", "依赖项", "依赖关系", "依赖任务", "依赖阶段", "前置", "前置依赖",
		"前置任务", "前置条件", "前置阶段", "依賴",
		"의존성", "의존", "선행", "선행 작업", "선행 단계", "abhängig von", "abhängigkeit", "abhängigkeiten",
		"hängt ab von", "voraussetzung",
		"voraussetzungen", "vorgänger",
		"dépend de", "dépendances", "dépendance", "prérequis", "prédécesseur", "prédécesseurs",
		"зависит от", "зависимости", "зависимость",
		"предшественники", "предшественник", "précédents", "précédent", "antécédents", "antécédent",
		"préalable", "préalables",
		"predecesores", "previas", //nolint:misspell // Spanish
		"predecessora", "predecessoras", "vorher", "vorbedingung", "prior", "prior tasks",
		"preceding",
		"先决条件", "前序", "前序任务", "上游", "dipende da", "dipendenze",
	}
	TitleNames = []string{
		"name", "title", "pr title", "phase name", "task name", "description", "scope",
		"deliverable", "deliverables", "goal", "summary",
		"focus", "what", "task", "feature", "plan", "phase", "story", "objective", "activity", "名称", "标题", "描述",
		"任务", "阶段", "内容", "名前", "タイトル", "説明", "이름", "제목", "설명",
		"titel", "beschreibung", "bezeichnung", "aufgabe", "inhalt", "nom", "titre", "tâche",
		"nombre", "título", "descripción", "tarea", "nome",
		"descrição", "tarefa",
		"название", "описание", "имя", "задача",
	}
	// WorkNames are the titles of what is to be done, and of nothing else.
	WorkNames = []string{
		"task", "item", "work item", "action item", "action", "story", "user story", "feature",
		"work", "todo", "to do", "ticket", "issue", "bug", "job", "activity", "chore",
		"aufgabe", "arbeit", "vorgang", "tâche", "travail", "tarea", "trabajo", "tarefa",
		"trabalho", "задача", "работа", "пункт", "任务", "事项", "待办", "工作", "タスク", "作業", "項目", "작업",
		"항목", "할 일",
	}
	// OtherNames are the titles of what has an id and a status, and is not done by anybody.
	OtherNames = []string{
		"risk", "question", "open question", "decision", "assumption", "requirement", "metric",
		"criterion", "check", "test", "test case", "endpoint", "path", "file", "option", "finding",
		"constraint", "issue found", "risiko", "frage", "entscheidung", "anforderung", "risque",
		"décision", "riesgo", "pregunta", "decisión", "risco", "decisão", "риск", "вопрос",
		"решение", "风险", "问题", "决策", "需求", "リスク", "質問", "決定", "要件", "위험", "질문", "결정",
	}
	BesideNames = []string{
		"parallel with", "parallel", "parallelism", "can run with", "parallelizable with",
		"concurrent with", "run with",
		"can run in parallel with", "runs with",
		"parallel zu", "parallel mit", "可并行", "并行", "並行", "병렬", "en parallèle avec", "paralelo con",
		"paralelo com", "параллельно с",
	}
	UnlockNames = []string{
		"unlocks", "blocks", "unblocks", "enables", "before", "must finish before", "precedes",
		"required by", "needed by", "needed for", "prerequisite for", "blockiert", "阻塞", "bloque",
		"bloquea", "bloqueia", "блокирует", "successors", "successor", "nachfolger",
		"suivants", "sucesoras", "sucessoras", "последователи", "后续任务", "後続タスク", "후행 작업",
	}
	WeightNames = []string{
		"estimate", "est", "points", "effort", "size", "hours", "story points", "estimated effort",
		"estimated", "duration", "complexity", "poker", "time",
		"aufwand", "dauer", "schätzung", "工时", "预估", "预计时间", "工数", "見積", "예상", "durée", "duración",
		"esfuerzo", "duração", "esforço", "оценка", "срок",
	}
	StatusNames = []string{
		"status", "state", "progress", "trạng thái", "situação", "estado", "状态", "狀態", "ステータス",
		"状態", "상태", "statut", "état", "zustand",
		"статус", "состояние",
	}
	StatusedTable = []string{
		"phase", "task", "step", "milestone", "id", "#", "story", "plan", "wave", "stage", "阶段",
		"任务",
		"フェーズ", "단계", "fase", "этап", "étape", "schritt", "aufgabe", "u-id", "unit", "ticket",
		"issue", "epic", "sprint",
	}
)

// FromNames and ToNames head the two columns of a table of edges between phases: what comes first,
// and what waits for it.
var (
	FromNames = []string{
		"from", "source", "before", "blocker", "predecessor", "predecessors", "upstream",
		"prerequisite", "blocking", "first", "von", "vorgänger", "de",
		"desde", "前置", "前", "从", "先行", "от",
	}
	ToNames = []string{
		"to", "target", "dependent", "dependents", "successor", "successors", "downstream",
		"blocked", "unblocks", "unlocks", "then", "nach",
		"nachfolger", "à", "vers", "a", "hacia", "para", "后续", "后", "到", "後続", "к",
	}
)

// OrderNames head the numbers of a column that says what runs first.
var OrderNames = []string{
	"order", "seq", "sequence", "order of execution", "reihenfolge", "ordre", "orden", "ordem", "ordine", "порядок", "顺序", "順序", "执行顺序", "実行順", "순서",
}
