package tree

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/partwise/partwise/models/words"
)

// Error is one mistake in a file.
type Error struct {
	File         string // as it was named; for a setting the flag, such as --set machine.nodes=x
	Line, Column int    // from 1, the column in characters; 0 where there is none
	Path         string // the field, such as jobs.service[2].erlang.phases; indices from 0
	Problem      string // what is wrong
	Remedy       string // what would be right; may be empty

	text string // the line
}

// Error returns the mistake in one line: file:line:column: path: problem; remedy.
func (e *Error) Error() string {
	text := e.File
	if e.Line > 0 {
		text += fmt.Sprintf(":%d", e.Line)
		if e.Column > 0 {
			text += fmt.Sprintf(":%d", e.Column)
		}
	}
	if e.Path != "" {
		text += ": " + e.Path
	}
	text += ": " + e.Problem
	if e.Remedy != "" {
		text += "; " + e.Remedy
	}
	return text
}

// notTab matches a character that the line of the caret has a space for.
var notTab = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^\t]`) })

// Excerpt returns the source line with its number, and below it a caret under the column; "" if there is no line.
// Of a long line it shows the part around the column.
func (e *Error) Excerpt() string {
	if e.Line < 1 || e.text == "" {
		return ""
	}
	const before, most = 60, 100
	line := []rune(e.text)
	at := min(max(e.Column-1, 0), len(line))
	lead, trail := "", ""
	if len(line) > most {
		from := max(0, min(at-before, len(line)-most))
		to := from + most
		if from > 0 {
			lead = "…"
		}
		if to < len(line) {
			trail = "…"
		}
		line, at = line[from:to], at-from
	}
	number := fmt.Sprintf("%4d", e.Line)
	indent := notTab().ReplaceAllString(string(line[:at]), " ")
	return fmt.Sprintf("%s | %s%s%s\n%s | %s%s^\n", number, lead, string(line), trail,
		strings.Repeat(" ", len(number)), strings.Repeat(" ", utf8.RuneCountInString(lead)), indent)
}

// Errors are the mistakes of a file and of those it names, in the order of the text.
type Errors []*Error

// Error returns the mistakes, one per line.
func (e Errors) Error() string {
	return strings.Join(words.Texts(e, (*Error).Error), "\n")
}

// Unwrap returns the single mistakes.
func (e Errors) Unwrap() []error {
	all := make([]error, len(e))
	for i, mistake := range e {
		all[i] = mistake
	}
	return all
}

// Concern reports whether a mistake is about the field at a path, such as one that is unknown to the kind of file.
func (e Errors) Concern(path string) bool {
	return slices.ContainsFunc(e, func(mistake *Error) bool { return mistake.Path == path })
}

// SayNothing reports whether the file has neither a machine nor arrivals, by its mistakes: it cannot be read, or both are missing.
// JSON that cannot be read may be a model with a missing comma. text is the beginning of the file. It is false without mistakes.
func (e Errors) SayNothing(text []byte) bool {
	if len(e) == 0 || e[0] == nil {
		return false
	}
	lacks := func(path string) bool {
		return slices.ContainsFunc(e, func(mistake *Error) bool {
			return mistake != nil && mistake.Path == path && mistake.Problem == "is missing"
		})
	}
	isJSON := bytes.HasPrefix(bytes.TrimSpace(text), []byte("{"))
	return e[0].Path == "" && !isJSON || lacks("machine") && lacks("arrivals")
}

// maxErrors bounds what is reported of one file; a file of the wrong kind would fill the screen.
const maxErrors = 100

// Collector gathers the mistakes found while a file is read.
type Collector struct {
	// Suffix is added to the problem of each mistake.
	Suffix string

	noted     int // mistakes, those that are not listed included
	list      []*Error
	seen      map[string]bool
	concealed map[string]bool // files of which nothing is shown
}

// conceal makes mistakes in a file say where they are, and nothing of what it holds: it may be a file that whoever wrote
// the name could not read.
func (c *Collector) conceal(file string) {
	if c.concealed == nil {
		c.concealed = make(map[string]bool)
	}
	c.concealed[file] = true
}

// Concealed reports whether mistakes in a file are not to show what it holds.
func (c *Collector) Concealed(file string) bool { return c.concealed[file] }

// Noted returns the number of mistakes that were noted so far, listed or not.
func (c *Collector) Noted() int { return c.noted }

// Add notes a mistake; one that is reached twice, by an alias, is noted once.
func (c *Collector) Add(e *Error) {
	c.noted++
	if c.concealed[e.File] {
		e = &Error{File: e.File, Line: e.Line, Column: e.Column, Problem: "a mistake; what this file holds is not shown, for it " +
			"lies outside the folder of the file that names it", Remedy: "check it on its own"}
	}
	key := e.Error()
	if len(c.list) >= maxErrors || c.seen[key] {
		return
	}
	if c.seen == nil {
		c.seen = make(map[string]bool)
	}
	c.seen[key] = true
	e.Problem += c.Suffix
	c.list = append(c.list, e)
}

// Err returns the mistakes in the order of the text, as [Errors], nil if there are none.
func (c *Collector) Err() error {
	if len(c.list) == 0 {
		return nil
	}
	var files []string // in the order they were met
	for _, e := range c.list {
		if !slices.Contains(files, e.File) {
			files = append(files, e.File)
		}
	}
	slices.SortStableFunc(c.list, func(a, b *Error) int {
		return cmp.Or(slices.Index(files, a.File)-slices.Index(files, b.File), a.Line-b.Line, a.Column-b.Column)
	})
	return Errors(c.list)
}
