// Package output writes results: JSON whose fields stand in the order they were added, CSV, and tables for people.
//
// # From values to rows to a reader
//
// A command makes one [Row] of each thing that it tells of, such as a policy or a load. A row is cells, and a [Cell] is the value
// of a [Column], which says how the quantity is called and read. Rows of one kind are a [List], and lists, fields and sentences are
// a [Result]. From there each way to write has one function:
//
//	values ─► Row ─► List ─► Result ─┬► JSON: an object for each row
//	                                 ├► CSV: a line for each row (Wide) or for each value (Long)
//	                                 └► Table ─► terminal, Markdown, page: the columns that the list shows
//
// A column that several commands have is declared once: a measure by [Measure], from the table of measures, others in
// commoncolumns.go. A column of one command is declared where its row is made. An answer that does not fit into a list gets a
// second list.
//
// JSON and CSV carry every float64 with the fewest digits that read back as the same number; only tables round. A number that is
// not finite does not exist: JSON leaves it out, and cells are empty or say why. Files are written whole or not at all.
//
// # Sentences
//
// Packages of the libraries say in words what their answers mean: a decision, an answer of a break-even, the points of
// a study. Commands, reports and the explorer say it alike. A sentence is made whole by one function, from values. What
// may follow a lead is a clause, of which [words.Sentence] makes a sentence.
package output

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
)

// Result is what a command found out: one value, from which JSON, CSV, tables and Markdown are written. Its fields are
// those of the JSON object. A [List] among them is also a table and rows of CSV. A List without a name is not in JSON. A
// *Result among them is in JSON only.
type Result struct {
	Object
	Notes   []string     // sentences below the tables
	Short   []string     // sentences of the summary, the most important first; nil: Notes
	Assumed []Assumption // values that were not given
}

// Assumption is a value that the command took because nobody gave one.
type Assumption struct {
	Name   string // as in JSON: resize_cost
	Value  string // as the flag takes it: 60s
	Flag   string // that gives another value: --resize-cost
	Series string `json:",omitempty"` // that it holds for; "" if it holds for all series of a study
}

// LeftOut is a policy that is not compared, and why. It is part of a journal.
type LeftOut struct {
	Series     string `json:",omitempty"` // of a study
	Policy     string
	Partitions int `json:",omitempty"`
	Reason     string
}

// NewLeftOut returns what is said of a policy that is not compared for a reason.
func NewLeftOut(p policy.Policy, reason string) LeftOut {
	name, partitions := nameOf(p)
	return LeftOut{Policy: name, Partitions: partitions, Reason: reason}
}

// LeftOutObjects returns policies that are not compared as JSON has them, for a field left_out; nil for none.
func LeftOutObjects(all []LeftOut) any {
	return When(len(all) > 0, RowsOf(all, func(l LeftOut) Object {
		return Pairs("series", NonZero(l.Series), "policy", l.Policy, "partitions", Positive(l.Partitions), "reason", l.Reason)
	}))
}

// String returns the assumption in words: resize cost 60 s (--resize-cost), or resize cost 60 s in free restarts (--resize-cost).
func (a Assumption) String() string {
	name := strings.NewReplacer("_", " ", "overhead", "resize cost").Replace(a.Name) // model files keep their own names
	value := words.TimeWords(a.Value)
	if a.Series != "" {
		value += " in " + a.Series
	}
	return fmt.Sprintf("%s %s (%s)", name, value, a.Flag)
}

// NewResult returns a result of this version with fields; its times are in a unit.
func NewResult(timeUnit string, fields ...Field) *Result {
	return &Result{Object: append(Object{{"version", Version}, {TimeUnit, timeUnit}}, fields...)}
}

// List adds a list whose JSON is a field of its name; nil adds nothing.
func (r *Result) List(l *List) {
	if l != nil {
		r.Add(l.Name, l)
	}
}

// Result adds the result of another command, of which only JSON is shown; nil adds nothing.
func (r *Result) Result(name string, of *Result) {
	if of != nil {
		r.Add(name, of)
	}
}

// Note adds a sentence below the tables.
func (r *Result) Note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// Assume adds assumptions, so that every result says them: each once.
func (r *Result) Assume(all ...Assumption) {
	for _, a := range all {
		if !slices.Contains(r.Assumed, a) {
			r.Assumed = append(r.Assumed, a)
		}
	}
}

