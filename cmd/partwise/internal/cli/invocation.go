package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"github.com/partwise/partwise/models/words"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/progress"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/policy"
)

// closedOutput says why standard output cannot be written.
type closedOutput struct{ error }

// Unwrap returns the cause.
func (e *closedOutput) Unwrap() error { return e.error }

// Streams are where a command reads and writes.
type Streams struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Invocation is one call of a command.
type Invocation struct {
	Streams
	Context context.Context
	Command string // the word that calls it
	Args    []string
	Format  string // "table", "json", "csv", "markdown", or "text" for commands that write only that
	Output  string // file, "" for standard output
	File    string // what --output says to a command that writes something of its own
	Memory  *markov.Memory
	Table   policy.Table
	globals
	said    *urfave.Context
	flags   []Flag
	program *Program
	command Command
	files   files
	bar     *progress.Bar  // on a terminal
	part    *progress.Part // of a plan that shows one progress for several; nil: none
}

// invocation returns the call of the command of the line, whose flags and arguments the library has read.
func (l *line) invocation(said *urfave.Context) (*Invocation, error) {
	c := l.command
	inv := &Invocation{Streams: l.Streams, Context: said.Context, Command: c.Name, Args: said.Args().Slice(), said: said, flags: l.flags,
		Table: l.Policies, program: l.Program, command: c}
	if err := c.checkArguments(inv.Args); err != nil {
		return nil, err
	}
	if err := inv.read(l.shared); err != nil {
		return nil, err
	}
	inv.globals, inv.Output, inv.Memory = l.globals, l.outputFlag, cmp.Or(l.memory, markov.NewMemory(markov.DefaultMemory))
	// Near the limit garbage is collected sooner; what a small limit allows is less than a program takes by itself.
	debug.SetMemoryLimit(int64(max(inv.Memory.Limit(), 1<<30)))
	if inv.Given("output") && inv.Output == "" {
		return nil, Usagef("for example --output result.json", "--output needs the name of a file")
	}
	switch {
	case c.OwnOutput:
		inv.Output, inv.File = "", inv.Output
	case inv.Output == standardStream:
		inv.Output = ""
	}
	var err error
	if inv.Format, err = inv.chooseFormat(c, inv.formatFlag); err != nil {
		return nil, err
	}
	if err := inv.Reads(inv.Args...); err != nil {
		return nil, err
	}
	if inv.Output != "" {
		if err := inv.Writes("output", inv.Output+PartialEnding); err != nil {
			return nil, err
		}
	}
	if file := inv.Output + inv.File; file != "" { // at most one of them is set
		return inv, inv.writes("output", file)
	}
	return inv, nil
}

// chooseFormat returns the format of --format, the format that the name of the output file implies, a table on a
// terminal, or else the format that suits programs best.
func (inv *Invocation) chooseFormat(cmd Command, asked string) (string, error) {
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
		if inv.flag("plot") != nil {
			hint = "--plot draws pictures"
		}
		return "", Usagef(hint, "--output: %s cannot write %s files", cmd.Name, ending)
	}
	if inv.Output == "" && IsTerminal(inv.Stdout) && slices.Contains(cmd.Formats, "table") {
		return "table", nil
	}
	return cmd.Formats[0], nil
}

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

// showTime shows on a terminal how long the command has been at work, until a task shows more. The function ends it.
func (inv *Invocation) showTime() (end func()) {
	if inv.quiet || os.Getenv("TERM") == "dumb" || !IsTerminal(inv.Stderr) {
		return func() {}
	}
	inv.bar = progress.NewBar(inv.Stderr, func() int { return columnsOf(inv.Stderr) }, inv.Command)
	return inv.bar.Close
}

// aside clears the line of progress, to make room for what is printed.
func (inv *Invocation) aside() {
	if inv.bar != nil {
		inv.bar.Hide()
	}
}

// Display returns a display for the progress of a task: a part of a plan, a bar on a terminal or, elsewhere, as in the log
// of a job, a line every minute. The function clears what was shown.
func (inv *Invocation) Display(what string) (show progress.Display, clear func()) {
	switch {
	case inv.part != nil:
		return inv.part.Show, func() {}
	case inv.quiet:
		return progress.Hidden, func() {}
	case inv.bar == nil:
		return progress.Lines(inv.Notef, what, time.Minute), func() {}
	}
	return inv.bar.Task(what)
}

// Progress returns a function that shows how many of n steps of about the same length are done, and a function that
// clears what was shown.
func (inv *Invocation) Progress(n int, what string) (step func(done int), clear func()) {
	show, clear := inv.Display(what)
	begin := time.Now()
	return func(done int) {
		passed := time.Since(begin)
		show(progress.Of(float64(done)/float64(max(n, 1)), passed, counted(done, n, passed)))
	}, clear
}

// counted returns the number of steps that are done, with their rate if the steps are fast.
func counted(done, n int, passed time.Duration) string {
	const many = 10 // a second
	words := fmt.Sprintf("%d of %d", done, n)
	if rate := float64(done) / passed.Seconds(); rate >= many && output.Finite(rate) {
		words += fmt.Sprintf(", %.0f/s", rate)
	}
	return words
}

// Foreseen shows what is done, by the seconds that it took and those that are left, as they are foreseen.
func (inv *Invocation) Foreseen(what string) (show func(done, left float64), clear func()) {
	display, clear := inv.Display(what)
	begin := time.Now()
	return func(done, left float64) {
		if done+left > 0 {
			state := progress.Of(done/(done+left), time.Since(begin), "")
			state.Measured = true
			display(state)
		}
	}, clear
}

// Plan begins a plan of parts that are expected to take so many seconds each. The function clears what the plan shows.
func (inv *Invocation) Plan(what string, expected ...float64) (plan *progress.Plan, clear func()) {
	show, clear := inv.Display(what)
	return progress.NewPlan(show, expected...), clear
}

// As returns an invocation that shows its progress as the progress of a part of a plan.
func (inv *Invocation) As(part *progress.Part) *Invocation {
	of := *inv
	of.part = part
	return &of
}

// Step returns the invocation of the i-th, from 0, of n equal steps of a part of a plan. Without a plan it returns the
// invocation itself.
func (inv *Invocation) Step(i, n int) *Invocation {
	if inv.part == nil {
		return inv
	}
	return inv.As(inv.part.Step(i, n))
}
