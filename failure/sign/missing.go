package sign

import "autobuild/failure"

// extensions are those of files that plans and commands name; any other word may have a dot in it.
const extensions = `md|txt|rst|jsonc?|ya?ml|toml|ini|cfg|conf|env|lock|xml|html?|s?css|sql|csv|proto|graphql` +
	`|[cm]?[jt]sx?|vue|go|mod|sum|pyi?|rb|rs|java|kts?|cs|php|sh|swift|c|h|cc|cpp|hpp|tf|` +
	`svg|png|jpe?g|pdf|pem|key|crt|db|sqlite|wasm`

// missing are the signs of something that a command needs and that is not there. A module that is
// named by a relative path is a mistake in the code, and none of them.
var missing = []Sign{
	{
		Name: MissingFile, In: Output, Category: failure.Prerequisite, Advice: create,
		Example: "cat: docs/api.md: No such file or directory",
		words: words(
			`ENOENT: no such file or directory, \w+ ['"]([^'"\n]+)['"]`,
			`\[Errno 2\] No such file or directory: ['"]([^'"\n]+)['"]`,
			`No such file or directory @ \w+ - (\S+)`,
			`FileNotFoundException: (\S+) \((?:No such file|The system cannot find)`,
			`(?i)(?:cannot|can't|could not|couldn't|unable to|failed to) (?:open|access|stat|`+
				`read|find|load|create)(?: (?:regular|input))?(?: directory)?(?: required)?(?: file)?`+
				`:? ['"‘]?([^\s'"’:]+\.?[^\s'"’:]*)['"’]?(?: for reading)?(?:: \[Errno 2\]|`+
				`: No such file|: no such file|, no such file| \(No such file)`,
			`(?i)can't open file ['"]([^'"\n]+)['"]`,
			`Could not open (?:input file:|file or uri for [^\n]+ from) (\S+)`,
			`(\S+): Cannot open: No such file`,
			`Failed opening required ['"]([^'"\n]+)['"]`,
			`(?m)^(?:\S+: )*?(?:fatal error: )?(?:line \d+: )?(?:\d+: )?(?:(?:open|stat|lstat|`+
				`chdir|read|cd|fork/exec|can't cd to) )?([^\s:'"]+): [Nn]o such file or directory\b`,
			`\b(?:open|stat|lstat|chdir|read) ([^\s:'"]+): (?:no such file or directory|`+
				`The system cannot find)`,
			`(?i)no such file or directory: ['"\x60]([^'"\x60\n]+)['"\x60]`,
			`\bcd: (?:can't cd to ([^\s:'"]+)|\S+: ([^\s:'"]+): No such file)`,
			`(?m)^\S*sh: (?:line )?(?:\d+: )?(\S*/\S+): not found$`,
			`(?i)could not find [\x60'"]([\w@.~+/\\-]*\w\.(?:`+extensions+`))[\x60'"] in\b`,
			`\bcannot create ([^\s:'"]+): [Dd]irectory nonexistent`,
			`\bpattern ([^\s:'"]+): no matching files found`,
			`can only install (?:packages )?(?:with|when) an? existing (package-lock\.json)`,
			`repository ['"]([^'"\n]+)['"] does not exist`,
			`pathspec ['"]([^'"\n]+)['"] did not match any file`,
			`No rule to make target ['"‘]([^'"’\n]+)['"’], needed by`,
			`error TS(?:5083|6053|5058)\D*?: .*?['"]([^'"\n]+)['"]`,
			`Cannot find module ['"]((?:/|[A-Za-z]:\\)[^'"\n]+)['"]`,
			`(?i)\b(?:file|directory|path)(?: or directory)? (?:not found|does not exist|`+
				`doesn't exist|is missing)(?:: ?| - | at )['"\x60]?([\w@.~+/\\-]*[\w+-])`,
			`(?im)(?:^|[\s'"\x60(])([\w@.~+/\\-]*\w\.(?:`+extensions+
				`))['"\x60)]*(?:,|:| -)?(?: (?:the|a|which|that) [^.\n]{0,40}?)? (?:was not found|not found|does not exist|doesn't exist|is missing|could not be found)\b`,
		),
		names: filePath,
	},
	{
		Name: MissingVariable, In: Output, Category: failure.Prerequisite, Advice: set,
		Example: "DATABASE_URL is not set",
		words: words(
			`(?i)(?:environment|env)[ -]?(?:variable|var)s?:? ['"\x60$]?([A-Za-z_]\w+)['"\x60`+
				`]? (?:is |was |must be |has |to be )?(?:not set|unset|missing|required|undefined|`+
				`not been set|not defined|not found|set)\b`,
			`(?i)(?:missing|undefined|unset|required|set the|no)(?: required)? (?:environment|`+
				`env)[ -]?(?:variable|var)s?:? ['"\x60$]?([A-Z_][A-Z0-9_]+)\b`,
			`(?m)\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)['"\x60]? (?:environment variable |env var )?`+
				`(?:is not set|is unset|not set|must be set|is required|is not defined|is missing)\b`,
			`(?m): (?:line )?(?:\d+: )?([A-Za-z_]\w*): (?:unbound variable|parameter (?:not set|`+
				`null or not set))`,
			`(?m)^\S*sh: (?:line )?(?:\d+: )?([A-Z][A-Z0-9_]+): (?:must|please|is|set|not|`+
				`required|missing)\b`,
			`os\.environ\[['"](\w+)['"]\]`,
			`(?m)^(?:E +)?KeyError: ['"]([A-Z][A-Z0-9]*_[A-Z0-9_]+)['"]`,
		),
	},
	{
		Name: RefusedAccess, In: Output, Category: failure.Prerequisite, Advice: allow,
		Example: "open /etc/shadow: permission denied",
		words: either(`(?i)`,
			`permission denied`, `\bEACCES\b`, `\bEPERM\b`, `operation not permitted`,
			`access is denied`, `read-only file system`,
		),
	},
	{
		Name: "no-space", In: Output, Category: failure.Prerequisite, Advice: provide,
		Example: "write: no space left on device",
		words: either(`(?i)`,
			`no space left on device`, `\bENOSPC\b`, `too many open files`, `\bEMFILE\b`,
			`disk quota exceeded`,
		),
	},
}
