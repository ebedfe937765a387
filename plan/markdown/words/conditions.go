package words

import "autobuild/internal/lazyregexp"

// startsWithout matches words for an early start.
var startsWithout = lazyregexp.New(`(?i)\b(start|begin|run|go|proceed|done|ship|merge)(s|ed|ning)?` +
	`( \w+)? (without|before)\b|\bohne\b|\bsans\b|\bsin\b|\bsem\b|(^|\PL)без(\PL|$)|` +
	`\bnot (needed|required|necessary)\b`)

// DeniedWait reports whether a sentence that denies something is about waiting.
func DeniedWait(s string) bool { return HoldsWait(s) || startsWithout.MatchString(s) }

// starts match sentences that say when the phase starts in whose section they stand.
var starts = lazyregexp.New(`(?i)` +
	`^\W*((this|the|it)( (phase|step|task|stage|milestone|story|one|work))? )?` +
	`((is |are )?(blocked|gated|waiting)\b|waits?\b|depends? (up)?on\b|hinges on\b|` +
	`((can|could|may|must|should|will|is|to|be|only|not|never|cannot|can't|do|don't|won't) )*` +
	`(start|begin|proceed|go ahead|kick off|commence|run|ship|merge|land|deploy|launch|open|happen)` +
	`\w* ([a-z]+ ){0,3}(once|after|when|until|before|unless|as soon as|upon)\b|` +
	`(only|not) (after|once|when|before|until)\b)|` +
	`^\W*((diese|die|dieser|der)( phase| schritt)? )?(wartet auf|hängt (von|ab)|` +
	`(beginnt|startet|kann) (erst )?(nach|wenn|sobald)|erst (nach|wenn|sobald)|` +
	`kann (erst )?(beginnen|starten))\b|` +
	`^\W*((cette|la|l')( phase| étape)? ?)?(dépend d|attend\b|` +
	`(commence|démarre) (après|quand|dès|une fois|lorsque)|seulement (après|quand)|bloquée? par)|` +
	`^\W*((esta|la|este|el|essa|a|o)( fase| paso| etapa| passo)? )?(depende d|espera\b|aguarda\b|` +
	`(empieza|comienza|começa|inicia) (cuando|tras|después|depois|quando|após|assim)|` +
	`(sólo|solo|só) (tras|cuando|después|depois|quando|após))|` +
	`^\W*((этот|эта|это)( этап| фаза| шаг)? )?(зависит от|ждёт|ждет|` +
	`начинается (после|когда)|только после|начать после)|` +
	`(之后|以后|后)(才能?|再|方可)?(开始|启动|进行)[。.！!]?$|^(本阶段|该阶段)?(依赖|等待|取决于)|` +
	`(後に|後で|してから|次第)、?(着手|開始|実施)|待ち。?$|` +
	`(후에?|이후|다음에?) ?(시작|착수|진행)`)

// SaysStart reports whether a sentence says when the phase starts in whose section it stands.
func SaysStart(s string) bool { return starts.MatchString(s) && OrderHint(s) != HintDenied }

// choices match sentences that make what is done depend on something.
var choices = lazyregexp.New(`(?i)^\W*(if|falls|si|se [ao] (fase|etapa|passo|tarefa))\b|` +
	`^\W*(если |如果|若是|もし|만약)|` +
	`\b(skip|omit|drop|überspring|entfällt|sauter|omitir|pular)\w*\b.*` +
	`\b(unless|if|when|falls|wenn|si)\b|` +
	`(пропус|跳过|跳過|スキップ|건너).*(если|如果|场合|場合|경우)|` +
	`\b(are alternatives?|alternatives? to|only if|if and only if|either .* or|` +
	`one of (the )?(phases|steps|tasks)|nur wenn|nur falls|entweder|alternativ(en)? zu|` +
	`seulement si|uniquement si|soit .* soit|sólo si|solo si|solamente si|somente se|` +
	`apenas se|só se|solo se|soltanto se)\b|` +
	`только если|либо .* либо|只有当|仅当|只有.*才|二选一|の場合のみ|場合にのみ|どちらか|경우에만|둘 중`)

// IsChoice reports whether a sentence makes what is done depend on something: "only if", "either".
func IsChoice(s string) bool { return ContainsAny(s, choiceHints...) && choices.MatchString(s) }

// choiceHints are texts of which each sentence has one that choices matches.
var choiceHints = []string{
	"if ", "If ", "IF ", "falls", "Falls", "si ", "Si ", "SI ", "se ", "Se ", "unless", "when ", "wenn ",
	"lternativ", "ither ", "ntweder", "oit ", "ne of ", "если", "Если", "либо", "如果", "若是", "もし", "만약",
	"只有", "仅当", "二选一", "場合", "场合", "どちらか", "경우", "둘 중",
}
