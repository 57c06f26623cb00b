package joblog_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/testdata/needs"
)

// plainJob is a job as the test's own reader of a dialect reads it; wait is −1 where the dialect does not tell it. The readers
// share no code with those of the package, and refuse whatever is not written exactly as the writers of the dialects write it.
type plainJob struct{ submit, wait, run, nodes int64 }

// verdict is what the test's own reader makes of a row.
type verdict int

const (
	isJob    verdict = iota
	isNoJob          // a step, a comment or a blank line
	isUnsure         // written in another way: the job may be read, or must be counted
)

var plainNumber = regexp.MustCompile(`^\d{1,9}$`)

// numberIn reads a number of at most nine digits.
func numberIn(text string, ok *bool) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	*ok = *ok && err == nil && plainNumber.MatchString(text)
	return n
}

// secondsIn reads a number of at most ten digits.
func secondsIn(text string, ok *bool) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	*ok = *ok && err == nil && len(text) == 10 && text[0] == '1'
	return n
}

// timeIn reads a time in a layout of package time.
func timeIn(layout, text string, ok *bool) int64 {
	at, err := time.Parse(layout, text)
	*ok = *ok && err == nil && len(text) == len(at.UTC().Format(layout))
	return at.Unix()
}

// spanned returns a job from its times.
func spanned(submit, start, end, nodes int64, ok bool) (plainJob, verdict) {
	if !ok || start < submit || end < start || nodes < 1 {
		return plainJob{}, isUnsure
	}
	return plainJob{submit, start - submit, end - start, nodes}, isJob
}

// plainSWF reads a line of the Standard Workload Format.
func plainSWF(line string) (plainJob, verdict) {
	f := strings.Fields(line)
	if len(f) == 0 || f[0][0] == ';' {
		return plainJob{}, isNoJob
	}
	if len(f) != 18 {
		return plainJob{}, isUnsure
	}
	ok := true
	submit, wait, run, nodes := numberIn(f[1], &ok), numberIn(f[2], &ok), numberIn(f[3], &ok), numberIn(f[4], &ok)
	return spanned(submit, submit+wait, submit+wait+run, nodes, ok)
}

// plainTable reads rows of a table whose columns have the given places.
func plainTable(separator, layout string, columns, id, submit, start, end, nodes, state int, states string) func(line string) (plainJob, verdict) {
	step := regexp.MustCompile(`^\d{4}\..+$`)
	return func(line string) (plainJob, verdict) {
		f := strings.Split(strings.TrimRight(line, "\r"), separator)
		switch {
		case step.MatchString(f[min(id, len(f)-1)]):
			return plainJob{}, isNoJob
		case len(f) != columns:
			return plainJob{}, isUnsure
		}
		ok := strings.Contains(states, "|"+f[state]+"|") && regexp.MustCompile(`^\d{4}$`).MatchString(f[id])
		return spanned(timeIn(layout, f[submit], &ok), timeIn(layout, f[start], &ok), timeIn(layout, f[end], &ok), numberIn(f[nodes], &ok), ok)
	}
}

// plainRecord reads a record of PBS. Hosts are counted by their names.
var plainRecord = regexp.MustCompile(`^\d\d/\d\d/\d{4} \d\d:\d\d:\d\d;E;\d{4}\.srv;user=\S+ queue=\S+ ctime=(\d{10}) qtime=\d{10} etime=(\d{10}) start=(\d{10}) ` +
	`exec_host=(n\d+/0\*8(?:\+n\d+/0\*8)*) Resource_List.ngpus=\d+ (?:Resource_List.walltime=\d+ )?end=(\d{10}) Exit_status=\d+\r?$`)

// otherRecord is a record of another type than the end or the rerun of a job.
var otherRecord = regexp.MustCompile(`^.{19};[A-DF-QS-Za-z];`)

func plainPBS(line string) (plainJob, verdict) {
	if otherRecord.MatchString(line) {
		return plainJob{}, isNoJob
	}
	f := plainRecord.FindStringSubmatch(line)
	if f == nil {
		return plainJob{}, isUnsure
	}
	hosts := map[string]bool{}
	for _, host := range strings.Split(f[4], "+") {
		hosts[host] = true
	}
	ok := true
	return spanned(secondsIn(f[1], &ok), secondsIn(f[3], &ok), secondsIn(f[5], &ok), int64(len(hosts)), ok)
}

