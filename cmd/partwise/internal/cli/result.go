package cli

import (
	"io"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
)

// Result is what a command found out, laid out in every form; commands that return an [output.Result] need no such layout.
type Result struct {
	JSON   output.Object
	CSV    [][]string
	Tables []output.Table
	Notes  []string // sentences that stand under the tables

	Assumed []output.Assumption // what nobody said
}

// Write writes the result.
func (r *Result) Write(w io.Writer, look output.Look) error {
	switch look.Format {
	case "json":
		return r.withoutLayout().Write(w, look)
	case "csv":
		rows := r.CSV
		if unit := r.JSON.Text(output.TimeUnit); unit != "" {
			rows = output.WithTimeUnit(rows, unit)
		}
		return output.WriteRows(w, rows, look)
	}
	tables, notes := r.Shown()
	return output.WriteTables(w, tables, notes, look)
}

// withoutLayout returns what does not need to be laid out.
func (r *Result) withoutLayout() *output.Result {
	return &output.Result{Object: r.JSON, Notes: r.Notes, Assumed: r.Assumed}
}

// Shown returns the tables and the notes.
func (r *Result) Shown() ([]output.Table, []string) {
	if r == nil {
		return nil, nil
	}
	_, notes := r.withoutLayout().Shown()
	return r.Tables, notes
}

// Laid lays a result out.
func Laid(r *output.Result) *Result {
	return &Result{JSON: r.Object, CSV: r.Rows(), Tables: r.Tables(), Notes: r.Notes, Assumed: r.Assumed}
}
