package output

import (
	"bytes"
	"context"
	"io"
	"os"

	"github.com/partwise/partwise/markov/parallel"
)

// Destination is where a command writes its result, and how.
type Destination struct {
	Stdout io.Writer
	Output string // the file to write; "": standard output
	Format string // "table", "json", "csv", "markdown", or another one of the command
	Wide   bool   // tables show all columns, however wide that is
	Legend bool   // a table on a terminal explains itself
	// Summary asks for the summary of results in place of their tables.
	Summary bool
	Before  func() // is called before standard output is written; nil: nothing is called
	// Interrupted ends when the user interrupts the command; nil if nothing can interrupt it.
	Interrupted context.Context
}

// PartialEnding is added to the name of the output file if the result is not whole.
const PartialEnding = ".partial"

// MarkPartial changes the name of the output file: only a whole result has the name itself. A device or a pipe, such as
// /dev/stdout, has no other name.
func (d *Destination) MarkPartial() {
	if d.hasPartial() {
		d.Output += PartialEnding
	}
}

// hasPartial reports whether a result that is not whole has a file of its own.
func (d *Destination) hasPartial() bool { return d.Output != "" && Replaced(d.Output) }

// Emit writes a result in the format of the destination. Millions of values take seconds to lay out. If d.Interrupted
// ends meanwhile, nothing is written, and Emit returns the error of this context. A command that was interrupted before
// has a partial result, which is written.
func (d *Destination) Emit(r *Result) error {
	ctx := context.Background()
	if d.Interrupted != nil && d.Interrupted.Err() == nil {
		ctx = d.Interrupted
	}
	text, err := parallel.Abandonable(ctx, func() ([]byte, error) {
		var b bytes.Buffer
		err := r.Write(&b, d.look())
		return b.Bytes(), err
	})
	if err != nil {
		return err
	}
	return d.writeAll(text)
}

// Print writes a text.
func (d *Destination) Print(text string) error { return d.writeAll([]byte(text)) }

// Write writes what render makes, to the output file or to standard output, all at once. It returns a [ClosedError] if standard
// output cannot be written.
func (d *Destination) Write(render func(io.Writer) error) error {
	if d.Output != "" {
		return d.writeFile(render)
	}
	var b bytes.Buffer
	if err := render(&b); err != nil {
		return err
	}
	return d.writeAll(b.Bytes())
}

// writeAll writes a text to the output file or to standard output. [Destination.Write] describes the error.
func (d *Destination) writeAll(text []byte) error {
	if d.Output != "" {
		return d.writeFile(Text(string(text)))
	}
	if d.Before != nil {
		d.Before()
	}
	if _, err := d.Stdout.Write(text); err != nil {
		return &ClosedError{WritingError("standard output", err)}
	}
	return nil
}

// writeFile writes the output file, and removes the partial result that an interrupted command left beside it.
func (d *Destination) writeFile(render func(io.Writer) error) error {
	if err := WriteFile(d.Output, render); err != nil {
		return err
	}
	if d.hasPartial() {
		_ = os.Remove(d.Output + PartialEnding)
	}
	return nil
}

// ClosedError says why standard output cannot be written.
type ClosedError struct{ error }

// Unwrap returns the cause.
func (e *ClosedError) Unwrap() error { return e.error }

// look returns how results are written to the destination.
func (d *Destination) look() Look {
	read := d.Format == "table" && d.Output == "" && IsTerminal(d.Stdout)
	return Look{Format: d.Format, Width: d.tableWidth(), Wrapped: read, Bold: read && !isPlain(),
		Legend: read && d.Legend, Summary: d.Summary}
}

// tableWidth returns how wide a table may be: as wide as the terminal, but not narrower than usual; 0 for no limit.
func (d *Destination) tableWidth() int {
	switch {
	case d.Wide:
		return 0
	case d.Output != "":
		return UsualWidth
	}
	return max(Columns(d.Stdout), UsualWidth)
}
