package joblog

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// ErrNotLog is the kind of the error of a file that is not a job log that can be read, but looks like something else.
var ErrNotLog = errors.New("not a job log")

// lookalikes are what files of no format that is read look like, by their beginning; "" may be a log in Standard Workload Format. The
// first that fits counts.
var lookalikes = []struct {
	pattern   *regexp.Regexp
	kind      string
	commented bool // the pattern may be one of comments in front, too
}{
	{regexp.MustCompile(`\x00`), "binary data", false},
	{regexp.MustCompile(`\A[{[][\s\S]*"(nb_res|subtime)"\s*:`), "a workload of the simulator Batsim, " + notRead, false},
	{regexp.MustCompile(`\A[{[][\s\S]*"job_state"\s*:`), "squeue --json or scontrol --json, which list jobs that have not ended; sacct --json " +
		"lists those that have", false},
	{regexp.MustCompile(`\A[{[][\s\S]*"collection_id"\s*:`), "a table of Google's cluster traces, " + notRead, false},
	{regexp.MustCompile(`\A[{[]`), "JSON without jobs", false},
	{regexp.MustCompile(`(?i)\A<(!doctype html|html)`), "a page for browsers, such as study writes", false},
	{regexp.MustCompile(`\A<[?A-Za-z]`), "XML; sacct --parsable2 writes a table that is read", false},
	{regexp.MustCompile(`\A# Version: ?\d[^\n]*\n#[\s\S]*DO NOT MODIFY|(?m)^[^:#\n]+(:[^:\n]*){35,}$`), "an accounting file of SGE (Grid Engine), " + notRead, true},
	{regexp.MustCompile(`\A"JOB_[A-Z_]+" `), "an accounting file of LSF, " + notRead, false},
	{regexp.MustCompile(`(?m)^[^\n]*COBALT_JOBID`), "a table of jobs of Cobalt, " + notRead, false},
	{regexp.MustCompile(`(?im)\A#[\s\S]*(grid workloads? (format|archive)|^#\s*JobID\s+SubmitTime\s+WaitTime)`), "a log in the Grid Workloads Format, " +
		notRead, true},
	{regexp.MustCompile(`\A(\d+,\d?,\d{5,},|[^\n]*(collection_id|missing_info|missing_type))`), "a table of Google's cluster traces, " + notRead, false},
	{regexp.MustCompile(`\A([^\n]*(plan_cpu|plan_gpu|inst_num)|[^,\n]+,\d+(\.0)?,j_\d+,|[^,\n]+,[^,\n]+,\d+(\.0)?,(Terminated|Failed|Running|Waiting),)`),
		"a table of Alibaba's cluster traces, " + notRead, false},
	{regexp.MustCompile(`\A(-?[0-9]|-$|-[^-]|--$|--[^-]|$)`), "", false},
	{regexp.MustCompile(`\A---|(?m)^[A-Za-z_][\w.-]*:(\s|$)`), "YAML, such as a model file", false},
	{regexp.MustCompile(`\A[^\n]*[,;|\t]`), "a table whose columns are not those of a job log: ", false},
	{regexp.MustCompile(`\A\pL`), "plain text", false},
}

// Kind returns what a file is by its beginning, for a command that wants something else: a job log in one of the formats, a page for
// browsers, a table and so on. Kind returns "" for what may be a log in Standard Workload Format without comments.
func Kind(text []byte) string {
	b := beginningOf(text)
	if f := formats.recognise(b); f != nil {
		return "a job log (" + string(f.name) + ")"
	}
	return lookalike(b)
}

// notRead says of a format of job logs that it is known but cannot be read.
const notRead = "a format that is not read; convert it to the Standard Workload Format"

// lookalike returns what a file of no format that is read looks like, by its beginning. It returns "" if the file may be a log in
// Standard Workload Format.
func lookalike(b *beginning) string {
	if inFront := len(b.text) - len(b.rest); inFront > 0 && beginsJSON(b.rest) {
		return fmt.Sprintf("JSON that begins in line %d, behind messages; delete the lines before it",
			1+bytes.Count(b.text[:inFront], []byte("\n")))
	}
	for _, l := range lookalikes {
		isMatch := l.pattern.Match(b.rest) && len(b.rest) > 0 || l.commented && l.pattern.Match(b.text)
		switch {
		case isMatch && strings.HasSuffix(l.kind, ": "):
			return l.kind + logtext.Shortened(string(b.line))
		case isMatch:
			return l.kind
		}
	}
	if len(b.text) > 0 && len(b.rest) == 0 {
		line, _, _ := strings.Cut(string(b.text), "\n")
		return "messages or comments without a table: " + logtext.Shortened(strings.TrimRight(line, "\r"))
	}
	return ""
}