// path returns what stands at a path of JSON, as text.
func path(value any, keys ...any) string {
	for _, key := range keys {
		switch k := key.(type) {
		case string:
			object, _ := value.(map[string]any)
			value = object[k]
		case int:
			list, _ := value.([]any)
			if k >= len(list) {
				return ""
			}
			value = list[k]
		}
	}
	switch v := value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

// plainLines and plainObjects read rows of the dialects.
var plainLines = map[string]func(line string) (plainJob, verdict){
	"swf": plainSWF, "pbs": plainPBS,
	"sacct":     plainTable("|", "2006-01-02T15:04:05", 11, 0, 4, 5, 6, 8, 10, "|COMPLETED|FAILED|CANCELLED|"),
	"sacct CSV": plainTable(",", "2006-01-02T15:04:05", 12, 0, 5, 6, 7, 9, 11, "|COMPLETED|FAILED|CANCELLED|"),
	"helios":    plainTable(",", "2006-01-02 15:04:05", 11, 0, 7, 8, 9, 5, 6, "|COMPLETED|FAILED|CANCELLED|"),
}

var plainObjects = map[string]func(o any) (plainJob, verdict){
	"sacct JSON": func(o any) (plainJob, verdict) {
		ok := strings.Contains("|COMPLETED|FAILED|CANCELLED|", "|"+path(o, "state", "current", 0)+"|") && path(o, "job_id") != ""
		return spanned(secondsIn(path(o, "time", "submission"), &ok), secondsIn(path(o, "time", "start"), &ok), secondsIn(path(o, "time", "end"), &ok),
			numberIn(path(o, "allocation_nodes"), &ok), ok)
	},
	"philly": func(o any) (plainJob, verdict) {
		const layout = "2006-01-02 15:04:05"
		object, _ := o.(map[string]any)
		attempts, _ := object["attempts"].([]any)
		ok := len(attempts) == 1 && strings.Contains("|Pass|Killed|Failed|", "|"+path(o, "status")+"|")
		servers := map[string]bool{}
		if ok {
			attempt, _ := attempts[0].(map[string]any)
			detail, _ := attempt["detail"].([]any)
			for _, d := range detail {
				servers[path(d, "ip")] = true
			}
		}
		return spanned(timeIn(layout, path(o, "submitted_time"), &ok), timeIn(layout, path(o, "attempts", 0, "start_time"), &ok),
			timeIn(layout, path(o, "attempts", 0, "end_time"), &ok), int64(len(servers)), ok)
	},
	"workloads": func(o any) (plainJob, verdict) {
		ok := path(o, "kind") == "Workload" && path(o, "status", "conditions", 1, "type") == "Admitted" &&
			path(o, "status", "conditions", 1, "status") == "True" && path(o, "status", "conditions", 2, "type") == "Finished" &&
			path(o, "status", "conditions", 2, "status") == "True"
		return spanned(timeIn(time.RFC3339, path(o, "metadata", "creationTimestamp"), &ok),
			timeIn(time.RFC3339, path(o, "status", "conditions", 1, "lastTransitionTime"), &ok),
			timeIn(time.RFC3339, path(o, "status", "conditions", 2, "lastTransitionTime"), &ok),
			numberIn(path(o, "status", "admission", "podSetAssignments", 0, "count"), &ok), ok)
	},
	"kubernetes jobs": func(o any) (plainJob, verdict) {
		kind := path(o, "status", "conditions", 0, "type")
		ok := path(o, "kind") == "Job" && (kind == "Complete" || kind == "Failed") && path(o, "status", "conditions", 0, "status") == "True"
		return spanned(timeIn(time.RFC3339, path(o, "metadata", "creationTimestamp"), &ok), timeIn(time.RFC3339, path(o, "status", "startTime"), &ok),
			timeIn(time.RFC3339, path(o, "status", "conditions", 0, "lastTransitionTime"), &ok), numberIn(path(o, "spec", "parallelism"), &ok), ok)
	},
	"elastisim": func(o any) (plainJob, verdict) {
		ok := true
		submit := secondsIn(path(o, "submit_time"), &ok)
		run, nodes := numberIn(path(o, "arguments", "run_time"), &ok), numberIn(path(o, "num_nodes"), &ok)
		j, v := spanned(submit, submit, submit+run, nodes, ok)
		j.wait = -1
		return j, v
	},
}

// readPlainly reads a text with the test's own reader. ok is false if the text is not JSON.
func (c *fixture) readPlainly(text string) (jobs []plainJob, unsure int, ok bool) {
	add := func(j plainJob, v verdict) {
		switch v {
		case isJob:
			jobs = append(jobs, j)
		case isUnsure:
			unsure++
		}
	}
	if c.list == "" {
		head, _, _ := c.parts(c.text)
		for i, line := range strings.Split(text, "\n") {
			isHead := i < strings.Count(head, "\n") && c.format != joblog.SWF // whose comments are told by their first sign
			if strings.TrimSpace(line) != "" && !isHead {
				add(plainLines[c.name](line))
			}
		}
		return jobs, unsure, true
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var whole any
	if err := d.Decode(&whole); err != nil || strings.TrimSpace(text[d.InputOffset():]) != "" {
		return nil, 0, false
	}
	list, isList := whole.([]any)
	if object, isObject := whole.(map[string]any); isObject && c.list != "[" {
		list, isList = object[c.list].([]any)
	}
	if !isList {
		return nil, 0, false
	}
	for _, o := range list {
		add(plainObjects[c.name](o))
	}
	return jobs, unsure, true
}

// mutants are ways to damage a text.
var mutants = []struct {
	name   string
	damage func(draw *rand.Rand, f *fixture) string
}{
	{"a row is missing", onRows(func(draw *rand.Rand, rows []string, i int) []string { return slices.Delete(rows, i, i+1) })},
	{"a row comes twice", onRows(func(draw *rand.Rand, rows []string, i int) []string { return slices.Insert(rows, i, rows[i]) })},
	{"two rows are exchanged", onRows(func(draw *rand.Rand, rows []string, i int) []string {
		k := draw.IntN(len(rows))
		rows[i], rows[k] = rows[k], rows[i]
		return rows
	})},
	{"a digit is another", onBytes(func(draw *rand.Rand, row string, digits []int) string {
		at := digits[draw.IntN(len(digits))]
		return row[:at] + strconv.Itoa(draw.IntN(10)) + row[at+1:]
	})},
	{"a digit is missing", onBytes(func(draw *rand.Rand, row string, digits []int) string {
		at := digits[draw.IntN(len(digits))]
		return row[:at] + row[at+1:]
	})},
	{"a digit is a letter", onBytes(func(draw *rand.Rand, row string, digits []int) string {
		at := digits[draw.IntN(len(digits))]
		return row[:at] + string(rune('A'+draw.IntN(50))) + row[at+1:]
	})},
	{"a sign is another", onBytes(func(draw *rand.Rand, row string, _ []int) string {
		at := draw.IntN(len(row) - 1)
		const signs = "|,;:-+.TZ \t\"'{}[]/=*#nullUnknown"
		return row[:at] + string(signs[draw.IntN(len(signs))]) + row[at+1:]
	})},
	{"a part is missing", onBytes(func(draw *rand.Rand, row string, _ []int) string {
		from := draw.IntN(len(row) - 1)
		return row[:from] + row[min(len(row)-1, from+1+draw.IntN(20)):]
	})},
	{"a number is negative", onBytes(func(draw *rand.Rand, row string, digits []int) string {
		at := digits[draw.IntN(len(digits))]
		return row[:at] + "-" + row[at:]
	})},
	{"the text ends early", func(draw *rand.Rand, f *fixture) string { return f.text[:len(f.text)/3+draw.IntN(2*len(f.text)/3)] }},
	{"a row is cut", onBytes(func(draw *rand.Rand, row string, _ []int) string {
		return row[:draw.IntN(len(row)-1)] + row[len(row)-1:]
	})},
	{"the head is damaged", func(draw *rand.Rand, f *fixture) string {
		head, rows, tail := f.parts(f.text)
		at := draw.IntN(max(1, len(head)-1))
		if len(head) > 1 {
			head = head[:at] + "x" + head[at+1:]
		}
		return f.join(head, rows, tail)
	}},
}

// onRows damages the order of rows.
func onRows(damage func(draw *rand.Rand, rows []string, i int) []string) func(*rand.Rand, *fixture) string {
	return func(draw *rand.Rand, f *fixture) string {
		head, rows, tail := f.parts(f.text)
		return f.join(head, damage(draw, rows, draw.IntN(len(rows))), tail)
	}
}

// onBytes damages a row; the damage is told where its digits stand.
func onBytes(damage func(draw *rand.Rand, row string, digits []int) string) func(*rand.Rand, *fixture) string {
	return func(draw *rand.Rand, f *fixture) string {
		head, rows, tail := f.parts(f.text)
		i := draw.IntN(len(rows))
		var digits []int
		for at, c := range []byte(rows[i]) {
			if c >= '0' && c <= '9' {
				digits = append(digits, at)
			}
		}
		rows[i] = damage(draw, rows[i], digits)
		return f.join(head, rows, tail)
	}
}

// TestMutants: of a damaged log, all jobs whose rows are whole are read as they were written, and the other rows are read,
// counted or an error. No job is lost in silence.
func TestMutants(t *testing.T) {
	draw := rand.New(rand.NewPCG(54, 10_000))
	n := 1500
	if needs.IsStudy() {
		n = 10_000
	}
	plain := slices.DeleteFunc(fixtures(draw), func(f fixture) bool { return f.jobs == nil })
	wrong := 0
	for k := range n {
		f, m := &plain[k%len(plain)], &mutants[k/len(plain)%len(mutants)]
		text := m.damage(draw, f)
		if problem := f.judge(text); problem != "" {
			if wrong++; wrong <= 20 {
				t.Errorf("%s, %s: %s%s", f.name, m.name, problem, f.changed(text))
			}
		}
	}
	t.Logf("%d of %d mutants are read wrongly", wrong, n)
}

// changed returns the first line in which a damaged text differs from the text of the fixture.
func (c *fixture) changed(text string) string {
	was, is := strings.Split(c.text, "\n"), strings.Split(text, "\n")
	for i := range min(len(was), len(is)) {
		if was[i] != is[i] {
			return fmt.Sprintf("\nwas %s\nis  %s", was[i], is[i])
		}
	}
	return ""
}

// judge returns what is wrong with how a damaged text of the dialect is read.
func (c *fixture) judge(text string) string {
	l, err := joblog.Read(strings.NewReader(text), "f", joblog.Options{Format: c.format})
	if err != nil {
		return ""
	}
	want, unsure, ok := c.readPlainly(text)
	if !ok {
		return "what is no JSON is read"
	}
	left := map[plainJob]int{}
	for i := range l.Jobs {
		j := &l.Jobs[i]
		submit := int64(j.Submit)
		if c.format != joblog.SWF {
			submit += l.Header.UnixStartTime
		}
		left[plainJob{submit, int64(j.Wait), int64(j.Run), int64(j.Nodes())}]++
	}
	missing := 0
	for _, j := range want {
		if left[j] > 0 {
			left[j]--
		} else {
			missing++
		}
	}
	others := 0
	for _, n := range left {
		others += n
	}
	// Rows that are counted: lost, set apart, listed again, or about jobs that did not end or did not start. Attempts of one job may
	// move each other's submissions, which is counted, too.
	counted := l.Lost.Lines + len(l.Unfinished) + l.NeverStarted.Len() + found(&l, listedTwice) + found(&l, messages) + found(&l,
		requeued) + found(&l, otherKinds) +
		found(&l, noRunTime)
	switch {
	case others > unsure+found(&l, requeued):
		return fmt.Sprintf("%d jobs are in no row: %v", others, l.Findings)
	case missing > counted:
		return fmt.Sprintf("%d of %d jobs are missing, %d are counted: %v", missing, len(want), counted, l.Findings)
	case missing+unsure > counted+others:
		return fmt.Sprintf("%d rows are lost, %d are counted: %v", missing+unsure-others, counted, l.Findings)
	}
	return ""
}
