package joblog

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// Finding is something that several lines of a log have in common, and that whoever uses its jobs should know.
type Finding struct {
	What  string // few words, the same for all lines; of damaged lines, what is wrong with one
	Count int    // of lines, or of jobs
	First int    // line of the first, counted from 1; 0 if that is not known
	Text  string // what it holds; may be empty
	Lost  bool   // the lines are damaged: they gave no job
	Apart bool   // the jobs are set apart, see [Log.Apart]
	// InAll says that the count is about the whole log, although only some of its jobs are wanted.
	InAll bool
}

// String says what was found, how often and where.
func (f Finding) String() string {
	n := words.Whole(f.Count)
	s := f.What + ": " + n
	if f.Lost {
		s = n + " with " + f.What
	}
	if f.InAll {
		s += " in the whole log"
	}
	switch {
	case f.First > 0 && f.Text != "":
		s += fmt.Sprintf(" (first in line %d: %q)", f.First, f.Text)
	case f.First > 0:
		s += fmt.Sprintf(" (first in line %d)", f.First)
	}
	return s
}

// LeftOut counts what was left out, by reason: the jobs skipped for each reason, and the damaged lines and the jobs set apart that
// were found. Findings about the whole log count in inWhole if only a part of the log is wanted, because nobody knows of which part
// they are. skipped stays as it is.
func LeftOut(skipped map[string]int, found []Finding) (counts, inWhole map[string]int) {
	counts, inWhole = map[string]int{}, map[string]int{}
	maps.Copy(counts, skipped)
	for _, f := range found {
		switch {
		case !f.Lost && !f.Apart:
		case f.InAll:
			inWhole[f.What] += f.Count
		default:
			counts[f.What] += f.Count
		}
	}
	return counts, inWhole
}

// Sentences returns what was found: a sentence on all damaged lines, a sentence on all jobs whose times cannot be right, and a
// sentence for each other finding.
func Sentences(found []Finding) (all []string) {
	var lost, apart, others []string
	for _, f := range found {
		switch {
		case f.Lost:
			lost = append(lost, f.String())
		case f.Apart:
			apart = append(apart, f.String())
		default:
			others = append(others, f.String())
		}
	}
	if len(lost) > 0 {
		text := "lines left out: " + strings.Join(lost, ", ")
		if strings.Contains(text, "with an unreadable time in column ") {
			text += "; times are read as 2024-03-01T08:00:00, which sacct writes where SLURM_TIME_FORMAT is not set"
		}
		all = append(all, text)
	}
	if len(apart) > 0 {
		all = append(all, "set apart, because their times cannot be right: "+strings.Join(apart, ", "))
	}
	return append(all, others...)
}

// FindingsIn returns what was found, with the jobs that never started or did not end counted only as far as a range wants them. All
// other findings are about the whole log, and say so if the range does not want all jobs.
func (l *Log) FindingsIn(r *Range) []Finding {
	if r.isWhole() {
		return l.Findings
	}
	var running, pending []Job
	for _, j := range l.Unfinished {
		if j.Wait >= 0 {
			running = append(running, j)
		} else {
			pending = append(pending, j)
		}
	}
	counts := map[string]int{neverStarted: r.Count(l.NeverStarted.All()), StillRunning: r.Count(ListOf(running).All()),
		StillPending: r.Count(ListOf(pending).All())}
	var found []Finding
	for _, f := range l.Findings {
		n, isCounted := counts[f.What]
		if isCounted {
			f.Count = n
		}
		f.InAll = !isCounted
		if f.Count > 0 {
			found = append(found, f)
		}
	}
	return found
}

// findings counts findings by what was found.
type findings struct {
	list []Finding
	at   map[string]int
	last int // the place of the last finding that was counted: the next line often has the same
}

// add counts a finding, and returns the place of all findings of its kind.
func (f *findings) add(what string, line int, text []byte, lost bool) *Finding {
	i, ok := f.last, f.last < len(f.list) && f.list[f.last].What == what
	if !ok {
		i, ok = f.at[what]
	}
	if ok {
		f.last = i
		f.list[i].Count++
		if line < f.list[i].First { // lines of jobs come in the order of the jobs
			f.list[i].First, f.list[i].Text = line, logtext.Shortened(string(text))
		}
		return &f.list[i]
	}
	if f.at == nil {
		f.at = map[string]int{}
	}
	f.at[what] = len(f.list)
	f.list = append(f.list, Finding{What: what, Count: 1, First: line, Text: logtext.Shortened(string(text)), Lost: lost})
	return &f.list[len(f.list)-1]
}

// addAll adds findings whose lines follow all lines of f.
func (f *findings) addAll(later *findings) {
	for _, x := range later.list {
		of := f.add(x.What, x.First, []byte(x.Text), x.Lost)
		of.Count += x.Count - 1
	}
}

// sorted returns the findings, lost lines first, then by name.
func (f *findings) sorted() []Finding {
	list := slices.Clone(f.list)
	slices.SortFunc(list, func(a, b Finding) int {
		switch {
		case a.Lost && !b.Lost:
			return -1
		case b.Lost && !a.Lost:
			return 1
		}
		return strings.Compare(a.What, b.What)
	})
	return list
}

// damaged returns how many lines gave no job, and the first finding of such lines.
func (f *findings) damaged() (lines int, first *Finding) {
	for i := range f.list {
		if x := &f.list[i]; x.Lost {
			lines += x.Count
			if first == nil || x.First < first.First {
				first = x
			}
		}
	}
	return lines, first
}
