package filekind

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// otherRecords name files by their first line. Without them, the readers of job logs would take these lines for records of their
// own formats.
var otherRecords = []struct {
	pattern logtext.Pattern
	kind    string
}{
	{logtext.NewPattern(`[^\r\n]\r+[^\r\n]`), "text whose lines end with carriage returns alone; write line feeds: tr '\\r' '\\n'"},
	{logtext.NewPattern(`(?i)^\s*JOBID\s+USER\s+STAT\s+QUEUE\b`), "a table of bjobs of LSF, " + notRead},
	{logtext.NewPattern(`(?i)^\s*JobID\s+User\s+WallTime\b`), "a table of qstat of Cobalt, " + notRead},
	{logtext.NewPattern(`(?i)^\s*JOBID\s+(QUEUE\s+)?USER\s+NAME\s+ST\s+NTASKS\b`), "the output of flux jobs, " + notRead},
	{logtext.NewPattern(`(?i)^\s*"?JOBID\b.*\b(NODELIST\(REASON\)|SUBMIT_TIME|START_TIME|TIME_LEFT|TIME_LIMIT)|^\s*JOBID\s+PARTITION\s+NAME\s+USER\b`),
		"a table of squeue, " + notEnded + "; sacct --parsable2" + haveEnded},
	{logtext.NewPattern(`(?i)^ *JobID(Raw)?( +[\w%]+){2,} *$`),
		"a table of sacct padded with blanks, which cuts long fields off; write it with sacct --parsable2"},
	{logtext.NewPattern(`^[\d/]+ [\d:]+;[A-Z];\d+;.*\b(resources_used\.location=|exec_host=")`),
		"an accounting log of Cobalt, " + notRead},
}

// OfRecord names a file by its first line. It returns "" if the line matches no pattern of otherRecords.
func OfRecord(line []byte) string {
	for _, r := range otherRecords {
		if r.pattern().Match(line) {
			return r.kind
		}
	}
	return ""
}

