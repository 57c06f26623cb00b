package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
)

// streams are where a command reads and writes.
type streams struct {
	stdin          io.Reader
	stdout, stderr io.Writer
}

// invocation is one call of a command.
type invocation struct {
	streams
	ctx     context.Context
	flags   *cli.Context
	args    []string
	format  string // "table", "json", "csv", "markdown", or "text" for commands that write only that
	output  string // file, "" for standard output
	file    string // what --output says to a command that writes something of its own
	quiet   bool
	workers int // 0: one a processor
}

func newInvocation(c *cli.Context, s streams, cmd command) (*invocation, error) {
	inv := &invocation{
		streams: s,
		ctx:     c.Context,
		flags:   c,
		args:    c.Args().Slice(),
		output:  c.String("output"),
		quiet:   c.Bool("quiet"),
		workers: c.Int("workers"),
	}
	if err := cmd.checkArguments(inv.args); err != nil {
		return nil, err
	}
	if inv.workers < 0 || c.IsSet("workers") && inv.workers == 0 {
		return nil, usage("for example --workers 2", "--workers: %d is not a positive number", inv.workers)
	}
	if c.IsSet("output") && inv.output == "" {
		return nil, usage("for example --output result.json", "--output needs the name of a file")
	}
	if cmd.ownOutput {
		inv.output, inv.file = "", inv.output
	}
	var err error
	if inv.format, err = inv.chooseFormat(cmd, c.String("format")); err != nil {
		return nil, err
	}
	for _, file := range []string{inv.output, inv.file} {
		if err := output.Check(file); err != nil {
			return nil, err
		}
	}
	return inv, nil
}

// chooseFormat takes what was asked for, what the name of the output file says, a table on a terminal, or else what
// suits a program best.
func (inv *invocation) chooseFormat(cmd command, asked string) (string, error) {
	if cmd.formats == nil {
		if asked != "" {
			return "", usage("leave --format out", "%s writes plain text only", cmd.name)
		}
		return "text", nil
	}
	if asked != "" {
		if slices.Contains(cmd.formats, asked) {
			return asked, nil
		}
		return "", usage(suggestion(asked, cmd.formats), "--format: unknown format %q", asked)
	}
	named := map[string]string{".json": "json", ".csv": "csv", ".md": "markdown", ".html": "html", ".txt": "table"}
	ending := strings.ToLower(filepath.Ext(inv.output))
	if f, ok := named[ending]; ok && slices.Contains(cmd.formats, f) {
		return f, nil
	}
	if slices.Contains(chart.Formats, strings.TrimPrefix(ending, ".")) {
		hint := "say which with --format: " + strings.Join(cmd.formats, ", ")
		if slices.ContainsFunc(cmd.flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), "plot") }) {
			hint = "--plot draws pictures"
		}
		return "", usage(hint, "--output: nothing that %s writes there belongs into %q", cmd.name, inv.output)
	}
	if inv.output == "" && isTerminal(inv.stdout) && slices.Contains(cmd.formats, "table") {
		return "table", nil
	}
	return cmd.formats[0], nil
}

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func plainTerminal() bool { return os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" }

// result is what a command found out, in every form it can be written in.
type result struct {
	json   output.Object
	csv    [][]string
	tables []output.Table
	notes  []string // sentences that stand under the tables
}

// emit writes the result in the chosen format to the chosen place.
func (inv *invocation) emit(r *result) error {
	return inv.write(func(w io.Writer) error { return inv.render(w, r) })
}

func (inv *invocation) render(w io.Writer, r *result) error {
	switch inv.format {
	case "json":
		return output.WriteJSON(w, r.json)
	case "csv":
		return output.WriteCSV(w, r.csv)
	}
	bold := inv.output == "" && isTerminal(inv.stdout) && !plainTerminal()
	for i, t := range r.tables {
		if i > 0 {
			fmt.Fprintln(w)
		}
		var err error
		if inv.format == "markdown" {
			err = t.WriteMarkdown(w)
		} else {
			err = t.WriteText(w, bold)
		}
		if err != nil {
			return err
		}
	}
	for i, note := range r.notes {
		if i == 0 && len(r.tables) > 0 || i > 0 && inv.format == "markdown" {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, note)
	}
	return nil
}

// partialEnding is added to the name of the output file if there is less than it should hold.
const partialEnding = ".partial"

// partial changes the name of the output file, which is that of a whole result only.
func (inv *invocation) partial() {
	if inv.output != "" {
		inv.output += partialEnding
	}
}

// write gives the output, made by render, to the output file or to standard output, all at once.
func (inv *invocation) write(render func(io.Writer) error) error {
	if inv.output != "" {
		return output.WriteFile(inv.output, render)
	}
	var b bytes.Buffer
	if err := render(&b); err != nil {
		return err
	}
	if _, err := inv.stdout.Write(b.Bytes()); err != nil {
		return writing("standard output", err)
	}
	return nil
}

// warn tells of a doubt.
func (inv *invocation) warn(format string, args ...any) {
	if !inv.quiet {
		fmt.Fprintf(inv.stderr, "warning: "+format+"\n", args...)
	}
}

// note tells something that is no result.
func (inv *invocation) note(format string, args ...any) {
	if !inv.quiet {
		fmt.Fprintf(inv.stderr, format+"\n", args...)
	}
}

// progress returns a function that shows how many of n steps are done, and one that clears what it showed: a bar on a
// terminal; elsewhere, as in the log of a job, a line every minute.
func (inv *invocation) progress(n int, what string) (step func(done int), clear func()) {
	if inv.quiet {
		return func(int) {}, func() {}
	}
	if os.Getenv("TERM") == "dumb" || !isTerminal(inv.stderr) {
		return inv.lines(n, what, time.Minute), func() {}
	}
	bar := progressbar.NewOptions(n,
		progressbar.OptionSetWriter(inv.stderr),
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
func (inv *invocation) lines(n int, what string, interval time.Duration) func(done int) {
	var mu sync.Mutex
	begin := time.Now()
	last := begin
	return func(done int) {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.Sub(last) >= interval && done > 0 && done < n {
			last = now
			left := time.Duration(float64(now.Sub(begin)) * float64(n-done) / float64(done))
			inv.note("%s: %d of %d, about %v left", what, done, n, left.Round(time.Second))
		}
	}
}
