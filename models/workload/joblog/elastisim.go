package joblog

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/partwise/partwise/models/workload/internal/filekind"
	"github.com/partwise/partwise/models/workload/internal/logtext"
	"github.com/partwise/partwise/models/workload/internal/wholelog"
)

// elastiSim is the format of the job files of ElastiSim.
var elastiSim = format{
	name:    "elastisim",
	summary: "jobs of the simulator ElastiSim (Özden et al., ICPP 2022)",
	sizes:   [...]string{"num_nodes", "", ""},
	recognise: func(b *filekind.Beginning) bool {
		return b.IsJSON() && b.Has("submit_time") && (b.Has("num_nodes") || b.Has("num_nodes_min") || b.Has("application_model"))
	},
	read: readElastiSim,
}

// elastiSimJob is a job of a file of ElastiSim. The simulator knows no run times: they are those that arguments or
// attributes call run_time or runtime.
//
// Reference: T. Özden, T. Beringer, A. Mazaheri, H. M. Fard, F. Wolf, ElastiSim: a batch-system simulator for malleable
// workloads, ICPP 2022.
type elastiSimJob struct {
	ID                    *int
	Submit                *float64 `json:"submit_time"`
	Nodes                 *int     `json:"num_nodes"`
	MinNodes              *int     `json:"num_nodes_min"`
	MaxNodes              *int     `json:"num_nodes_max"`
	Walltime              *float64
	Arguments, Attributes map[string]logtext.JSONText
}

// readElastiSim reads a file of jobs. Its times are seconds from the beginning, with fractions.
func readElastiSim(in *logtext.File, file string, o Options, _ func(*Job) bool) (Log, *List, error) {
	s := newStore(file, o, nil)
	if s.options.Unit != InNodes {
		return Log{}, nil, &Error{File: s.file, Problem: "jobs of ElastiSim tell nodes, not " + string(s.options.Unit)}
	}
	var jobs []Job
	err := s.eachJob(in, func(text json.RawMessage, line int) string {
		var from elastiSimJob
		if err := json.Unmarshal(text, &from); err != nil {
			return "what is not a job of ElastiSim"
		}
		j, problem := from.job(len(jobs) + 1)
		if problem == "" {
			jobs = append(jobs, j)
		}
		return problem
	})
	if err != nil {
		return Log{}, nil, err
	}
	lines, first := s.damaged()
	if len(jobs) == 0 {
		if lines == 0 {
			return Log{}, nil, &Error{File: s.file, Problem: "holds no jobs; a job log has a line for each job"}
		}
		return Log{}, nil, &Error{File: s.file, Row: first.First, Problem: "no job can be read; this is the first with " + first.What}
	}
	slices.SortStableFunc(jobs, BySubmission)
	if err := tooMany(s.file, len(jobs), s.options.Most); err != nil {
		return Log{}, nil, err
	}
	log, list := s.log(0, len(jobs)), ListOf(jobs)
	if lines > 0 {
		held := 0.0
		for i := range jobs {
			held += jobs[i].NodeTime()
		}
		log.Lost = Lost{Lines: lines, First: first.First}.among(held, len(jobs), lines)
	}
	var x wholelog.Extent
	for i := range jobs {
		x.Add(jobs[i].judgedTimes())
	}
	return log, log.setApart(list, &x), nil
}

// job returns the job, number of the file unless it has a number of its own, or what is wrong with it.
func (e *elastiSimJob) job(number int) (j Job, problem string) {
	j = blank(number)
	if e.ID != nil {
		j.ID = *e.ID
	}
	if e.Submit == nil || !(*e.Submit >= 0) {
		return j, "no submit_time"
	}
	j.Submit = *e.Submit
	nodes := e.Nodes
	if nodes == nil && e.MinNodes != nil && e.MaxNodes != nil && *e.MinNodes == *e.MaxNodes {
		nodes = e.MinNodes
	}
	if n, ok := logtext.FirstNumber("num_nodes", e.Arguments, e.Attributes); nodes == nil && ok && n == math.Trunc(n) {
		given := int(n)
		nodes = &given
	}
	if nodes == nil || *nodes < 1 {
		return j, "no num_nodes, on which a run time would be known"
	}
	j.Processors, j.RequestedProcessors = *nodes, *nodes
	for _, name := range []string{"run_time", "runtime"} {
		if x, ok := logtext.FirstNumber(name, e.Arguments, e.Attributes); ok && j.Run < 0 {
			j.Run = x
		}
	}
	if e.Walltime != nil && *e.Walltime > 0 {
		j.Estimate = *e.Walltime
	}
	return j, ""
}
