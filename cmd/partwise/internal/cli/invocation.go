package cli

import (
	"cmp"
	"context"
	"io"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/files"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/progress"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
)

// Invocation is one call of a command.
type Invocation struct {
	output.Destination
	progress.Reporter
	Context      context.Context
	Stdin        io.Reader
	Command      string // the word that calls it
	Args         []string
	File         string // what --output says to a command that writes something of its own
	Files        *files.Set
	Workers      int // calculations at a time; 0: one per processor
	Memory       *markov.Memory
	Table        policy.Table
	RunsPolicies policy.Runner // what the command, or the part of it that is at work, runs policies on

	said    *urfave.Context
	program *Program
}

// leastMemory is the smallest limit of the memory of the process, in bytes. Near the limit, garbage is collected more often. The
// program itself takes less.
const leastMemory = 64 << 20

// invocation returns the call of a command whose command line the library has read. It limits the memory of a process that runs one
// command line: near the limit, garbage is collected sooner.
func (c *call) invocation(said *urfave.Context, of Command) (*Invocation, error) {
	if err := of.checkArguments(said); err != nil {
		return nil, err
	}
	inv := &Invocation{Context: said.Context, Stdin: c.stdin, Command: of.Name, Args: said.Args().Slice(), Files: new(files.Set),
		Workers: c.workers, Memory: cmp.Or(c.memory, markov.NewMemory(parallel.DefaultMemory)), Table: c.Policies,
		RunsPolicies: of.RunsPolicies, said: said, program: c.Program,
		Destination: output.Destination{Stdout: c.stdout, Output: c.output, Wide: c.wide, Legend: !c.quiet, Interrupted: said.Context}}
	if c.Alone {
		debug.SetMemoryLimit(int64(max(inv.Memory.Limit(), leastMemory)))
	}
	if inv.Output == files.StandardStream {
		inv.Output = ""
	}
	var err error
	if inv.Format, err = inv.chooseFormat(of, c.format); err != nil {
		return nil, err
	}
	if err := inv.Reads(inv.Args...); err != nil {
		return nil, err
	}
	if inv.Output == "" {
		return inv, nil
	}
	if err := inv.Files.Writes(outputFlag, inv.Output+output.PartialEnding); err != nil {
		return nil, err
	}
	return inv, inv.Writes(outputFlag, inv.Output)
}

// report begins to report what the command does. The returned function ends the report.
func (inv *Invocation) report(c *call) (end func()) {
	inv.Reporter, end = progress.Begin(c.stderr, c.quiet, inv.Command)
	inv.Before = inv.Aside
	if ending := filepath.Ext(inv.Output); c.format == "" && ending != "" && formatOf(ending) == "" && inv.Format != "text" {
		inv.Notef("%s is %s: no format has the ending %s; --format chooses another", inv.Output, strings.ToUpper(inv.Format), ending)
	}
	return end
}

// Given reports whether the command line gives a flag.
func (inv *Invocation) Given(flag string) bool { return inv.said.IsSet(flag) }

// FirstGiven returns the first of some flags that the command line gives, "" if it gives none.
func (inv *Invocation) FirstGiven(flags ...string) string {
	for _, name := range flags {
		if inv.Given(name) {
			return name
		}
	}
	return ""
}

// Repeat returns the given flags among those named, as words for a shell.
func (inv *Invocation) Repeat(names ...string) []string {
	var all []string
	for _, name := range names {
		if !inv.Given(name) {
			continue
		}
		v, ok := inv.said.Generic(name).(*value)
		if !ok { // a switch
			all = append(all, "--"+name)
			continue
		}
		for _, text := range v.texts {
			all = append(all, "--"+name, words.Quoted(text))
		}
	}
	return all
}

// declares reports whether the command has a flag of its own.
func (inv *Invocation) declares(flag string) bool {
	return slices.Contains(Names(inv.said.Command.Flags), flag)
}

// formatOf returns the format that the ending of a file says; "" if it says none.
func formatOf(ending string) string {
	formats := map[string]string{".json": "json", ".csv": "csv", ".md": "markdown", ".html": "html", ".txt": "table",
		".yaml": "yaml", ".yml": "yaml"}
	return formats[strings.ToLower(ending)]
}

// chooseFormat returns the format that --format asks for. Without the flag, the ending of the output file decides. Otherwise the
// result is a table on a terminal, and elsewhere the first format of the command, which suits programs.
func (inv *Invocation) chooseFormat(cmd Command, asked string) (string, error) {
	switch {
	case len(cmd.Formats) == 0 && asked == "":
		return "text", nil
	case len(cmd.Formats) == 0:
		return "", fault.Usagef("leave --format out", "%s writes plain text only", cmd.Name)
	case slices.Contains(cmd.Formats, asked):
		return asked, nil
	case asked != "":
		return "", fault.Usagef(words.Suggest(asked, cmd.Formats), "--format: unknown format %q", asked)
	}
	ending := strings.ToLower(filepath.Ext(inv.Output))
	f := formatOf(ending)
	isNamed := f != ""
	if isNamed && slices.Contains(cmd.Formats, f) {
		return f, nil
	}
	if isNamed { // for .yaml, a result would replace a model that may be there
		return "", fault.Usagef("say which with --format: "+strings.Join(cmd.Formats, ", "),
			"--output: %s cannot write %s files", cmd.Name, ending)
	}
	if slices.Contains(chart.Formats, strings.TrimPrefix(ending, ".")) {
		hint := "say which with --format: " + strings.Join(cmd.Formats, ", ")
		switch {
		case inv.declares("plot"):
			hint = "--plot draws pictures"
		case slices.Contains(cmd.Formats, "html"):
			hint = "name a .html or .md file; a browser prints a page as a PDF"
		}
		return "", fault.Usagef(hint, "--output: %s cannot write %s files", cmd.Name, ending)
	}
	if inv.Output == "" && output.IsTerminal(inv.Stdout) && slices.Contains(cmd.Formats, "table") {
		return "table", nil
	}
	return cmd.Formats[0], nil
}

// MostKept returns how many things of a size in bytes fit into the memory allowed.
func (inv *Invocation) MostKept(bytes float64) int {
	return parallel.MostInMemory(bytes, inv.Memory.Limit())
}

// On returns the invocation with another runner of policies, for a part of a command that has a runner of its own.
func (inv *Invocation) On(runner policy.Runner) *Invocation {
	of := *inv
	of.RunsPolicies = runner
	return &of
}

// Running returns the commands that can run policies on any of the runners.
func (inv *Invocation) Running(on policy.Runner) (commands []string) {
	inv.program.Every(func(name string, c Command) {
		if c.RunsPolicies&on != 0 {
			commands = append(commands, "partwise "+name)
		}
	})
	return commands
}

// As returns an invocation that shows its progress as the progress of a part of a plan.
func (inv *Invocation) As(part *progress.Part) *Invocation {
	of := *inv
	of.Reporter = inv.Reporter.As(part)
	return &of
}

// Step returns the invocation of the i-th, from 0, of n equal steps of a part of a plan. Without a plan it returns an
// invocation that shows the same progress.
func (inv *Invocation) Step(i, n int) *Invocation {
	of := *inv
	of.Reporter = inv.Reporter.Step(i, n)
	return &of
}
