package joblog

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models/workload/internal/executions"
	"github.com/partwise/partwise/models/workload/internal/filekind"
	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// philly is the format of the traces of Philly.
var philly = format{
	name:      "philly",
	summary:   "`cluster_job_log` of the traces of Philly (Jeon et al., USENIX ATC 2019)",
	sizes:     [...]string{"servers", "", "gpus"},
	recognise: func(b *filekind.Beginning) bool { return b.IsJSON() && b.Has("attempts") && b.Has("submitted_time") },
	read:      stored(phillyKeys, (*store).readPhilly),
}

// phillyJob is a job of the traces of Philly. Each attempt is an execution of the job.
//
// Reference: M. Jeon, S. Venkataraman, A. Phanishayee, J. Qian, W. Xiao, F. Yang, Analysis of large-scale multi-tenant GPU
// clusters for DNN training workloads, USENIX ATC 2019.
type phillyJob struct {
	Status, VC, JobID, User string
	Submitted               string `json:"submitted_time"`
	Attempts                []struct {
		Start  string `json:"start_time"`
		End    string `json:"end_time"`
		Detail []struct {
			IP   string
			GPUs []string
		}
	}
}

// phillyKeys is the layout of the traces.
var phillyKeys = &layout{state: func(text []byte) (s executions.State, label string, ok bool) {
	s, ok = map[string]executions.State{"Pass": executions.Completed, "Killed": executions.Cancelled,
		"Failed": executions.Failed}[string(text)]
	return s, string(text), ok
}, roles: map[string]role{
	"submitted_time": submitTime, "start_time": startTime, "end_time": endTime, "detail": allocNodes, "detail.gpus": allocGPUs,
}}

// readPhilly reads a cluster_job_log. Its jobs are numbered from 1.
func (s *store) readPhilly(in *logtext.File) error {
	if s.options.Unit == InCPUs {
		return &Error{File: s.file, Problem: "the traces of Philly tell nodes and GPUs of jobs, not CPUs"}
	}
	number := uint32(0)
	return s.eachJob(in, func(text json.RawMessage, line int) string {
		var j phillyJob
		if err := json.Unmarshal(text, &j); err != nil {
			return "what is not a job of Philly"
		}
		number++
		if _, _, ok := phillyKeys.state([]byte(j.Status)); !ok { // all attempts are left out, and counted once
			return "an unknown status"
		}
		if _, _, ok := logtext.ParseStamp([]byte(j.Submitted)); !ok {
			return "an unreadable submitted_time"
		}
		e := entry{Key: executions.Key{ID: number}, line: line}
		f := fields{user: []byte(j.User), queue: []byte(j.VC), submitTime: []byte(j.Submitted), stateName: []byte(j.Status)}
		if len(j.Attempts) == 0 {
			s.take(&f, &e)
		}
		for i, a := range j.Attempts {
			gpus := 0
			var servers []string // a server may come several times, with some of its GPUs each time
			for _, d := range a.Detail {
				gpus += len(d.GPUs)
				if d.IP == "" || !slices.Contains(servers, d.IP) {
					servers = append(servers, d.IP)
				}
			}
			f[nodeList] = []byte(strings.Join(servers, ","))
			f[startTime], f[endTime], f[stateName] = []byte(a.Start), []byte(a.End), []byte("Failed")
			f[allocNodes], f[allocGPUs] = []byte(strconv.Itoa(len(servers))), []byte(strconv.Itoa(gpus))
			if i == len(j.Attempts)-1 {
				f[stateName] = []byte(j.Status)
			}
			s.take(&f, &e)
		}
		return ""
	})
}