// lookalikes name files that no reader reads, by their beginning. The first match counts, so general patterns stand last. A file
// of the kind "" may be a log in Standard Workload Format. A kind that ends with a colon and a blank is followed by the first
// line of the file.
var lookalikes = []struct {
	pattern   logtext.Pattern
	kind      string
	commented bool // the pattern may also match the comments and messages in front
}{
	{logtext.NewPattern(`\x00`), "binary data", false},
	{logtext.NewPattern(`\A\d{3} \(\d+\.\d+\.\d+\) `), "a log of the events of jobs of HTCondor, " + notRead, false},
	{logtext.NewPattern(`\A(-- Schedd: |\s*ID\s+OWNER\s+SUBMITTED\b)|(?m)^\*\*\* .*\bClusterId = |^(ClusterId|MyType|GlobalJobId) = |` +
		`"(ClusterId|GlobalJobId)"\s*:|<a n="(ClusterId|GlobalJobId)">`), "a history of jobs of HTCondor, " + notRead, false},
	{logtext.NewPattern(`\A[{[][\s\S]*"(nb_res|subtime)"\s*:`), "a workload of the simulator Batsim, " + notRead, false},
	{logtext.NewPattern(`\A\{[\s\S]*"pbs_version"\s*:`), "the output of qstat -F json, " + notEnded + "; " + accountingLogs, false},
	{logtext.NewPattern(`\A\{[\s\S]*"RECORDS"\s*:[\s\S]*"JOBID"\s*:`), "the output of bjobs -json of LSF, " + notRead, false},
	{logtext.NewPattern(`\A[{[][\s\S]*"(job_state|accrue_time)"\s*:`),
		"the output of squeue --json or scontrol --json, " + notEnded + "; sacct --json" + haveEnded, false},
	{logtext.NewPattern(`\AJobId=\d+ (UserId|User)=`), "a log of completed jobs of Slurm (jobcomp/filetxt), " + notRead +
		", or take the jobs from sacct --parsable2", false},
	{logtext.NewPattern(`\AJobId=\d`), "the output of scontrol show job, " + notEnded + "; sacct --parsable2" + haveEnded, false},
	{logtext.NewPattern(`(?i)\AJob id(:|\s+Name\s+User\b)`), "the output of qstat, " + notEnded + "; " + accountingLogs, false},
	{logtext.NewPattern(`\AJob: \d+`), "the output of tracejob; " + accountingLogs, false},
	{logtext.NewPattern(`\A[\d/]{10} [\d:.]+;[0-9a-fA-F]{4};`), "a log of events of a server or mom of PBS; " + accountingLogs, false},
	{logtext.NewPattern(`\A[{[][\s\S]*"collection_id"\s*:`), "a table of Google's cluster traces, " + notRead, false},
	{logtext.NewPattern(`\A[{[][\s\S]*"kind"\s*:\s*"Pod(List)?"`),
		"pods of Kubernetes; kubectl get workloads -o json and kubectl get jobs -o json are read", false},
	{logtext.NewPattern(`\A\[\d{4}-\d\d-\d\d[T ]`), "a log of events of a daemon, such as slurmctld; sacct --parsable2" + haveEnded,
		false},
	{logtext.NewPattern(`\A[{[][\s\S]*"t_submit"\s*:`), "the output of flux jobs --json, " + notRead, false},
	{logtext.NewPattern(`\A[{[][\s\S]*"apiVersion"\s*:`),
		"objects of Kubernetes, but neither workloads nor jobs; kubectl get workloads -o json and kubectl get jobs -o json are read", false},
	{logtext.NewPattern(`\A\{[^\n]*\}\s*\n\s*\{`), "JSON with an object in each line; sacct --json and sacct --parsable2 write what is read", false},
	{jsonBegins, "JSON without jobs", false},
	{logtext.NewPattern(`(?i)\A<(!doctype html|html)`), "a page for browsers, such as study writes", false},
	{logtext.NewPattern(`\A<[?A-Za-z]`), "XML; sacct --parsable2 writes a table that is read", false},
	{logtext.NewPattern(`(?i)\A\W*JobID(Raw)?[^\w,;|\t"'][^\n]*\W(Submit|Elapsed|AllocNodes|NNodes)\b`),
		"a table of sacct with another delimiter; write it with sacct --parsable2", false},
	{logtext.NewPattern(`\A# Version: ?\d[^\n]*\n#[\s\S]*DO NOT MODIFY|(?m)^[^:#\n{"]+(:[^:\n]*){35,}$`),
		"an accounting file of SGE (Grid Engine), " + notRead, true},
	{logtext.NewPattern(`\A={20,}\s*\nqname\b`), "the output of qacct of SGE (Grid Engine), " + notRead, true},
	{logtext.NewPattern(`(?i)\A\s*job-ID\s+prior\b`), "the output of qstat of SGE (Grid Engine), " + notEnded, false},
	{logtext.NewPattern(`\A("[A-Z_]+" "\d+\.\d+" \d{9,} |"JOB_[A-Z_]+" )`), "an accounting file of LSF, " + notRead, false},
	{logtext.NewPattern(`\A(Summary of time in seconds spent|Accounting information about jobs|Job <\d+)`),
		"the output of bhist, bacct or bjobs of LSF, " + notRead, false},
	{logtext.NewPattern(`\A(PARTITION\s+AVAIL\b|NODELIST\s+NODES\b)`),
		"the output of sinfo, which lists nodes; sacct --parsable2 lists jobs", false},
	{logtext.NewPattern(`\A-{20,}\s*\n[^\n]*\d{4}-\d\d-\d\dT`),
		"a report of sreport, which lists sums; sacct --parsable2 lists jobs", true},
	{logtext.NewPattern(`\A[^\n]*\b(id_job|time_submit)\b[^\n]*\btime_(start|end)\b`),
		"the job table of Slurm's database; sacct --parsable2 writes a table that is read", false},
	{logtext.NewPattern(`(?i)\A(-- (MySQL|MariaDB) dump|(CREATE TABLE|INSERT INTO) )`),
		"a dump of a database in SQL; sacct --parsable2 writes a table that is read", false},
	{logtext.NewPattern(`\A[^\n]*\bsubmission_time\b[^\n]*\brequested_number_of_resources\b`),
		"jobs that the simulator Batsim ran, " + notRead, false},
	{logtext.NewPattern(`(?m)^[^\n]*COBALT_JOBID`), "a table of jobs of Cobalt, " + notRead, false},
	{logtext.NewPattern(`(?i)\A[^\n]*(\bcobalt\b|: qsub -)`), "a log of Cobalt, " + notRead, false},
	{logtext.NewPattern(`(?im)\A#([\s\S]*^#)?([^\n]*(grid workloads? (format|archive)|\.gwf\b)|\s*Workload\b|\s*JobID\s+SubmitTime\s+WaitTime)`),
		"a log in the Grid Workloads Format, " + notRead, true},
	{logtext.NewPattern(`\A\d+([ \t]+\S+){28}[ \t]*(\r?\n|\z)`), "a log in the Grid Workloads Format (29 columns), " + notRead, false},
	{logtext.NewPattern(`\A(\d+,\d?,\d{5,},|[^\n]*(collection_id|missing_info|missing_type))`),
		"a table of Google's cluster traces, " + notRead, false},
	{logtext.NewPattern(`\A([^\n]*(plan_cpu|plan_gpu|inst_num|gpu_milli)|[^,\n]+,\d+(\.0)?,j_\d+,|([^,\n]*,){3,6}(Terminated|Failed|Running|Waiting|Ready|Interrupted),)`),
		"a table of Alibaba's cluster traces, " + notRead, false},
	{logtext.NewPattern(`\A\d{9,} +\d{4}-\d\d-\d\d +[\d:]+ +job +`), "a log of the events of Moab, " + notRead, false},
	{logtext.NewPattern(`(?m)\A(---\s*)?apiVersion:\s`), "objects of Kubernetes in YAML; kubectl get -o json writes what is read", true},
	{logtext.NewPattern(`\A(NAMESPACE +)?NAME +[A-Z][^\n]* AGE\s*(\n|\z)`),
		"a table of kubectl; kubectl get -o json writes what is read", false},
	{logtext.NewPattern(`\A(-?[0-9]|-$|-[^-]|--$|--[^-]|$)`), "", false},
	{logtext.NewPattern(`(?m)\A(---\s*)?(jobs|meta|errors|warnings):[\s\S]*^[ -]+(account|job_id):`),
		"YAML of sacct or squeue; sacct --json is read", true},
	{logtext.NewPattern("(?m)^```|^!?\\[[^\\]\\n]+\\]\\(http"), markdown, true},
	{logtext.NewPattern(`\A---|(?m)^[A-Za-z_][\w.-]*:(\s|$)`), otherYAML, false},
	{logtext.NewPattern(`\A[^\n]*[,;|\t]`), otherTable, false},
	{logtext.NewPattern(`\A\pL`), plainText, false},
	{logtext.NewPattern(`\A`), unknownForm, false},
}