// Lists returns the lists of the result that are tables, in order.
func (r *Result) Lists() []*List {
	return slices.DeleteFunc(r.lists(), func(l *List) bool { return len(l.Table().Columns) == 0 || l.Len == 0 })
}

// lists returns the lists among the fields, and among the fields of fields, in order.
func (o Object) lists() []*List {
	var all []*List
	for _, f := range o {
		switch v := f.Value.(type) {
		case *List:
			all = append(all, v)
		case Object:
			all = append(all, v.lists()...)
		case []Object:
			for _, one := range v {
				all = append(all, one.lists()...)
			}
		}
	}
	return all
}

// Look says how a result is written.
type Look struct {
	Format  string // table, json, csv or markdown
	Width   int    // of tables; 0: no limit
	Wrapped bool   // notes are broken at the width
	Bold    bool   // heads of tables
	Legend  bool   // a sentence below the tables explains columns
	Summary bool   // only the summary is written, in any format
}

// Write writes the result in the format of a look: JSON, CSV, Markdown or tables with sentences, or the summary alone.
func (r *Result) Write(w io.Writer, look Look) error {
	if look.Summary {
		return r.writeSummary(w)
	}
	switch look.Format {
	case "json":
		return WriteJSON(w, r.withAssumed())
	case "csv":
		rows := r.Rows()
		return WriteCSV(w, rows)
	}
	return r.writeTables(w, look)
}

// The most lines and columns of a summary.
const (
	summaryLines   = 8
	summaryColumns = 80
)

// writeSummary writes the sentences of the summary, each on lines of its own. A command in a line of a sentence stays whole. A
// sentence that does not fit is left out, and later sentences are tried.
func (r *Result) writeSummary(w io.Writer) error {
	sentences := r.Short
	if sentences == nil {
		sentences = r.Notes
	}
	left := summaryLines
	for _, text := range sentences {
		const glue = "\ue000%" // keeps 35 % on one line
		var lines []string
		for line := range strings.SplitSeq(text, "\n") {
			if line = Visible(line); isCommand(line) {
				lines = append(lines, line)
				continue
			}
			lines = append(lines, Wrap(strings.ReplaceAll(line, " %", glue), summaryColumns)...)
		}
		if len(lines) > left {
			continue
		}
		left -= len(lines)
		if _, err := fmt.Fprintln(w, strings.ReplaceAll(strings.Join(lines, "\n"), glue, " %")); err != nil {
			return err
		}
	}
	return nil
}

// withAssumed returns the fields, and what was assumed.
func (r *Result) withAssumed() Object {
	all := RowsOf(r.Assumed, func(a Assumption) Object {
		return Pairs("name", a.Name, "value", a.Value, "series", NonZero(a.Series), "flag", a.Flag)
	})
	return append(slices.Clone(r.Object), Pairs("assumed", When(all != nil, all))...)
}

// writeTables writes the tables, their legend, and the sentences below them.
func (r *Result) writeTables(w io.Writer, look Look) error {
	tables := RowsOf(r.Lists(), (*List).Table)
	for i := range tables {
		if i > 0 {
			fmt.Fprintln(w)
		}
		write := func() error { return tables[i].WriteText(w, look.Width, look.Bold) }
		if look.Format == "markdown" {
			write = func() error { return tables[i].WriteMarkdown(w) }
		}
		if err := write(); err != nil {
			return err
		}
	}
	if look.Legend {
		if legend := Legend(tables, look.Width); legend != "" {
			fmt.Fprintf(w, "\n%s\n", broken(Visible(legend), look.Width))
		}
	}
	for i, note := range r.Sentences() {
		if i == 0 && len(tables) > 0 || i > 0 && look.Format == "markdown" {
			fmt.Fprintln(w)
		}
		if look.Format == "markdown" && !isCommand(note) {
			note = Markdown(note)
		}
		note = Visible(note)
		if look.Wrapped && !isCommand(note) {
			note = broken(note, look.Width)
		}
		fmt.Fprintln(w, note)
	}
	return nil
}

// Sentences returns what stands below the tables: the notes and, last, a sentence about what was assumed.
func (r *Result) Sentences() []string {
	if len(r.Assumed) == 0 {
		return r.Notes
	}
	return append(slices.Clone(r.Notes), AssumedWords(r.Assumed))
}

// AssumedWords returns the sentence that lists assumptions.
func AssumedWords(assumed []Assumption) string {
	return "Assumed: " + strings.Join(words.Texts(assumed, Assumption.String), ", ") + "."
}
