package joblog

import (
	"bytes"

	"github.com/partwise/partwise/models/workload/internal/filekind"
)

// sacct is the format of the tables of sacct.
var sacct = format{
	name:    "sacct",
	summary: "Slurm: `sacct --parsable2` (`-P`, `-p`), or the same table as CSV or padded",
	sizes:   [...]string{"AllocNodes, NNodes", "AllocCPUS, NCPUS", "AllocTRES"},
	recognise: func(b *filekind.Beginning) bool {
		return len(b.Text) > 0 && !b.IsJSON() && (isTable(b.Line, sacctColumns) || sacctColumns.isMarked(b.Table) || looksLikeSacct(b.Line))
	},
	read: stored(sacctColumns, (*store).readTable),
}

// sacctCommand writes a table with the columns that jobs need in each unit of sizes, and with their time limits.
const sacctCommand = "sacct --allusers --parsable2 --format JobID,User,Submit,Start,End,Elapsed,AllocNodes,AllocTRES,State,Timelimit"

// sacctColumns are the fields of sacct that matter; see sacct(1).
var sacctColumns = &layout{state: parseState, written: sacctCommand, columns: "JobID, Submit, Elapsed, State, …: " +
	sacctCommand + " writes them; " +
	"--fields names those of a log that was written with --noheader", roles: map[string]role{
	"jobid": jobID, "jobidraw": jobIDRaw, "cluster": clusterName, "user": user, "account": account, "group": group,
	"qos": qos, "partition": queue, "submit": submitTime, "eligible": eligibleTime, "nodelist": nodeList,
	"start": startTime, "end": endTime, "elapsed": elapsed, "elapsedraw": elapsedRaw, "timelimit": timeLimit,
	"timelimitraw": limitRaw, "state": stateName, "allocnodes": allocNodes, "nnodes": nodeCount, "reqnodes": reqNodes,
	"alloccpus": allocCPUs, "ncpus": cpuCount, "reqcpus": reqCPUs, "alloctres": allocTRES, "reqtres": reqTRES,
	"jobname": freeText, "comment": freeText, "admincomment": freeText, "systemcomment": freeText, "workdir": freeText,
	"submitline": freeText, "extra": freeText, "constraints": freeText, "reason": freeText, "container": freeText,
}}

// looksLikeSacct reports whether a line is sacct's, but not one that can be read: without a header, or padded.
func looksLikeSacct(line []byte) bool {
	fields := bytes.Fields(line)
	if len(fields) > 2 && bytes.EqualFold(fields[0], []byte("JobID")) {
		return true
	}
	id, _, _ := bytes.Cut(line, []byte("|"))
	_, _, isJob := keyOf(id)
	return isJob && bytes.Count(line, []byte("|")) > 2
}
