package joblog

import (
	"encoding/json"
	"math"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// phillyJob is a job of the traces of Philly. Each attempt is an execution of the job.
//
// Reference: M. Jeon, S. Venkataraman, A. Phanishayee, J. Qian, W. Xiao, F. Yang, Analysis of large-scale multi-tenant GPU
// clusters for DNN training workloads, USENIX ATC 2019.
type phillyJob struct {
	Status, VC, JobID, User string
	Submitted               string `json:"submitted_time"`
	Attempts                []struct {
		Start  *string `json:"start_time"`
		End    *string `json:"end_time"`
		Detail []struct {
			IP   string
			GPUs []string
		}
	}
}

// phillyStates are the statuses of the traces.
var phillyStates = map[string]state{"Pass": completed, "Killed": cancelled, "Failed": failed}

// readPhilly reads a cluster_job_log. Its jobs are numbered from 1.
func (s *store) readPhilly(in *logtext.File) error {
	if s.options.Unit == inCPUs {
		return &Error{File: s.file, Problem: "the traces of Philly tell nodes and GPUs of jobs, not CPUs"}
	}
	number := uint32(0)
	return s.eachJob(in, func(text json.RawMessage, line int) string {
		var j phillyJob
		if err := json.Unmarshal(text, &j); err != nil {
			return "what is not a job of Philly"
		}
		number++
		return s.addPhilly(&j, number, line)
	})
}

func (s *store) addPhilly(j *phillyJob, number uint32, line int) (problem string) {
	e := entry{key: key{id: number}, line: line, user: []byte(j.User), queue: []byte(j.VC), elapsed: math.NaN(),
		limit: math.NaN(), state: unstarted}
	var ok bool
	if e.submit, ok = s.moment([]byte(j.Submitted), line); !ok {
		return "a submitted_time that is none"
	}
	last, ok := phillyStates[j.Status]
	if !ok {
		return "a status that is none"
	}
	if len(j.Attempts) == 0 {
		s.add(&e)
		return ""
	}
	for i, a := range j.Attempts {
		e.start, e.end, e.units = moment{}, moment{}, 0
		for _, want := range []struct {
			text *string
			to   *moment
		}{{a.Start, &e.start}, {a.End, &e.end}} {
			if want.text == nil {
				continue
			}
			if *want.to, ok = s.moment([]byte(*want.text), line); !ok {
				return "a time of an attempt that is none"
			}
		}
		for _, d := range a.Detail {
			if s.options.Unit == inGPUs {
				e.units += uint32(len(d.GPUs))
			} else {
				e.units++
			}
		}
		if e.state = failed; i == len(j.Attempts)-1 {
			e.state = last
		}
		s.add(&e)
	}
	return ""
}
