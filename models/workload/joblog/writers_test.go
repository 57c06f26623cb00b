package joblog_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/partwise/partwise/models/workload/joblog"
)

// drawn is a job that a test writes into a log. Times are Unix times; 0 is a time that the log does not tell.
type drawn struct {
	id                 int
	user, queue        string
	submit, start, end int64
	limit              int64 // seconds; 0: none
	nodes, gpus        int   // GPUs on each node
	state              string
}

// run returns the seconds from the start to the end.
func (d *drawn) run() int64 { return d.end - d.start }

// writers write jobs in each format that tells when jobs started, as the programs of the format do. No row is damaged.
var writers = map[joblog.Format]func(jobs []drawn) string{
	joblog.SWF: writeSWF, sacct: writeSacct, sacctJSON: writeSacctJSON, pbs: writePBS, helios: writeHelios, philly: writePhilly,
	kubernetes: writeWorkloads,
}

// writeSWF writes jobs in Standard Workload Format, whose times count from the first submission.
func writeSWF(jobs []drawn) string {
	var b strings.Builder
	fmt.Fprintf(&b, "; Version: 2.2\n; UnixStartTime: %d\n", jobs[0].submit)
	for i := range jobs {
		d := &jobs[i]
		status := map[string]int{"COMPLETED": 1, "CANCELLED": 5}[d.state]
		limit := int64(-1)
		if d.limit > 0 {
			limit = d.limit
		}
		fmt.Fprintf(&b, "%d %d %d %d %d -1 -1 %d %d -1 %d 1 1 -1 1 -1 -1 -1\n", d.id, d.submit-jobs[0].submit, d.start-d.submit, d.run(), d.nodes,
			d.nodes, limit, status)
	}
	return b.String()
}

// stamp writes a Unix time as clocks of UTC show it, and Unknown for a time that is not told.
func stamp(unix int64) string {
	if unix == 0 {
		return "Unknown"
	}
	return time.Unix(unix, 0).UTC().Format("2006-01-02T15:04:05")
}

// limitText writes a time limit as sacct does.
func limitText(seconds int64) string {
	if seconds == 0 {
		return "UNLIMITED"
	}
	return elapsedText(seconds)
}

// writeSacct writes the table of sacct --parsable2, with the steps of each job. A run time is told by the start and the end alone.
func writeSacct(jobs []drawn) string {
	var b strings.Builder
	b.WriteString("JobID|JobName|User|Partition|Submit|Start|End|Timelimit|AllocNodes|AllocTRES|State\n")
	for i := range jobs {
		d := &jobs[i]
		rest := fmt.Sprintf("%s|%s|%s|%s|%d|billing=1,gres/gpu=%d,node=%d|%s\n", stamp(d.submit), stamp(d.start), stamp(d.end), limitText(d.limit),
			d.nodes, d.nodes*d.gpus, d.nodes, d.state)
		fmt.Fprintf(&b, "%d|a|job|%s|%s|%s", d.id, d.user, d.queue, rest)
		fmt.Fprintf(&b, "%d.batch|batch|||%s", d.id, rest)
	}
	return strings.ReplaceAll(b.String(), "|a|job|", "|a job|")
}

// writeSacctJSON writes what sacct --json writes.
func writeSacctJSON(jobs []drawn) string {
	var all []any
	for i := range jobs {
		d := &jobs[i]
		limit := map[string]any{"set": d.limit > 0, "infinite": d.limit == 0, "number": d.limit / 60}
		all = append(all, map[string]any{"job_id": d.id, "user": d.user, "partition": d.queue, "state": map[string]any{"current": []string{d.state}},
			"allocation_nodes": d.nodes, "time": map[string]any{"submission": d.submit, "start": d.start, "end": d.end, "limit": limit},
			"tres": map[string]any{"allocated": []any{map[string]any{"type": "gres", "name": "gpu", "count": d.nodes * d.gpus}}}})
	}
	return asText(map[string]any{"jobs": all})
}

// asText writes a value as JSON.
func asText(value any) string {
	text, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		panic(err) // values of this file have no cycles
	}
	return string(text) + "\n"
}

// writePBS writes the records of jobs that ended of an accounting log.
func writePBS(jobs []drawn) string {
	var b strings.Builder
	for i := range jobs {
		d := &jobs[i]
		var hosts []string
		for k := range d.nodes {
			hosts = append(hosts, fmt.Sprintf("n%d/0*8", k))
		}
		status := map[string]int{"COMPLETED": 0, "CANCELLED": 271, "FAILED": 1}[d.state]
		limit := ""
		if d.limit > 0 {
			limit = fmt.Sprintf("Resource_List.walltime=%d ", d.limit)
		}
		fmt.Fprintf(&b, "03/01/2024 08:00:00;E;%d.srv;user=%s queue=%s ctime=%d qtime=%[4]d etime=%[4]d start=%d exec_host=%s "+
			"Resource_List.ngpus=%d %send=%d Exit_status=%d\n", d.id, d.user, d.queue, d.submit, d.start, strings.Join(hosts, "+"),
			d.nodes*d.gpus, limit, d.end, status)
	}
	return b.String()
}

// writeHelios writes a table of the traces of Helios.
func writeHelios(jobs []drawn) string {
	var b strings.Builder
	b.WriteString("job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration\n")
	for i := range jobs {
		d := &jobs[i]
		clock := func(unix int64) string { return strings.Replace(stamp(unix), "T", " ", 1) }
		fmt.Fprintf(&b, "%d,%s,%s,%d,%d,%d,%s,%s,%s,%s,\n", d.id, d.user, d.queue, d.nodes*d.gpus, 8*d.nodes, d.nodes, d.state, clock(d.submit),
			clock(d.start), clock(d.end))
	}
	return b.String()
}

// writePhilly writes a log of the traces of Philly, whose jobs have one attempt each.
func writePhilly(jobs []drawn) string {
	var all []any
	for i := range jobs {
		d := &jobs[i]
		var detail []any
		for k := range d.nodes {
			gpus := []string{}
			for g := range d.gpus {
				gpus = append(gpus, fmt.Sprintf("gpu%d", g))
			}
			detail = append(detail, map[string]any{"ip": fmt.Sprintf("m%d", k), "gpus": gpus})
		}
		clock := func(unix int64) string { return strings.Replace(stamp(unix), "T", " ", 1) }
		status := map[string]string{"COMPLETED": "Pass", "CANCELLED": "Killed", "FAILED": "Failed"}[d.state]
		all = append(all, map[string]any{"status": status, "vc": d.queue, "jobid": fmt.Sprint("application_", d.id), "user": d.user,
			"submitted_time": clock(d.submit), "attempts": []any{map[string]any{"start_time": clock(d.start), "end_time": clock(d.end), "detail": detail}}})
	}
	return asText(all)
}
