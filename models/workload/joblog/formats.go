package joblog

import (
	"github.com/partwise/partwise/models/workload/internal/filekind"
	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// Format is the name of the format of a job log, such as "swf" or "sacct".
type Format string

// format is an entry of the table of formats. All that is known of a format stands in its entry and in one file.
type format struct {
	name    Format
	summary string // what writes such logs
	// sizes says which fields tell the size of a job in nodes, CPUs and GPUs; "": the format does not tell it.
	sizes     [len(units)]string
	recognise func(b *filekind.Beginning) bool // by content
	// read reads a log whose name in errors is file. It gives the jobs to take as they come, or returns them in a list, in the
	// order of their submission.
	read func(in *logtext.File, file string, o Options, take func(*Job) bool) (Log, *List, error)
}

// formatTable is a list of formats. The first format that recognises the beginning of a log counts.
type formatTable []format

// formats is the table of all formats.
var formats = formatTable{swf, sacct, kubernetesFormat, sacctJSON, pbsFormat, helios, philly, elastiSim}

// Formats lists the names of all formats.
func Formats() []Format { return formats.names() }

func (t formatTable) names() (all []Format) {
	for i := range t {
		all = append(all, t[i].name)
	}
	return all
}

// named returns the entry of a name, nil if there is none.
func (t formatTable) named(name Format) *format {
	for i := range t {
		if t[i].name == name {
			return &t[i]
		}
	}
	return nil
}

// recognise returns the entry of the format that the beginning of a log shows, nil if no format does.
func (t formatTable) recognise(b *filekind.Beginning) *format {
	if filekind.OfRecord(b.Line) != "" && !sacctColumns.isMarked(b.Table) {
		return nil
	}
	for i := range t {
		if t[i].recognise(b) {
			return &t[i]
		}
	}
	return nil
}

// Recognise returns the format that the beginning of a log shows. It returns "" if no format does; the file may then still be a
// log in Standard Workload Format that begins with its first job.
func Recognise(text []byte) Format {
	if f := formats.recognise(filekind.Begin(text)); f != nil {
		return f.name
	}
	return ""
}

// stored returns the reader of a format with a layout, whose jobs are made when read has put all records into a store.
func stored(l *layout, read func(s *store, in *logtext.File) error) func(*logtext.File,
	string, Options, func(*Job) bool) (Log, *List, error) {
	return func(in *logtext.File, file string, o Options, _ func(*Job) bool) (Log, *List, error) {
		s := newStore(file, o, l)
		if err := read(s, in); err != nil {
			return Log{}, nil, err
		}
		return s.finish()
	}
}
