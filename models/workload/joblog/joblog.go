package joblog

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/internal/filekind"
	"github.com/partwise/partwise/models/workload/internal/logtext"
	"github.com/partwise/partwise/models/workload/internal/wholelog"
)

// Unit is what the size of a job counts: nodes, cpus or gpus.
type Unit string

// The units.
const (
	InNodes Unit = "nodes"
	InCPUs  Unit = "cpus"
	InGPUs  Unit = "gpus"
)

// Units lists all units.
func Units() []Unit { return slices.Clone(units[:]) }

var units = [...]Unit{InNodes, InCPUs, InGPUs}

// atCPUs is the place of InCPUs in units.
const atCPUs = 1

// Options say how a log is to be read. The zero value recognises the format, counts nodes, and takes times that name no
// zone for UTC.
type Options struct {
	Format   Format         // "": as the beginning of the log shows
	Unit     Unit           // "": nodes; for a log in Standard Workload Format its processors
	Location *time.Location // whose clocks the times show that name no zone; nil: UTC; not for logs that count seconds
	Fields   string         // columns of a log of sacct without a header, separated by commas; "": its first line names them
	Most     int            // jobs; a log of more is refused; 0: any number
	// NodeNames says that the list of the nodes of each job is kept, see [Job.NodeList]: some 100 bytes for each list that differs from
	// those before.
	NodeNames bool
	// CPUs says that the CPUs of each job are kept beside its nodes, see [Job.CPUs]: 4 bytes a job.
	CPUs bool
}

// Log is a log; see [Scan] and [Read].
type Log struct {
	Format Format
	Header Header
	Jobs   []Job // of [Read] alone
	// Unfinished are the jobs that had not ended when the log was written: the run times of those that had started are
	// how long they had run until then, at least; others have none.
	Unfinished []Job
	// Apart are the jobs whose times cannot be right, such as a start before the submission. They are counted by reason in Findings, and
	// are not among Jobs.
	Apart []Job
	// NeverStarted are the jobs that were cancelled, or failed, in the queue, in the order of the log; nil if the log has none. Some
	// may have been submitted before the log begins.
	NeverStarted *List
	Names        Names
	Lost         Lost
	// Findings are what lines of the log have in common that should be known: first what is wrong with those that gave no
	// job.
	Findings []Finding
}

// Lost is what reading lost of a log: lines that gave no job, and jobs whose times cannot be right.
type Lost struct {
	Lines int
	First int // the first such line, from 1; 0 if it is not known
	// NodeSeconds are those of the lines, as far as the lines tell them. Others, Untold in number, count as a job of the log on average.
	NodeSeconds float64
	Untold      int
	Share       float64 // of the node-seconds of all jobs that had ended; between 0 and 1
}

// among returns the loss with its share among the jobs of a log that are not lost, which held so many node-seconds. Lost lines whose
// node-seconds are untold count as a job of the log on average.
func (l Lost) among(held float64, jobs, untold int) Lost {
	l.Untold += untold
	switch {
	case jobs > 0 && held > 0:
		l.NodeSeconds += held / float64(jobs) * float64(untold)
		l.Share = l.NodeSeconds / (l.NodeSeconds + held)
	case l.NodeSeconds > 0:
		l.Share = 1
	case untold > 0:
		l.Share = float64(untold) / float64(untold+jobs)
	}
	return l
}

// Read reads a log and all its jobs; see [Scan].
func Read(r io.Reader, file string, o Options) (Log, error) {
	log, list, err := Pack(r, file, o)
	log.Jobs = list.Jobs()
	return log, err
}

// Scan reads a log, compressed by gzip or not; file is its name in errors. It gives each job to take: of a log in Standard Workload
// Format as they stand in the file, of others in the order of their submission. Reading ends where take returns false.
//
// Jobs whose times cannot be right are not given, but counted in the findings and in what is lost. Of a log in Standard Workload
// Format these are the jobs that start before their submission or end before their start: times far from all others show in the
// whole log only, see [Pack].
func Scan(r io.Reader, file string, o Options, take func(*Job) bool) (Log, error) {
	var found findings
	given, apart, held := 0, 0, 0.0
	log, list, err := formats.read(r, file, o, func(j *Job) bool {
		times := j.judgedTimes()
		if what := times.WrongOrder(); what != "" {
			found.add(what, 0, nil, false).Apart = true
			apart++
			return true
		}
		given++
		held += j.NodeTime()
		return take(j)
	})
	switch {
	case err != nil:
	case list == nil && apart > 0:
		log.Findings = append(log.Findings, found.sorted()...)
		log.Lost.Lines += apart
		log.Lost = log.Lost.among(held, given, apart)
	case list != nil:
		for j := range list.All() {
			if !take(j) {
				break
			}
		}
	}
	return log, err
}

