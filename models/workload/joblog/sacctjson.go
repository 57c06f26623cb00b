package joblog

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/partwise/partwise/models/workload/internal/filekind"
	"github.com/partwise/partwise/models/workload/internal/logtext"
	"github.com/partwise/partwise/models/workload/internal/slurm"
)

// sacctJSON is the format of sacct --json.
var sacctJSON = format{
	name:    "sacct-json",
	summary: "Slurm: `sacct --json`",
	sizes:   [...]string{"✓", "✓", "✓"},
	recognise: func(b *filekind.Beginning) bool {
		return b.IsJSON() && (b.Has("jobs") || b.Has("job_id") && b.Has("submission")) &&
			!b.HasAny("submit_time", "accrue_time", "submitted_time", "subtime", "nb_res", "t_submit")
	},
	read: stored(sacctKeys, (*store).readSacctJSON),
}

// sacctKeys is the layout of sacct --json, of versions from 20.11 on.
var sacctKeys = &layout{state: parseState, roles: map[string]role{
	"cluster": clusterName, "user": user, "account": account, "partition": queue, "qos": qos, "nodes": nodeList,
	"time.submission": submitTime, "time.eligible": eligibleTime, "time.start": startTime, "time.end": endTime,
	"time.elapsed": elapsedRaw, "time.limit": limitRaw,
	"allocation_nodes": allocNodes, "tres.allocated": allocTRES, "tres.requested": reqTRES,
}}

// sacctJob is a job as sacct --json writes it.
type sacctJob struct {
	JobID logtext.JSONText `json:"job_id"`
	Het   struct {
		JobID  logtext.JSONText `json:"job_id"`
		Offset logtext.JSONText `json:"job_offset"`
	} `json:"het"`
	Cluster, User, Account, Partition, QOS logtext.JSONText
	Nodes                                  logtext.JSONText
	State                                  struct{ Current json.RawMessage }
	Allocated                              logtext.JSONText `json:"allocation_nodes"`
	Time                                   struct{ Submission, Eligible, Start, End, Elapsed, Limit logtext.JSONText }
	Tres                                   struct{ Allocated, Requested tres }
}

// tres are resources of a job.
type tres []struct {
	Type, Name string
	Count      logtext.JSONText
}

// String returns the resources as tables of sacct have them.
func (t tres) String() string {
	var all []string
	for _, r := range t {
		all = append(all, strings.TrimSuffix(r.Type+"/"+r.Name, "/")+"="+string(r.Count))
	}
	return strings.Join(all, ",")
}

// readSacctJSON reads what sacct --json writes.
func (s *store) readSacctJSON(in *logtext.File) error {
	s.partitions = true
	return s.eachJob(in, func(text json.RawMessage, line int) string {
		var j sacctJob
		if err := json.Unmarshal(text, &j); err != nil {
			return "what is not a job of sacct --json"
		}
		id, state := string(j.JobID), slurm.StateIn(j.State.Current, j.Time.End != "" && j.Time.End != "0")
		if j.Het.JobID != "" && j.Het.JobID != "0" {
			id = fmt.Sprintf("%s+%s", j.Het.JobID, j.Het.Offset)
		}
		k, step, ok := keyOf([]byte(id))
		switch {
		case !ok || step || k.ID == 0:
			return "an unreadable job_id"
		case state == "":
			return "no state"
		}
		k.Cluster = s.clusterOf([]byte(j.Cluster))
		s.take(&fields{user: []byte(j.User), account: []byte(j.Account), queue: []byte(j.Partition), qos: []byte(j.QOS),
			submitTime: []byte(j.Time.Submission), eligibleTime: []byte(j.Time.Eligible), startTime: []byte(j.Time.Start),
			endTime: []byte(j.Time.End), elapsedRaw: []byte(j.Time.Elapsed), limitRaw: []byte(j.Time.Limit),
			stateName: []byte(state), nodeList: []byte(j.Nodes), allocNodes: []byte(j.Allocated),
			allocTRES: []byte(j.Tres.Allocated.String()), reqTRES: []byte(j.Tres.Requested.String())}, &entry{Key: k, line: line})
		return ""
	})
}
