package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	urfave "github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/escape"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/spec/tree"
)

// WritingError says which file could not be written.
func WritingError(file string, err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("writing %s: %w", file, err)
}

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
	Workers int    // 0: one per processor
	Memory  *markov.Memory
	Table   policy.Table
	flags   *urfave.Context
	quiet   bool
	guarded bool // cells of CSV
	program *Program
	command Command
	files   files
	part    *part // of a plan that shows one progress for several; nil: none
}

func newInvocation(c *urfave.Context, p *Program, s Streams, cmd Command) (*Invocation, error) {
	inv := &Invocation{
		Streams: s,
		Context: c.Context,
		Command: cmd.Name,
		flags:   c,
		Args:    c.Args().Slice(),
		Output:  c.String("output"),
		quiet:   c.Bool("quiet"),
		guarded: c.Bool("guard-cells"),
		Workers: c.Int("workers"),
		Table:   p.Policies,
		program: p,
		command: cmd,
	}
	if err := cmd.checkArguments(inv.Args); err != nil {
		return nil, err
	}
	if inv.Workers < 0 || c.IsSet("workers") && inv.Workers == 0 {
		return nil, Usagef("for example --workers 2", "--workers: %d is not a positive number", inv.Workers)
	}
	var err error
	if inv.Memory, err = parseMemory(c.String("memory")); err != nil {
		return nil, err
	}
	// Near the limit garbage is collected sooner; what a small limit allows is less than a program takes by itself.
	debug.SetMemoryLimit(int64(max(inv.Memory.Limit(), 1<<30)))
	if c.IsSet("output") && inv.Output == "" {
		return nil, Usagef("for example --output result.json", "--output needs the name of a file")
	}
	if cmd.OwnOutput {
		inv.Output, inv.File = "", inv.Output
	}
	if inv.Format, err = inv.chooseFormat(cmd, c.String("format")); err != nil {
		return nil, err
	}
	if err := inv.Reads(inv.Args...); err != nil {
		return nil, err
	}
	if file := inv.Output + inv.File; file != "" { // at most one is asked for
		return inv, inv.writes("output", file)
	}
	return inv, nil
}

