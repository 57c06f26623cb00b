package cli

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/words"
)

// noCommand is the action of the program and of families of commands: the command line names no command, or an unknown one.
// For an empty command line it writes the page of the program to standard error.
func (c *call) noCommand(said *urfave.Context) error {
	of := path(said)
	switch {
	case said.Args().Present():
		return c.unknownCommand(said.Command, said.Args().First())
	case of == "":
		page, err := c.Page(nil, false)
		if err == nil {
			_, err = fmt.Fprint(c.stderr, page.Text(output.PageWidth(c.stderr)))
		}
		if err != nil {
			return err
		}
		return &fault.Error{Code: fault.ExitUsage}
	}
	parts := words.Texts(said.Command.VisibleCommands(), func(part *urfave.Command) string { return of + " " + part.Name })
	return fault.Usagef("partwise help "+of, "%s is not complete: use %s", of, strings.Join(parts, ", "))
}

// unknownCommand is the error of a command that a family of commands, or the program, does not have. The hint says which command,
// or which part of another family, was meant.
func (p *Program) unknownCommand(family *urfave.Command, word string) error {
	paths := map[string]string{}
	add := func(c *urfave.Command) { paths[c.Name] = strings.TrimPrefix(c.HelpName, family.HelpName+" ") }
	for _, c := range family.Subcommands {
		for _, part := range c.Subcommands {
			add(part)
		}
	}
	for _, c := range family.Subcommands {
		add(c)
	}
	hint := "partwise help lists the commands"
	near, ok := words.Nearest(word, slices.Sorted(maps.Keys(paths)))
	_, noFile := os.Stat(word)
	switch model := slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(word)); {
	case p.Subjects[word] != "":
		hint = p.Subjects[word]
	case ok:
		hint = "did you mean " + strconv.Quote(paths[near]) + "?"
	case modelfile.IsQueue(word), model && noFile == nil:
		hint = "did you mean " + strconv.Quote("solve "+word) + "?"
	case noFile == nil:
		hint = fmt.Sprintf("a command comes first: partwise study %[1]s reads a job log, partwise fit %[1]s measured times", word)
	}
	return fault.Usagef(hint, "unknown command %q", strings.TrimPrefix(family.HelpName+" "+word, programName+" "))
}

// usageError returns the error of a flag of the command with what would be right. Package flag hands over only the words of an
// error; the value of the flag has kept the error itself.
func usageError(said *urfave.Context, err error, _ bool) error {
	for _, f := range said.Command.Flags {
		if v := valueOf(f); v != nil && v.err != nil {
			return v.err
		}
	}
	var word, name, other string
	text := err.Error()
	switch {
	case scans(text, "flag provided but not defined: -%s", &name), scans(text, "bad flag syntax: %s", &name):
		return unknownFlag(said, name)
	case scans(text, "invalid boolean value %q for -%s", &word, &name):
		return fault.Usagef(said.Command.HelpName+" --help", "--%s: %q is not true or false", strings.TrimSuffix(name, ":"), word)
	case scans(text, "Cannot use two forms of the same flag: %s %s", &name, &other):
		return fault.Usagef("leave one of them out", "%s and %s are the same flag", dashed(name), dashed(other))
	}
	return fault.Usagef(said.Command.HelpName+" --help", "%s", text)
}

// scans reports whether a text has a format, and stores what stands in the places of the format.
func scans(text, format string, places ...any) bool {
	n, err := fmt.Sscanf(text, format, places...)
	return err == nil && n == len(places)
}

// unknownFlag is the error of a flag that a command does not have. The hint says which flag was meant.
func unknownFlag(said *urfave.Context, name string) error {
	flags := said.Command.VisibleFlags()
	if path(said) != "" {
		flags = append(flags, said.App.VisibleFlags()...)
	}
	names := words.Texts(flags, Name)
	hint := said.Command.HelpName + " --help lists the flags"
	inModels := InModels(name)
	near, ok := words.Nearest(name, names)
	switch {
	case inModels != "" && slices.Contains(names, "set"):
		hint = "did you mean --set " + inModels + "=VALUE?"
	case ok:
		hint = "did you mean \"--" + near + "\"?"
	case path(said) == "":
		hint = "write flags of a command behind its name"
	}
	return fault.Usagef(hint, "unknown flag %q", dashed(name))
}

// dashed returns the name of a flag as users write it. A name that begins with a dash stays as it is.
func dashed(name string) string {
	switch {
	case strings.HasPrefix(name, "-"):
		return name
	case len(name) == 1:
		return "-" + name
	}
	return "--" + name
}

// InModels returns the path in model files that means the same as a flag of logs, or "" if model files have no such path.
func InModels(flag string) string {
	return map[string]string{"nodes": "machine.nodes", "min-nodes": "machine.min_nodes", "speedup": "jobs.speedup",
		"resize-cost": "dynamic.overhead", "stops": "dynamic.stops"}[flag]
}
