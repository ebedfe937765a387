package diagnose

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"autobuild/failure"

	"autobuild/internal/text"
)

// absence is something that was taken for granted and is not there.
type absence struct {
	file     string // a path that was not found
	variable string // an environment variable that is not set
	what     string // the word by which anything else was recognised: "permission denied"
	passes   bool   // it may be there the next time
	// what is missing is leave to write there; empty Path: none is known
	denied   failure.DeniedWrite
	confined bool // a sandbox confines the command, and may be what denies access
}

// extensions are those of files that plans and commands name; what else has a dot in it may be
// anything.
const extensions = `md|txt|rst|jsonc?|ya?ml|toml|ini|cfg|conf|env|lock|xml|html?|s?css|sql|csv|proto|graphql` +
	`|[cm]?[jt]sx?|vue|go|mod|sum|pyi?|rb|rs|java|kts?|cs|php|sh|swift|c|h|cc|cpp|hpp|tf|svg|png|jpe?g|pdf|pem|key|crt|db|sqlite|wasm`

// noFile are the ways in which programs say that a path does not exist; one group is the path.
// Programs that are not installed have patterns of their own, and so have modules: one that is
// named by a relative path is a mistake in the code.
var noFile = []*regexp.Regexp{
	regexp.MustCompile(`ENOENT: no such file or directory, \w+ ['"]([^'"\n]+)['"]`),
	regexp.MustCompile(`\[Errno 2\] No such file or directory: ['"]([^'"\n]+)['"]`),
	regexp.MustCompile(`No such file or directory @ \w+ - (\S+)`),
	regexp.MustCompile(`FileNotFoundException: (\S+) \((?:No such file|The system cannot find)`),
	regexp.MustCompile(`(?i)(?:cannot|can't|could not|couldn't|unable to|failed to) (?:open|access|stat|read|find|load|create)(?: (?:regular|input))?(?: directory)?(?: required)?(?: file)?:? ['"‘]?([^\s'"’:]+\.?[^\s'"’:]*)['"’]?(?: for reading)?(?:: \[Errno 2\]|: No such file|: no such file|, no such file| \(No such file)`),
	regexp.MustCompile(`(?i)can't open file ['"]([^'"\n]+)['"]`),
	regexp.MustCompile(`Could not open (?:input file:|file or uri for [^\n]+ from) (\S+)`),
	regexp.MustCompile(`(\S+): Cannot open: No such file`), // tar
	regexp.MustCompile(`Failed opening required ['"]([^'"\n]+)['"]`),
	regexp.MustCompile(`(?m)^(?:\S+: )*?(?:fatal error: )?(?:line \d+: )?(?:\d+: )?(?:(?:open|stat|lstat|chdir|read|cd|fork/exec|can't cd to) )?([^\s:'"]+): [Nn]o such file or directory\b`),
	regexp.MustCompile(`\b(?:open|stat|lstat|chdir|read) ([^\s:'"]+): (?:no such file or directory|The system cannot find)`),
	regexp.MustCompile(`(?i)no such file or directory: ['"\x60]([^'"\x60\n]+)['"\x60]`),
	regexp.MustCompile(`\bcd: (?:can't cd to ([^\s:'"]+)|\S+: ([^\s:'"]+): No such file)`),
	regexp.MustCompile(`(?m)^\S*sh: (?:line )?(?:\d+: )?(\S*/\S+): not found$`),
	regexp.MustCompile(`(?i)could not find [\x60'"]([\w@.~+/\\-]*\w\.(?:` + extensions + `))[\x60'"] in\b`),
	regexp.MustCompile(`\bcannot create ([^\s:'"]+): [Dd]irectory nonexistent`), // dash
	regexp.MustCompile(`\bpattern ([^\s:'"]+): no matching files found`),        // Go's embed
	regexp.MustCompile(`can only install (?:packages )?(?:with|when) an? existing (package-lock\.json)`),
	regexp.MustCompile(`repository ['"]([^'"\n]+)['"] does not exist`),
	regexp.MustCompile(`pathspec ['"]([^'"\n]+)['"] did not match any file`),
	regexp.MustCompile(`No rule to make target ['"‘]([^'"’\n]+)['"’], needed by`),
	regexp.MustCompile(`error TS(?:5083|6053|5058)\D*?: .*?['"]([^'"\n]+)['"]`),
	regexp.MustCompile(`Cannot find module ['"]((?:/|[A-Za-z]:\\)[^'"\n]+)['"]`),
	regexp.MustCompile(`(?i)\b(?:file|directory|path)(?: or directory)? (?:not found|does not exist|doesn't exist|is missing)(?:: ?| - | at )['"\x60]?([\w@.~+/\\-]*[\w+-])`),
	regexp.MustCompile(`(?im)(?:^|[\s'"\x60(])([\w@.~+/\\-]*\w\.(?:` + extensions + `))['"\x60)]*(?:,|:| -)?(?: (?:the|a|which|that) [^.\n]{0,40}?)? (?:was not found|not found|does not exist|doesn't exist|is missing|could not be found)\b`),
}

