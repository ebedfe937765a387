package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"autobuild/internal/safefile"
	"autobuild/internal/text"
)

// Sources are the places that settings come from, beside the flags.
type Sources struct {
	Near    string // the path of the project's file, or of the one that --config names
	Shown   string // Near in messages
	Named   bool   // Near has to exist
	User    string // the path of the user's own file; empty: none
	Environ []string
}

// Settings are all settings of a call. The zero Settings has none.
type Settings struct {
	File    // the project's file over the user's
	origins map[string]string
}

// Read reads the files and sets every option that is not on the command line. Options must have
// been bound to flags.
func Read(from Sources, o *Options) (Settings, error) {
	flags := o.flags
	if from.Named {
		if _, err := os.Stat(from.Near); safefile.Missing(err) {
			return Settings{}, &Error{
				Where: from.Shown, What: "there is no such file",
				Next: "name one with --config, or leave --config out",
			}
		}
	}
	near, err := Load(from.Near, from.Shown)
	if err != nil {
		return Settings{}, err
	}
	s := Settings{File: near}
	if from.User != "" {
		user, failed := Load(from.User, from.User)
		if failed != nil {
			return s, failed
		}
		s.File = near.Merge(user)
	}
	if s.origins, err = Settle(flags, from.Environ, s.File); err != nil {
		return s, err
	}
	for _, g := range s.Gates {
		s.origins[gatePrefix+g.Name] = from.User
	}
	for _, g := range near.Gates {
		s.origins[gatePrefix+g.Name] = from.Shown
	}
	return s, nil
}

// gatePrefix stands before the name of a gate among the origins.
const gatePrefix = "gates."

// Origin is where the value of a flag comes from: the command line, a variable, a place in a file,
// or "default".
func (s *Settings) Origin(flag string) string { return cmp.Or(s.origins[flag], "default") }

// Line is a setting as --verbose shows it.
type Line struct{ Name, Value, Origin string }

// Lines are the configurable flags and the gates with their values and origins.
func (s *Settings) Lines(o *Options) []Line {
	flags := o.flags
	var lines []Line
	for _, name := range Names(InValues) {
		value := flags.Lookup(name).Value.String()
		lines = append(lines, Line{name, value, s.Origin(name)})
	}
	for _, g := range s.Gates {
		name := gatePrefix + g.Name
		lines = append(lines, Line{name, cmp.Or(g.Command, "off"), s.origins[name]})
	}
	return lines
}

// envName is the variable of a flag: max-wall → AUTOBUILD_MAX_WALL.
func envName(flag string) string {
	return "AUTOBUILD_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// ReservedEnv are the variables that autobuild sets for agents. A nested run does not read them as
// settings.
func ReservedEnv() []string {
	return []string{
		"AUTOBUILD_RUN_ID", "AUTOBUILD_PHASE_ID", "AUTOBUILD_PHASE_LABEL", "AUTOBUILD_ATTEMPT",
		"AUTOBUILD_NONCE", "AUTOBUILD_RESULT_FILE", "AUTOBUILD_PORT_BASE",
	}
}

// Settle sets every flag that is not on the command line from its variable, else from the files. It
// returns the origin of every flag that is set. An unknown variable is a mistake, as an unknown key
// is.
func Settle(flags *pflag.FlagSet, environ []string, c File) (origins map[string]string, err error) {
	var errs []error
	origins = make(map[string]string)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed {
			origins[f.Name] = "command line"
		}
	})
	names := Names(InValues)
	values := maps.Clone(c.Flags)
	if values == nil {
		values = make(map[string]Setting)
	}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "AUTOBUILD_") || value == "" ||
			slices.Contains(ReservedEnv(), name) {
			continue
		}
		i := slices.IndexFunc(names, func(f string) bool { return envName(f) == name })
		if i < 0 {
			variables := make([]string, len(names))
			for j, f := range names {
				variables[j] = envName(f)
			}
			errs = append(errs, &Error{
				Where: "environment", What: "unknown variable " + name,
				Next: text.Suggest(name, variables, SeeHelp),
			})
			continue
		}
		values[names[i]] = Setting{value, "environment: " + name}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		f := flags.Lookup(name)
		if f == nil || f.Changed {
			continue
		}
		if err := flags.Set(name, values[name].Value); err != nil {
			errs = append(errs,
				&Error{Where: values[name].Origin, What: FlagProblem(f, values[name].Value, err)})
			continue
		}
		origins[name] = values[name].Origin
	}
	return origins, errors.Join(errs...)
}

// FlagProblem describes a wrong value: pflag's own errors name neither the type nor an example.
func FlagProblem(f *pflag.Flag, value string, err error) string {
	kinds := map[string]string{
		"int": "a whole number", "int64": "a whole number",
		"float64": "a number", "duration": "a duration such as 90s or 10m", "bool": "true or false",
	}
	_, list := f.Value.(resumption) // a bool, or a list of words
	if kind, ok := kinds[f.Value.Type()]; ok && !list {
		return fmt.Sprintf("%s must be %s, not %q", f.Name, kind, value)
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		err = invalid.Unwrap()
	}
	return fmt.Sprintf("%s %v, not %q", f.Name, err, value)
}

// UserFile is the path of the user's own file; empty where the environment names no place for it.
func UserFile(getenv func(string) string) string {
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "autobuild", Name)
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "autobuild", Name)
	}
	if dir := getenv("AppData"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "autobuild", Name)
	}
	return ""
}

// SeeHelp is the hint of messages that cannot list all known words.
const SeeHelp = "see autobuild run --help"