// Pack reads a log and all its jobs into few bytes a job; see [Scan].
func Pack(r io.Reader, file string, o Options) (Log, *List, error) {
	packed := new(List)
	var x wholelog.Extent
	log, list, err := formats.read(r, file, o, func(j *Job) bool {
		packed.Add(j)
		x.Add(j.judgedTimes())
		return true
	})
	if list == nil && err == nil {
		packed = log.setApart(packed, &x)
	}
	return log, cmp.Or(list, packed), err
}

// read gives the jobs of a log to take as they come, or returns them in a list, as the reader of its format does.
func (t formatTable) read(r io.Reader, file string, o Options, take func(*Job) bool) (Log, *List, error) {
	in, err := logtext.Open(r, file)
	if err != nil {
		return Log{}, nil, err
	}
	if o.Fields != "" {
		if o.Format != "" && o.Format != sacct.name {
			return Log{}, nil, &Error{File: file, Problem: fmt.Sprintf("fields are those of sacct, not of format %s", o.Format)}
		}
		o.Format = sacct.name
	}
	peek, err := in.Peek(in.Size())
	if err != nil && err != io.EOF {
		return Log{}, nil, logtext.Damaged(file, 1, err)
	}
	b := filekind.Begin(peek)
	seen := t.recognise(b)
	f := t.named(o.Format)
	switch {
	case f != nil:
	case o.Format != "":
		return Log{}, nil, fmt.Errorf("joblog: unknown format %q", o.Format)
	case seen != nil:
		f = seen
	default:
		kind, isGeneral := b.Kind()
		if isGeneral {
			kind += t.behindLines(peek)
		}
		if kind != "" {
			return Log{}, nil, &Error{File: file, Row: 1, Problem: "is not a job log; it looks like " + kind, Err: ErrNotLog}
		}
		f = &swf // whose reader says what is wrong
	}
	isGuess := o.Format == "" && seen == nil
	o.Format = f.name
	defer in.Ahead()()
	log, list, err := f.read(in, file, o, take)
	switch {
	case isGuess:
		err = withWords(err, "; a file that begins with a number is taken for a log in Standard Workload Format; --fields "+
			"names the columns of a table of sacct without its header")
	case seen != nil && seen != f:
		err = withWords(err, fmt.Sprintf("; the log looks like one of format %s", seen.name))
	}
	return log, list, err
}

// behindLines says in which line of a text a log begins that other lines stand in front of, and what to do. It returns "" if no
// log begins in the text.
func (t formatTable) behindLines(text []byte) string {
	for line, b := range filekind.Later(text) {
		if f := t.recognise(b); f != nil {
			return fmt.Sprintf("; a log of format %s begins in line %d: delete the lines before it", f.name, line)
		}
	}
	return ""
}

// withWords returns the error of a wrong log with more words, such as the format that the beginning of the log shows. It returns
// other errors and nil as they are.
func withWords(err error, more string) error {
	var e *Error
	if !errors.As(err, &e) || e.Err != nil {
		return err
	}
	named := *e
	named.Problem += more
	return &named
}

// ErrTooMany is wrapped by the error of a log with more jobs, or of a file with more measurements, than fit into the memory allowed.
var ErrTooMany = logtext.ErrTooMany

// tooMany returns the error of a log of so many jobs, nil if they are not more than most; 0 is any number.
func tooMany(file string, jobs, most int) error {
	if most == 0 || jobs <= most {
		return nil
	}
	return &Error{File: file, Err: ErrTooMany,
		Problem: fmt.Sprintf("has more than %s, which do not fit into the memory allowed", words.Count(most, "job"))}
}
