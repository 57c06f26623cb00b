package joblog

import (
	"encoding/json"
	"math"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// sacctJob is a job as sacct --json writes it, of versions from 20.11 on.
type sacctJob struct {
	JobID number `json:"job_id"`
	Het   struct {
		JobID  number `json:"job_id"`
		Offset number `json:"job_offset"`
	} `json:"het"`
	User, Account, Partition string
	State                    struct {
		Current json.RawMessage
	}
	Nodes number `json:"allocation_nodes"`
	Time  struct {
		Submission, Start, End, Elapsed number
		Limit                           number // minutes
	}
	Tres struct {
		Allocated, Requested []tres
	}
}

// tres is how much of a resource a job had.
type tres struct {
	Type, Name string
	Count      number
}

// readSacctJSON reads what sacct --json writes.
func (s *store) readSacctJSON(in *logtext.File) error {
	s.partitions = true
	return s.eachJob(in, func(text json.RawMessage, line int) string {
		nan := number(math.NaN())
		j := sacctJob{JobID: nan, Nodes: nan}
		j.Het.JobID, j.Het.Offset = nan, nan
		j.Time.Submission, j.Time.Start, j.Time.End, j.Time.Elapsed, j.Time.Limit = nan, nan, nan, nan, nan
		if err := json.Unmarshal(text, &j); err != nil {
			return "what is not a job of sacct --json"
		}
		return s.addSacctJob(&j, line)
	})
}

func (s *store) addSacctJob(j *sacctJob, line int) (problem string) {
	e := entry{line: line, user: []byte(j.User), group: []byte(j.Account), queue: []byte(j.Partition)}
	id, ok := j.JobID.whole()
	if !ok || id == 0 {
		return "a job_id that is none"
	}
	e.id = id
	if het, ok := j.Het.JobID.whole(); ok && het > 0 {
		offset, ok := j.Het.Offset.whole()
		if !ok || offset > 254 {
			return "a het.job_offset that is none"
		}
		e.id, e.component = het, uint8(offset)+1
	}
	e.submit, e.start, e.end = j.Time.Submission.time(), j.Time.Start.time(), j.Time.End.time()
	e.elapsed, e.limit = float64(j.Time.Elapsed), 60*float64(j.Time.Limit)
	if e.elapsed < 0 || e.elapsed >= none {
		return "an elapsed time that is none"
	}
	var names []string
	if json.Unmarshal(j.State.Current, &names) != nil {
		var name string
		if json.Unmarshal(j.State.Current, &name) != nil {
			return "no state"
		}
		names = []string{name}
	}
	if len(names) == 0 {
		return "no state"
	}
	if e.state, ok = parseState([]byte(names[0])); !ok {
		return "a state that is none"
	}
	nodes, allocated := j.Nodes.whole()
	if allocated && nodes == 0 && e.state == cancelled && !(e.elapsed > 0) {
		e.start.known, e.elapsed = false, 0
	}
	if e.units = j.size(s.options.Unit, e.state); s.options.Unit == inNodes {
		e.cpus = j.size(inCPUs, e.state)
	}
	s.add(&e)
	return ""
}

// size returns how much of the machine a job had, or asks for while it waits.
func (j *sacctJob) size(u Unit, is state) uint32 {
	kind := map[Unit]string{inNodes: "node", inCPUs: "cpu", inGPUs: "gres"}[u]
	sum := func(list []tres) (n uint32) {
		typed := uint32(0)
		for _, r := range list {
			count, ok := r.Count.whole()
			switch {
			case !ok || r.Type != kind:
			case u != inGPUs || r.Name == "gpu":
				n += count
			case len(r.Name) > 4 && r.Name[:4] == "gpu:":
				typed += count
			}
		}
		if n == 0 {
			n = typed
		}
		return n
	}
	if n, ok := j.Nodes.whole(); ok && n > 0 && u == inNodes {
		return n
	}
	if n := sum(j.Tres.Allocated); n > 0 || u == inGPUs && is.isOver() {
		return n
	}
	return sum(j.Tres.Requested)
}