// noVariable are the ways in which programs say that an environment variable is not set.
var noVariable = []*regexp.Regexp{
	regexp.MustCompile(`(?i)(?:environment|env)[ -]?(?:variable|var)s?:? ['"\x60$]?([A-Za-z_]\w+)['"\x60]? (?:is |was |must be |has |to be )?(?:not set|unset|missing|required|undefined|not been set|not defined|not found|set)\b`),
	regexp.MustCompile(`(?i)(?:missing|undefined|unset|required|set the|no)(?: required)? (?:environment|env)[ -]?(?:variable|var)s?:? ['"\x60$]?([A-Z_][A-Z0-9_]+)\b`),
	regexp.MustCompile(`(?m)\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)['"\x60]? (?:environment variable |env var )?(?:is not set|is unset|not set|must be set|is required|is not defined|is missing)\b`),
	regexp.MustCompile(`(?m): (?:line )?(?:\d+: )?([A-Za-z_]\w*): (?:unbound variable|parameter (?:not set|null or not set))`),
	regexp.MustCompile(`(?m)^\S*sh: (?:line )?(?:\d+: )?([A-Z][A-Z0-9_]+): (?:must|please|is|set|not|required|missing)\b`), // sh's own ${NAME:?words}
	regexp.MustCompile(`os\.environ\[['"](\w+)['"]\]`),
	regexp.MustCompile(`(?m)^(?:E +)?KeyError: ['"]([A-Z][A-Z0-9]*_[A-Z0-9_]+)['"]`),
}

// The other signs of error-classification's first category: access, room, ports, services, modules,
// tools, and what a tool wants to be told before it works at all.
var (
	noAccess  = regexp.MustCompile(`(?i)permission denied|\bEACCES\b|\bEPERM\b|operation not permitted|access is denied|read-only file system`)
	noRoom    = regexp.MustCompile(`(?i)no space left on device|\bENOSPC\b|too many open files|\bEMFILE\b|disk quota exceeded`)
	noPort    = regexp.MustCompile(`(?i)address already in use|\bEADDRINUSE\b|port \d+ is (?:already )?in use`)
	noService = regexp.MustCompile(`(?i)overloaded_error|\b529:? overloaded|\b(?:is|are) (?:currently |temporarily )?overloaded|high demand|no such host|could ?n.t connect to|failed to connect to|connection refused|ECONNREFUSED|could not resolve host|\bENOTFOUND\b|name or service not known|nodename nor servname|network is unreachable|no route to host|(?:refused|closed|dropped) the connection|connection (?:was |has been )?(?:refused|closed by)|refused to connect|empty reply from server|socket hang up|EHOSTUNREACH|ENETUNREACH|could not connect to (?:the )?server|cannot connect to the docker daemon`)
	noModule  = regexp.MustCompile(`\bImportError\b|\bModuleNotFoundError\b|(?i:cannot find (?:module|package)|module not found|no module named)|(?:package|module) \S+ is not in std|cannot open shared object file|file not found for module|(?i:could not find or load main class)|No matching distribution found for`)
	noTools   = regexp.MustCompile(`(?i)executable file not found in|command not found|not found in \$?PATH|\bis not installed\b|\bspawn \S+ ENOENT`)
	noSetting = regexp.MustCompile(`(?i)couldn't find an? [\w.*-]*config\S* file|missing script:|no rule to make target [^,\n]*\.|there is no POM in this directory|not a git repository|does not appear to be a git repository|please tell me who you are|no email was given|\bENOTCACHED\b|go\.mod requires go >=|no configured push destination|has no upstream branch|there is no tracking information|\bnot a directory\b|\bENOTDIR\b|(?:there is|there's|found) no (?:file|directory|folder)\b|system cannot find the (?:file|path) specified|no matching files found`)
)

