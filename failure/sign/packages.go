package sign

import "autobuild/failure"

// packages are the signs of a package or program that is not installed: how tools name it, and the
// command that installs it. A sign that fits code of the phase itself would end it without a retry,
// so each is narrow.
var packages = []Sign{
	{
		Name: "node-package", In: Output, Type: failure.DependencyMissing, Install: npmInstall,
		Example: "Error: Cannot find module 'pg'",
		words: words(
			`(?m)^npm (?:ERR!|error) missing:? ((?:@[\w.-]+/)?[\w.-]+)`,
			`(?:Cannot find (?:module|package)|Could not resolve|Can't resolve|`+
				`Failed to resolve import) ['"]((?:@[\w.-]+/)?[\w.-]+)['"]`,
			`Error: Cannot find module ['"]((?:@[\w.-]+/)?\w[\w.-]*)/[\w./-]+['"]\nRequire stack:`,
			`Do you need to install type definitions for (?:node|a test runner|`+
				`jQuery)\?.*?npm i --save-dev (@types/[\w.-]+)`,
		),
	},
	{
		Name: "node-types", In: Output, Type: failure.DependencyMissing, Install: typesInstall,
		Example: "Cannot find type definition file for 'node'",
		words: words(
			`Cannot find type definition file for ['"]([\w./@-]+)['"]`,
			`Could not find a declaration file for module ['"]((?:@[\w.-]+/)?[\w.-]+)['"]`,
		),
	},
	{
		Name: "go-module", In: Output, Type: failure.DependencyMissing, Install: goGet,
		Example: "no required module provides package github.com/go-sql-driver/mysql",
		words: words(
			`no required module provides package ([\w.-]+\.[\w./~-]+)`,
			`cannot find module providing package ([\w.-]+\.[\w./~-]+)`,
			`missing go\.sum entry for module providing package ([\w./~-]+)`,
		),
	},
	{
		Name: "python-package", In: Output, Type: failure.DependencyMissing, Install: pipInstall,
		Example: "ModuleNotFoundError: No module named 'requests'",
		words: words(
			`ModuleNotFoundError: No module named ['"](\w+)['"]`,
			`No module named (pytest|ruff|black|mypy|flake8|pylint|unittest2|nose)\b`,
			`Cannot find implementation or library stub for module named ['"](\w+)['"]`,
		),
	},
	{
		Name: "crate", In: Output, Type: failure.DependencyMissing, Install: cargoAdd,
		Example: "can't find crate for `serde`",
		words: words(
			`use of (?:unresolved module or unlinked|undeclared) crate .(\w+).`,
			`if you wanted to use a crate named .(\w+)., use .cargo add`,
			`can't find crate for .(\w+).`,
			`no matching package named .([\w-]+). found`,
		),
	},
	{
		Name: "cargo-tool", In: Output, Type: failure.DependencyMissing, Install: cargoTool,
		Example: "error: no such command: `nextest`",
		words: words(
			`no such command: .(clippy|fmt|nextest|audit|deny).`,
			`'cargo-(clippy|fmt)(?:\.exe)?' is not installed`,
		),
	},
	{
		Name: "gem", In: Output, Type: failure.DependencyMissing,
		Install: installs("bundle install"),
		Example: "Could not find gem 'rack' in locally installed gems",
		words: words(
			`Could not find (?:gem )?'?([\w-]+)[' -][^\n]* in (?:locally installed gems|` +
				`any of the sources)`,
		),
	},
	{
		Name: "gem-file", In: Output, Type: failure.DependencyMissing,
		Install: installs("bundle add $1"),
		Example: "cannot load such file -- rack (LoadError)",
		words: words(
			`cannot load such file -- ([\w-]+)(?:/\w+)* \(LoadError\)`,
		),
	},
	{
		Name: "perl-module", In: Output, Type: failure.DependencyMissing,
		Install: installs("cpanm $1"),
		Example: "(you may need to install the JSON::XS module) (@INC",
		words: words(
			`you may need to install the ([\w:]+) module\) \(@INC`,
		),
	},
	{
		Name: "composer-vendor", In: Output, Type: failure.DependencyMissing,
		Install: installs("composer install"),
		Example: "require(vendor/autoload.php): Failed to open stream",
		words: words(
			`(vendor/autoload\.php)\)?: [Ff]ailed to open stream`,
		),
	},
	{
		Name: "nuget-package", In: Output, Type: failure.DependencyMissing,
		Install: installs("dotnet add package $1"),
		Example: "error NU1101: Unable to find package Serilog",
		words: words(
			`NU1101: Unable to find package ([\w.-]+)`,
		),
	},
	{
		Name: "java-artifact", In: Output, Type: failure.DependencyMissing,
		Example: "Could not find artifact org.junit:junit:jar:5.0",
		words: words(
			`Could not find artifact ([\w.:-]+)`,
			`the artifact ([\w.:-]+) has not been downloaded`,
			`error: package ((?:org|com|io|net|jakarta|javax)\.[\w.]+) does not exist`,
			`Could not find ([\w.-]+:[\w.-]+:[\w.-]+)\.`,
		),
	},
	{
		Name: NotInstalled, In: Output, Type: failure.DependencyMissing, Install: toolInstall,
		Example: "sh: 1: eslint: not found",
		words: either(`(?m)`,
			`^(?:\S*sh|\S+: line \d+): (?:(?:line )?\d+: )?(?:\S+/\S+: )?`+
				`([\w@./+-]+): (?:command )?not found$`,
			`^zsh: command not found: ([\w@./+-]+)$`,
			`^'([\w@./+-]+)' is not recognized as an internal or external command`,
			`exec: "([\w@./+-]+)": executable file not found`, `\bspawn ([\w@./+-]+) ENOENT`,
			`^(?:\S*/)?env: ['"‘]?([\w@./+-]+)['"’]?: No such file or directory$`,
			`^(?:make|just)[^:]*: ([\w@./+-]+): No such file or directory$`,
		),
	},
}