// chooseFormat takes what was asked for, what the name of the output file says, a table on a terminal, or else what
// suits a program best.
func (inv *Invocation) chooseFormat(cmd Command, asked string) (string, error) {
	if cmd.Formats == nil {
		if asked != "" {
			return "", Usagef("leave --format out", "%s writes plain text only", cmd.Name)
		}
		return "text", nil
	}
	if asked != "" {
		if slices.Contains(cmd.Formats, asked) {
			return asked, nil
		}
		return "", Usagef(tree.Suggest(asked, cmd.Formats), "--format: unknown format %q", asked)
	}
	named := map[string]string{".json": "json", ".csv": "csv", ".md": "markdown", ".html": "html", ".txt": "table"}
	ending := strings.ToLower(filepath.Ext(inv.Output))
	if f, ok := named[ending]; ok && slices.Contains(cmd.Formats, f) {
		return f, nil
	}
	if slices.Contains(chart.Formats, strings.TrimPrefix(ending, ".")) {
		hint := "say which with --format: " + strings.Join(cmd.Formats, ", ")
		if slices.ContainsFunc(cmd.Flags, func(f urfave.Flag) bool { return slices.Contains(f.Names(), "plot") }) {
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

// Result is what a command found out, in every form it can be written in.
type Result struct {
	JSON   output.Object
	CSV    [][]string
	Tables []output.Table
	Notes  []string // sentences that stand under the tables
}

// Emit writes the result in the chosen format to the chosen place.
func (inv *Invocation) Emit(r *Result) error {
	return inv.Write(func(w io.Writer) error { return inv.render(w, r) })
}

func (inv *Invocation) render(w io.Writer, r *Result) error {
	switch inv.Format {
	case "json":
		return output.WriteJSON(w, r.JSON)
	case "csv":
		if inv.guarded {
			return output.WriteCSV(w, guarded(r.CSV))
		}
		return output.WriteCSV(w, r.CSV)
	}
	bold := inv.Output == "" && IsTerminal(inv.Stdout) && !plainTerminal()
	for i, t := range r.Tables {
		if i > 0 {
			fmt.Fprintln(w)
		}
		var err error
		if inv.Format == "markdown" {
			err = t.WriteMarkdown(w)
		} else {
			err = t.WriteText(w, bold)
		}
		if err != nil {
			return err
		}
	}
	for i, note := range r.Notes {
		if i == 0 && len(r.Tables) > 0 || i > 0 && inv.Format == "markdown" {
			fmt.Fprintln(w)
		}
		if inv.Format == "markdown" {
			note = escape.Markdown(note)
		}
		fmt.Fprintln(w, escape.Visible(note))
	}
	return nil
}

// guarded returns rows in which no text is taken for a formula by a spreadsheet.
func guarded(rows [][]string) [][]string {
	all := make([][]string, len(rows))
	for i, row := range rows {
		all[i] = make([]string, len(row))
		for j, text := range row {
			all[i][j] = escape.Cell(text)
		}
	}
	return all
}

// PartialEnding is added to the name of the output file if there is less than it should hold.
const PartialEnding = ".partial"

// MarkPartial changes the name of the output file, which is that of a whole result only.
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
	if _, err := inv.Stdout.Write(b.Bytes()); err != nil {
		return &closedOutput{WritingError("standard output", err)}
	}
	return nil
}

// Warnf prints a warning.
func (inv *Invocation) Warnf(format string, args ...any) {
	if !inv.quiet {
		io.WriteString(inv.Stderr, escape.Visible(fmt.Sprintf("warning: "+format+"\n", args...)))
	}
}

// Notef tells something that is no result.
func (inv *Invocation) Notef(format string, args ...any) {
	if !inv.quiet {
		io.WriteString(inv.Stderr, escape.Visible(fmt.Sprintf(format+"\n", args...)))
	}
}

// Progress returns a function that shows how many of n steps are done, and one that clears what it showed: a bar on a
// terminal; elsewhere, as in the log of a job, a line every minute.
func (inv *Invocation) Progress(n int, what string) (step func(done int), clear func()) {
	if inv.part != nil {
		return inv.part.progress(n), func() {}
	}
	if inv.quiet {
		return func(int) {}, func() {}
	}
	if os.Getenv("TERM") == "dumb" || !IsTerminal(inv.Stderr) {
		return inv.lines(n, what, time.Minute), func() {}
	}
	bar := progressbar.NewOptions(n,
		progressbar.OptionSetWriter(inv.Stderr),
		progressbar.OptionSetDescription(what),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetWidth(30),
		progressbar.OptionClearOnFinish(),
	)
	// A bar that cannot be drawn is no reason to stop.
	return func(done int) { _ = bar.Set(done) }, func() { _ = bar.Clear() }
}

// lines returns a function that tells, no more often than the interval, how many of n steps are done.
func (inv *Invocation) lines(n int, what string, interval time.Duration) func(done int) {
	var mu sync.Mutex
	begin := time.Now()
	last := begin
	return func(done int) {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.Sub(last) >= interval && done > 0 && done < n {
			last = now
			left := time.Duration(float64(now.Sub(begin)) * float64(n-done) / float64(done))
			inv.Notef("%s: %d of %d, about %v left", what, done, n, left.Round(time.Second))
		}
	}
}

// Open opens a file, or standard input for "-", and returns its name for people.
func (inv *Invocation) Open(path string) (io.ReadCloser, string, error) {
	if path == "-" {
		return &input{inv.Context, io.NopCloser(inv.Stdin)}, "standard input", nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, path, err
	}
	return &input{inv.Context, f}, path, nil
}

// input is a file that ends with the error of a context when that is done.
type input struct {
	ctx context.Context
	io.ReadCloser
}

// Read reads on.
func (f *input) Read(p []byte) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	return f.ReadCloser.Read(p)
}
