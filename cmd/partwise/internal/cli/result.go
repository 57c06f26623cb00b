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
}

// Write writes the result.
func (r *Result) Write(w io.Writer, look output.Look) error {
	switch look.Format {
	case "json":
		return output.WriteJSON(w, r.JSON)
	case "csv":
		rows := r.CSV
		if unit := r.JSON.Text(output.TimeUnit); unit != "" {
			rows = output.WithTimeUnit(rows, unit)
		}
		return output.WriteRows(w, rows, look)
	}
	return output.WriteTables(w, r.Tables, r.Notes, look)
}

// Shown returns the tables and the notes.
func (r *Result) Shown() ([]output.Table, []string) {
	if r == nil {
		return nil, nil
	}
	return r.Tables, r.Notes
}

// Laid lays a result out.
func Laid(r *output.Result) *Result {
	tables, notes := r.Shown()
	return &Result{JSON: r.Object, CSV: r.Rows(), Tables: tables, Notes: notes}
}
