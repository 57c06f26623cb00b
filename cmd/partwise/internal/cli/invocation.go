package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/words"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/files"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/progress"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/policy"
)

// closedOutput says why standard output cannot be written.
type closedOutput struct{ error }

// Unwrap returns the cause.
func (e *closedOutput) Unwrap() error { return e.error }

// Invocation is one call of a command.
type Invocation struct {
	Streams
	progress.Reporter
	Context      context.Context
	Command      string // the word that calls it
	Args         []string
	Format       string // "table", "json", "csv", "markdown", or "text" for commands that write only that
	Output       string // file, "" for standard output
	File         string // what --output says to a command that writes something of its own
	Memory       *markov.Memory
	Table        policy.Table
	RunsPolicies policy.Runner // what the command, or the part of it that is at work, runs policies on
	globals
	Files *files.Set // that the command reads and writes

	said    *urfave.Context
	program *Program
}

// invocation returns the call of a command whose command line the library has read. It limits the memory of the process.
func (c *call) invocation(said *urfave.Context, of Command) (*Invocation, error) {
	if err := of.checkArguments(said.Command.HelpName, said.Args()); err != nil {
		return nil, err
	}
	inv := &Invocation{Streams: c.Streams, Context: said.Context, Command: of.Name, Args: said.Args().Slice(), Output: c.output,
		Memory: cmp.Or(c.memory, markov.NewMemory(parallel.DefaultMemory)), Table: c.Policies, RunsPolicies: of.RunsPolicies,
		globals: c.globals, Files: new(files.Set), said: said, program: c.Program}
	// Near the limit garbage is collected sooner; what a small limit allows is less than a program takes by itself.
	debug.SetMemoryLimit(int64(max(inv.Memory.Limit(), 1<<30)))
	switch {
	case inv.Output == files.StandardStream:
		inv.Output = ""
	case inv.Output == "" && !inv.declares(outputFlag) && inv.Given(outputFlag):
		return nil, errNoFile
	}
	var err error
	if inv.Format, err = inv.chooseFormat(of); err != nil {
		return nil, err
	}
	if err := inv.Reads(inv.Args...); err != nil {
		return nil, err
	}
	if inv.Output == "" {
		return inv, nil
	}
	if err := inv.Files.Writes(outputFlag, inv.Output+PartialEnding); err != nil {
		return nil, err
	}
	return inv, inv.writes(outputFlag, inv.Output)
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

// declares reports whether the command has a flag of its own.
func (inv *Invocation) declares(flag string) bool {
	return slices.Contains(Names(inv.said.Command.Flags), flag)
}

// chooseFormat returns the format of --format, the format that the name of the output file implies, a table on a
// terminal, or else the format that suits programs best.
func (inv *Invocation) chooseFormat(cmd Command) (string, error) {
	asked := inv.globals.format
	switch {
	case len(cmd.Formats) == 0 && asked == "":
		return "text", nil
	case len(cmd.Formats) == 0:
		return "", Usagef("leave --format out", "%s writes plain text only", cmd.Name)
	case slices.Contains(cmd.Formats, asked):
		return asked, nil
	case asked != "":
		return "", Usagef(words.Suggest(asked, cmd.Formats), "--format: unknown format %q", asked)
	}
	named := map[string]string{".json": "json", ".csv": "csv", ".md": "markdown", ".html": "html", ".txt": "table"}
	ending := strings.ToLower(filepath.Ext(inv.Output))
	if f, ok := named[ending]; ok && slices.Contains(cmd.Formats, f) {
		return f, nil
	}
	if slices.Contains(chart.Formats, strings.TrimPrefix(ending, ".")) {
		hint := "say which with --format: " + strings.Join(cmd.Formats, ", ")
		if inv.declares("plot") {
			hint = "--plot draws pictures"
		}
		return "", Usagef(hint, "--output: %s cannot write %s files", cmd.Name, ending)
	}
	if inv.Output == "" && IsTerminal(inv.Stdout) && slices.Contains(cmd.Formats, "table") {
		return "table", nil
	}
	return cmd.Formats[0], nil
}

// MostKept returns how many things of a size in bytes fit into the memory allowed.
func (inv *Invocation) MostKept(bytes float64) int { return int(min(inv.Memory.Limit()/bytes, 1<<30)) }

// IsTerminal reports whether w is a terminal.
func IsTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func plainTerminal() bool { return os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" }

// Emit writes a result in the chosen format to the chosen place.
func (inv *Invocation) Emit(r *output.Result) error {
	return inv.Write(func(w io.Writer) error { return r.Write(w, inv.look()) })
}

// look returns how results are to be written.
func (inv *Invocation) look() output.Look {
	read := inv.onTerminal()
	return output.Look{Format: inv.Format, Width: inv.tableWidth(), Wrapped: read, Bold: read && !plainTerminal(), Legend: read && !inv.quiet,
		Guarded: inv.guard || inv.Output != ""}
}

// onTerminal reports whether people read the tables as they are printed.
func (inv *Invocation) onTerminal() bool {
	return inv.Format == "table" && inv.Output == "" && IsTerminal(inv.Stdout)
}

// tableWidth returns how wide a table may be: as wide as the terminal, but not narrower than usual; 0 for no limit.
func (inv *Invocation) tableWidth() int {
	switch {
	case inv.wide:
		return 0
	case inv.Output != "":
		return output.UsualWidth
	}
	return max(columnsOf(inv.Stdout), output.UsualWidth)
}

// PartialEnding is added to the name of the output file if the result is not whole.
const PartialEnding = ".partial"

// MarkPartial changes the name of the output file: only a whole result has the name itself.
func (inv *Invocation) MarkPartial() {
	if inv.Output != "" {
		inv.Output += PartialEnding
	}
}

// Write gives the output, made by render, to the output file or to standard output, all at once.
func (inv *Invocation) Write(render func(io.Writer) error) error {
	if inv.Output != "" {
		return output.WriteFile(inv.Output, render)
	}
	var b bytes.Buffer
	if err := render(&b); err != nil {
		return err
	}
	inv.aside()
	if _, err := inv.Stdout.Write(b.Bytes()); err != nil {
		return &closedOutput{output.WritingError("standard output", err)}
	}
	return nil
}

// Print gives a text to the output file or to standard output.
func (inv *Invocation) Print(text string) error { return inv.Write(output.Text(text)) }

// Warnf prints a warning.
func (inv *Invocation) Warnf(format string, args ...any) { inv.Notef("warning: "+format, args...) }

// Warn prints what is wrong, as warnings.
func (inv *Invocation) Warn(wrong ...error) {
	for _, err := range wrong {
		inv.Warnf("%v", err)
	}
}

// Notef prints a note.
func (inv *Invocation) Notef(format string, args ...any) {
	if !inv.quiet {
		inv.say(format, args...)
	}
}

// Errorf prints an error after which the command goes on.
func (inv *Invocation) Errorf(format string, args ...any) { inv.say("error: "+format, args...) }

// say writes a line to standard error, in place of the line of progress.
func (inv *Invocation) say(format string, args ...any) {
	inv.aside()
	io.WriteString(inv.Stderr, output.Visible(fmt.Sprintf(format+"\n", args...)))
}

// report begins to report progress: on a terminal how long the command has been at work, until a task shows more. The returned
// function ends the report.
func (inv *Invocation) report() (end func()) {
	switch {
	case inv.quiet:
		return func() {}
	case os.Getenv("TERM") == "dumb" || !IsTerminal(inv.Stderr):
		inv.Reporter.Print = inv.Notef
		return func() {}
	}
	inv.Bar = progress.NewBar(inv.Stderr, func() int { return columnsOf(inv.Stderr) }, inv.Command)
	return inv.Bar.Close
}

// aside clears the line of progress, to make room for what is printed.
func (inv *Invocation) aside() {
	if inv.Bar != nil {
		inv.Bar.Hide()
	}
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