// Kinds of files that match general patterns.
const (
	markdown    = "Markdown or plain text"
	otherYAML   = "YAML, such as a model file"
	otherTable  = "a table whose columns are not those of a job log: "
	plainText   = "plain text"
	unknownForm = "text in a form that is not known"
)

// generalKinds are all kinds of files that match general patterns. A job log behind lines of another kind matches such a pattern,
// too.
var generalKinds = []string{markdown, otherYAML, otherTable, plainText, unknownForm}

// Parts of the kinds: a format is known but cannot be read, a command lists jobs that a log does not list, or other files list
// the jobs.
const (
	notRead   = "a format that is not read; convert it to the Standard Workload Format"
	notEnded  = "which lists jobs that have not ended"
	haveEnded = " lists jobs that have ended"

	accountingLogs = "the accounting logs of the server (server_priv/accounting) list jobs that have ended"
)

// Kind names a file that no reader reads, by its beginning. It returns "" if the file may be a log in Standard Workload Format.
// isGeneral says that only a general pattern matches: a job log may follow behind other lines.
func (b *Beginning) Kind() (kind string, isGeneral bool) {
	if inFront := len(b.Text) - len(b.Rest); inFront > 0 && beginsJSON(b.Rest) {
		return fmt.Sprintf("JSON that begins in line %d, behind messages; delete the lines before it",
			1+bytes.Count(b.Text[:inFront], []byte("\n"))), false
	}
	if kind := OfRecord(b.Line); kind != "" {
		return kind, false
	}
	for _, l := range lookalikes {
		isMatch := l.pattern().Match(b.Rest) && len(b.Rest) > 0 || l.commented && l.pattern().Match(b.Text)
		if !isMatch {
			continue
		}
		kind = l.kind
		if strings.HasSuffix(kind, ": ") {
			kind += logtext.Shortened(string(b.Line))
		}
		return kind, slices.Contains(generalKinds, l.kind)
	}
	if len(b.Text) > 0 && len(b.Rest) == 0 {
		line, _, _ := strings.Cut(string(b.Text), "\n")
		return "messages or comments without a table: " + logtext.Shortened(strings.TrimRight(line, "\r")), false
	}
	return "", false
}
