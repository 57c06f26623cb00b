package joblog

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// Format is the name of the format of a job log: "swf", "sacct", "sacct-json", "pbs", "helios", "philly" or "elastisim".
type Format string

// The formats.
const (
	SWF       Format = "swf"        // Standard Workload Format
	sacct     Format = "sacct"      // Slurm: sacct --parsable2, or the same table as CSV
	sacctJSON Format = "sacct-json" // Slurm: sacct --json
	pbs       Format = "pbs"        // accounting logs of PBS and Torque
	helios    Format = "helios"     // cluster_log.csv of the traces of Helios (Hu et al., SC 2021)
	philly    Format = "philly"     // cluster_job_log of the traces of Philly (Jeon et al., USENIX ATC 2019)
	elastiSim Format = "elastisim"  // job files of the simulator ElastiSim (Özden et al., ICPP 2022)
)

// Formats lists all formats.
func Formats() []Format { return []Format{SWF, sacct, sacctJSON, pbs, helios, philly, elastiSim} }

// Unit is what the size of a job counts: nodes, cpus or gpus.
type Unit string

// The units.
const (
	inNodes Unit = "nodes"
	inCPUs  Unit = "cpus"
	inGPUs  Unit = "gpus"
)

// Units lists all units.
func Units() []Unit { return slices.Clone(units[:]) }

var units = [...]Unit{inNodes, inCPUs, inGPUs}

// Options say how a log is to be read. The zero value recognises the format, counts nodes, and takes times that name no
// zone for UTC.
type Options struct {
	Format   Format         // "": as the beginning of the log shows
	Unit     Unit           // "": nodes; for a log in Standard Workload Format its processors
	Location *time.Location // whose clocks the times show that name no zone; nil: UTC; not for logs that count seconds
	Fields   string         // columns of a log of sacct without a header, separated by commas; "": its first line names them
	Most     int            // jobs; a log of more is refused; 0: any number
}

// Log is a log; see [Scan] and [Read].
type Log struct {
	Format Format
	Header Header
	Jobs   []Job // of [Read] alone
	// Unfinished are the jobs that had not ended when the log was written: the run times of those that had started are
	// how long they had run until then, at least; others have none.
	Unfinished []Job
	// Findings are what lines of the log have in common that should be known: first what is wrong with those that gave no
	// job.
	Findings []Finding
}

// Read reads a log and all its jobs; see [Scan].
func Read(r io.Reader, file string, o Options) (Log, error) {
	log, list, err := Pack(r, file, o)
	log.Jobs = list.Jobs()
	return log, err
}

// Scan reads a log, compressed by gzip or not; file is its name in errors. It gives each job to take: of a log in Standard Workload
// Format as they stand in the file, of others in the order of their submission. Reading ends where take returns false.
func Scan(r io.Reader, file string, o Options, take func(*Job) bool) (Log, error) {
	log, list, err := read(r, file, o, take)
	if err == nil && list != nil {
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
	log, list, err := read(r, file, o, func(j *Job) bool {
		packed.Add(j)
		return true
	})
	return log, cmp.Or(list, packed), err
}

// read gives the jobs of a log in Standard Workload Format to take, and returns those of others.
func read(r io.Reader, file string, o Options, take func(*Job) bool) (Log, *List, error) {
	in, err := logtext.Open(r, file)
	if err != nil {
		return Log{}, nil, err
	}
	if o.Fields != "" {
		if o.Format != "" && o.Format != sacct {
			return Log{}, nil, &Error{File: file, Problem: fmt.Sprintf("fields are those of sacct, not of format %s", o.Format)}
		}
		o.Format = sacct
	}
	if o.Format == "" {
		beginning, _ := in.Peek(in.Size())
		if o.Format = Recognise(beginning); o.Format == "" {
			if kind := lookalike(beginning); kind != "" {
				return Log{}, nil, &Error{File: file, Row: 1, Problem: "is not a job log; it looks like " + kind, Err: ErrNotLog}
			}
			o.Format = SWF // whose reader says what is wrong
		}
	}
	defer in.Ahead()()
	if o.Format == SWF {
		log, err := readSWF(in, file, o, take)
		return log, nil, err
	}
	if o.Unit == "" {
		o.Unit = inNodes
	}
	s := newStore(file, o)
	switch o.Format {
	case sacct, helios:
		err = s.readTable(in)
	case pbs:
		err = s.readPBS(in)
	case sacctJSON:
		err = s.readSacctJSON(in)
	case philly:
		err = s.readPhilly(in)
	case elastiSim:
		return readElastiSim(in, s)
	default:
		return Log{}, nil, fmt.Errorf("joblog: unknown format %q", o.Format)
	}
	if err != nil {
		return Log{}, nil, err
	}
	return s.finish()
}

// ErrTooMany is the kind of the error of a log of more jobs than are to be kept.
var ErrTooMany = errors.New("too many jobs")

// tooMany returns the error of a log of so many jobs, nil if they are not more than most; 0 is any number.
func tooMany(file string, jobs, most int) error {
	if most == 0 || jobs <= most {
		return nil
	}
	return &Error{File: file, Err: ErrTooMany,
		Problem: fmt.Sprintf("has more than %d jobs, which do not fit into the memory allowed", most)}
}

// layouts are those of the formats that are read as fields.
var layouts = map[Format]*layout{sacct: sacctColumns, helios: heliosColumns, pbs: pbsAttributes, sacctJSON: sacctKeys, philly: phillyKeys}

// Recognise returns the format that the beginning of a log shows, "" for none but possibly a log in Standard Workload
// Format, which may begin with its first job.
func Recognise(beginning []byte) Format {
	text := bytes.TrimLeft(beginning, " \t\r\n")
	if len(text) == 0 {
		return ""
	}
	has := func(key string) bool { return bytes.Contains(text, []byte(`"`+key+`"`)) }
	switch text[0] {
	case ';':
		return SWF
	case '{', '[':
		switch {
		case has("attempts") && has("submitted_time"):
			return philly
		case has("submit_time") && (has("num_nodes") || has("num_nodes_min") || has("application_model")):
			return elastiSim
		case has("jobs") || has("job_id") && has("submission"):
			return sacctJSON
		}
		return ""
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	line = bytes.TrimRight(line, "\r")
	switch {
	case pbsRecord.Match(line):
		return pbs
	case isTable(line, heliosColumns):
		return helios
	case isTable(line, sacctColumns), looksLikeSacct(line):
		return sacct
	}
	return ""
}