// wanting finds what an output says is not there. Of a file, a variable, access and a service the
// first one of these counts.
func wanting(output string) (absence, bool) {
	if files := notFound(output); len(files) > 0 {
		return absence{file: files[0]}, true
	}
	for _, re := range noVariable {
		if m := re.FindStringSubmatch(output); m != nil {
			return absence{variable: failure.Line(m[1], failure.MaxField)}, true
		}
	}
	for _, sign := range []struct {
		re     *regexp.Regexp
		passes bool
	}{{noAccess, false}, {noRoom, false}, {noPort, true}, {noService, true}} {
		if what := sign.re.FindString(output); what != "" {
			return absence{what: what, passes: sign.passes}, true
		}
	}
	if what, _ := transient(output); what != "" && !inUse.MatchString(what) {
		return absence{what: what, passes: true}, true
	}
	for _, re := range []*regexp.Regexp{noModule, noTools, noSetting} {
		if what := re.FindString(output); what != "" {
			return absence{what: text.Clip(what, failure.MaxField)}, true
		}
	}
	return absence{}, false
}

// inUse are signs of trouble that passes, in something that is there.
var inUse = regexp.MustCompile(`(?i)lock|busy|resource temporarily`)

// NotFound lists the paths that something did not find, each once, at most ten: those that were
// claimed, and those that failed commands and the agent name. It is what Evidence.Near wants to be
// asked about.
func NotFound(e failure.Evidence) []string {
	var all []string
	add := func(paths ...string) {
		for _, p := range paths {
			if len(all) < failure.MaxShown && !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	add(failure.Lines(e.Missing, failure.MaxShown)...)
	for _, text := range complaints(e) {
		add(notFound(text)...)
	}
	return all
}

// Messages are the texts in which what failed says why: at most some KiB each.
func Messages(e failure.Evidence) []string { return complaints(e) }

// complaints are the texts in which something that is not there is named, each by itself: of
// failing tests their messages, for what a program prints while its tests run need not be why they
// fail.
func complaints(e failure.Evidence) []string {
	all := append(commandComplaints(e), agentSaid(e.Agent))
	if e.Claim != nil && !e.Claim.Complete {
		all = append(all, failure.Head(e.Claim.Error, failure.MaxDetails))
	}
	return all
}

func commandComplaints(e failure.Evidence) []string {
	var all []string
	command := func(g failure.GateRun) {
		told := slices.ContainsFunc(g.Tests, func(t failure.Test) bool { return t.Message != "" })
		switch {
		case timedOut(g):
		case told:
			for _, t := range g.Tests[:min(len(g.Tests), failure.MaxShown)] {
				all = append(all, Complaint(failure.Line(t.Message, failure.MaxField)))
			}
		case len(g.Places) > 0:
			for _, p := range g.Places[:min(len(g.Places), failure.MaxShown)] {
				all = append(all, failure.Line(p.Message, failure.MaxField))
			}
		default:
			all = append(all, Complaint(g.Tail))
		}
	}
	if e.Setup != nil {
		command(*e.Setup)
	}
	for _, g := range e.Gates[:min(len(e.Gates), failure.MaxShown)] {
		command(g)
	}
	return all
}

// notFound are the paths of a text that something did not find, the clearest way of saying so
// first.
func notFound(text string) []string {
	var all []string
	for _, re := range noFile {
		for _, m := range re.FindAllStringSubmatch(text, failure.MaxShown) {
			if p := tidy(strings.Join(m[1:], "")); p != "" && !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	return all[:min(len(all), failure.MaxShown)]
}

// inTree is the way to a phase's own directory.
var inTree = regexp.MustCompile(`^.*/worktrees/[^/]+/`)

// tidy makes what a pattern took for a path one that can be shown and looked for; empty where it is
// none.
func tidy(p string) string {
	p = strings.ReplaceAll(failure.Line(p, failure.MaxField), `\`, "/")
	p = inTree.ReplaceAllString(p, "")
	switch {
	case p == "" || strings.Contains(p, "://") || strings.ContainsAny(p, "*<>|$") || strings.HasPrefix(p, "-"):
		return ""
	case path.Clean(p) == "." || path.Clean(p) == "/" || strings.Trim(p, "./") == "":
		return ""
	}
	return path.Clean(p)
}

// lackOf is what the first complaint that names an absence says is not there.
func lackOf(d failure.Diagnosis, e failure.Evidence) (absence, bool) {
	switch d.Type {
	case failure.TaskIncomplete, failure.VerificationMismatch, failure.AgentError, failure.AgentUnusable, failure.SetupFailure, failure.TestFailure, failure.LintError, failure.TypecheckError, failure.FormatError, failure.GateFailure, failure.ParseError:
	default:
		return absence{}, false // its type says why, or nobody looked for anything
	}
	if e.Work != "" || len(e.Gates) > 0 && timedOut(e.Gates[0]) {
		return absence{}, false
	}
	if len(e.Denied) > 0 {
		return absence{what: "the sandbox denies it", denied: e.Denied[0]}, true
	}
	for _, text := range complaints(e) {
		if a, ok := wanting(text); ok {
			a.confined = e.Confined && noAccess.MatchString(a.what)
			return a, true
		}
	}
	return absence{}, false
}

// tell adds to a diagnosis what is not there by name, with what may be meant instead.
func tell(d *failure.Diagnosis, e failure.Evidence, lack absence) {
	d.Variable = lack.variable
	if denied := lack.denied.Path; denied != "" {
		said := "the sandbox denies writing " + denied
		if before, rest, _ := strings.Cut(d.Message, ": "); strings.Contains(rest, denied) {
			d.Message = before + ": " + said
		} else {
			d.Message += "; " + said
		}
		return
	}
	missing := lack.file
	if missing == "" && len(e.Missing) > 0 && (d.Type == failure.TaskIncomplete || d.Cause == failure.TaskIncomplete) {
		missing = failure.Line(e.Missing[0], failure.MaxField)
	}
	if missing == "" {
		return
	}
	d.Near = failure.Lines(e.Near[missing], 3)
	ask := missing + " does not exist"
	if len(d.Near) > 0 {
		ask += "; did you mean " + d.Near[0] + "?"
	}
	before, rest, _ := strings.Cut(d.Message, ": ")
	switch {
	case lack.file == "": // said already
		d.Message += strings.TrimPrefix(ask, missing+" does not exist")
		return
	case len(d.Near) > 0 && strings.Contains(rest, missing):
		d.Message = before + ": " + ask
	case len(d.Near) > 0 || !strings.Contains(d.Message, missing):
		d.Message += "; " + ask
	}
	if !slices.Contains(d.Files, missing) {
		d.Files = append(slices.Clone(d.Files), missing)
	}
}
