package joblog_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/partwise/partwise/models/workload/joblog"
)

// dialect is a way in which logs of a format are written, with its own writer of jobs.
type dialect struct {
	name       string
	format     joblog.Format
	write      func(jobs []drawn) string
	list       string                   // the key of the array of jobs of JSON, "[" of an array alone; "" of lines
	untold     string                   // what the dialect does not tell: any of waits, limits, states
	unordered  bool                     // jobs have numbers: rows may repeat, and come in any order
	neverRan   func(d drawn) string     // a row or an object of a job that was cancelled in the queue; nil: the dialect has none
	unfinished func(d drawn) string     // of a job that still runs
	damaged    func(row string) string  // a row or an object that gives no job
	header     func(text string) string // the same text with its columns in another order, and others between
}

// writeElastiSim writes jobs of ElastiSim, whose times may count from any zero.
func writeElastiSim(jobs []drawn) string {
	var all []any
	for i := range jobs {
		d := &jobs[i]
		job := map[string]any{"id": d.id, "submit_time": d.submit, "num_nodes": d.nodes, "application_model": "a",
			"arguments": map[string]any{"run_time": d.run()}}
		if d.limit > 0 {
			job["walltime"] = d.limit
		}
		all = append(all, job)
	}
	return asText(map[string]any{"jobs": all})
}

// writeKubernetesJobs writes jobs as kubectl get jobs -o json does.
func writeKubernetesJobs(jobs []drawn) string {
	var items []any
	for i := range jobs {
		d := &jobs[i]
		kind := map[string]string{"COMPLETED": "Complete"}[d.state]
		if kind == "" {
			kind = "Failed"
		}
		spec := map[string]any{"parallelism": d.nodes, "template": map[string]any{"spec": map[string]any{"containers": []any{map[string]any{"name": "a"}}}}}
		if d.limit > 0 {
			spec["activeDeadlineSeconds"] = d.limit
		}
		items = append(items, map[string]any{"apiVersion": "batch/v1", "kind": "Job", "spec": spec,
			"metadata": map[string]any{"name": fmt.Sprint("job-", d.id), "namespace": d.user, "uid": fmt.Sprint("uid-", d.id),
				"creationTimestamp": rfc3339(d.submit)}, "status": map[string]any{"startTime": rfc3339(d.start),
				"conditions": []any{map[string]any{"type": kind, "status": "True",
					"reason": "Because", "lastTransitionTime": rfc3339(d.end)}}}})
	}
	return asText(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
}

// writeSacctCSV writes a table of sacct with commas, as spreadsheets do: names that hold commas stand in quotation marks.
func writeSacctCSV(jobs []drawn) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(writeSacct(jobs), ",", " "), "|a job|", "|\"a, job\"|"), "|", ",")
}

// row returns what a writer writes of one job: a line, or an object.
func (c *dialect) row(d drawn) string {
	_, rows, _ := c.parts(c.write([]drawn{d}))
	return rows[0]
}

// parts divides a text into rows: lines or objects of jobs. Joined by the separator, between head and tail, they are the text again.
func (c *dialect) parts(text string) (head string, rows []string, tail string) {
	if c.list == "" {
		lines := strings.SplitAfter(text, "\n")
		lines = lines[:len(lines)-1]
		k := 0
		for k < len(lines) && (lines[k][0] == ';' || strings.HasPrefix(strings.ToLower(lines[k]), "job")) {
			k++
		}
		return strings.Join(lines[:k], ""), lines[k:], ""
	}
	var all []json.RawMessage
	head, tail = "[", "]\n"
	array := []byte(text)
	if c.list != "[" {
		var object map[string]json.RawMessage
		must(json.Unmarshal([]byte(text), &object))
		array = object[c.list]
		head, tail = fmt.Sprintf("{\"apiVersion\": \"v1\", %q: [", c.list), "]}\n"
	}
	must(json.Unmarshal(array, &all))
	for _, raw := range all {
		rows = append(rows, string(raw))
	}
	return head, rows, tail
}

// join makes a text of rows.
func (c *dialect) join(head string, rows []string, tail string) string {
	if c.list == "" {
		return head + strings.Join(rows, "") + tail
	}
	return head + strings.Join(rows, ",\n") + tail
}

// must ends the test on an error of the test itself.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// half returns the first half of a line.
func half(row string) string { return row[:len(row)/2] + "\n" }

// without returns an object without a key, which may be a path of two.
func without(path ...string) func(row string) string {
	return func(row string) string {
		var object map[string]any
		must(json.Unmarshal([]byte(row), &object))
		in := object
		for _, key := range path[:len(path)-1] {
			in = in[key].(map[string]any)
		}
		delete(in, path[len(path)-1])
		return asText(object)
	}
}

// turned returns a table with its columns in the opposite order, and one more that says nothing.
func turned(separator string) func(text string) string {
	return func(text string) string {
		var out strings.Builder
		for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
			fields := strings.Split(line, separator)
			slices.Reverse(fields)
			more := "17"
			if i == 0 {
				more = "ConsumedEnergyRaw"
			}
			out.WriteString(strings.Join(append([]string{more}, fields...), separator) + "\n")
		}
		return out.String()
	}
}

// dialects are all that are tried.
var dialects = []dialect{
	{name: "swf", format: joblog.SWF, write: writeSWF},
	{name: "sacct", format: sacct, write: writeSacct, unordered: true, damaged: half, header: turned("|"),
		neverRan: func(d drawn) string {
			return fmt.Sprintf("%d|a job|u|q|%s|None|%[2]s|UNLIMITED|0||CANCELLED by 1000\n", d.id, stamp(d.submit))
		}, unfinished: func(d drawn) string {
			return fmt.Sprintf("%d|a job|u|q|%s|%s|Unknown|UNLIMITED|3||RUNNING\n", d.id, stamp(d.submit), stamp(d.start))
		}},
	{name: "sacct CSV", format: sacct, write: writeSacctCSV, unordered: true, damaged: half},
	{name: "sacct JSON", format: sacctJSON, write: writeSacctJSON, list: "jobs", unordered: true, damaged: without("time", "submission"),
		neverRan: func(d drawn) string {
			return fmt.Sprintf(`{"job_id": %d, "user": "u", "state": {"current": ["CANCELLED"]}, "allocation_nodes": 0, "time": {"submission": %d, "start": %[2]d,
"end": %[2]d, "elapsed": 0}}`, d.id, d.submit)
		}, unfinished: func(d drawn) string {
			return fmt.Sprintf(`{"job_id": %d, "user": "u", "state": {"current": ["RUNNING"]}, "allocation_nodes": 2, "time": {"submission": %d, "start": %d,
"end": 0, "elapsed": 60}}`, d.id, d.submit, d.start)
		}},
	{name: "pbs", format: pbs, write: writePBS, unordered: true, damaged: half},
	{name: "helios", format: helios, write: writeHelios, untold: "limits", unordered: true, damaged: half, header: turned(","),
		neverRan: func(d drawn) string {
			return fmt.Sprintf("%d,u,q,1,8,1,CANCELLED,%s,None,%[2]s,0\n", d.id, strings.Replace(stamp(d.submit), "T", " ", 1))
		}, unfinished: func(d drawn) string {
			return fmt.Sprintf("%d,u,q,1,8,1,RUNNING,%s,%[2]s,None,\n", d.id, strings.Replace(stamp(d.submit), "T", " ", 1))
		}},
	{name: "philly", format: philly, write: writePhilly, list: "[", untold: "limits", damaged: without("submitted_time"),
		neverRan: func(d drawn) string {
			return fmt.Sprintf(`{"status": "Killed", "vc": "q", "user": "u", "submitted_time": %q, "attempts": []}`,
				strings.Replace(stamp(d.submit), "T", " ", 1))
		}},
	{name: "workloads", format: kubernetes, write: writeWorkloads, list: "items", unordered: true, damaged: without("metadata", "creationTimestamp"),
		neverRan: func(d drawn) string {
			return fmt.Sprintf(`{"kind": "Workload", "metadata": {"uid": "%d", "creationTimestamp": %q}, "spec": {"active": false, "podSets": [{"count": 1}]},
"status": {"conditions": []}}`, d.id, rfc3339(d.submit))
		}, unfinished: func(d drawn) string {
			return fmt.Sprintf(`{"kind": "Workload", "metadata": {"uid": "%d", "creationTimestamp": %q}, "spec": {"podSets": [{"count": 1}]},
"status": {"conditions": [{"type": "Admitted", "status": "True", "lastTransitionTime": %q}]}}`, d.id, rfc3339(d.submit), rfc3339(d.start))
		}},
	{name: "kubernetes jobs", format: kubernetes, write: writeKubernetesJobs, list: "items", untold: "states", unordered: true,
		damaged: without("metadata", "creationTimestamp"), unfinished: func(d drawn) string {
			return fmt.Sprintf(`{"kind": "Job", "metadata": {"uid": "%d", "creationTimestamp": %q}, "spec": {"template": {"spec": {"containers": []}}},
"status": {"startTime": %q}}`, d.id, rfc3339(d.submit), rfc3339(d.start))
		}},
	{name: "elastisim", format: elastiSim, write: writeElastiSim, list: "jobs", untold: "waits states", damaged: without("num_nodes")},
}

// counted are the totals of a fixture, counted from the jobs that were written, and of a log that was read.
type counted struct {
	Jobs, Completed, Failed, Cancelled, Unfinished, NeverStarted, Apart, LostLines, Twice int
	NodeSeconds, Waits, Limits                                                            float64
}

// count counts the jobs that a dialect writes.
func (c *dialect) count(jobs []drawn) (n counted) {
	for i := range jobs {
		d := &jobs[i]
		n.Jobs++
		n.NodeSeconds += float64(d.run()) * float64(d.nodes)
		if !strings.Contains(c.untold, "waits") {
			n.Waits += float64(d.start - d.submit)
		}
		if !strings.Contains(c.untold, "limits") {
			n.Limits += float64(d.limit)
		}
		switch {
		case strings.Contains(c.untold, "states"):
		case d.state == "COMPLETED":
			n.Completed++
		case d.state == "FAILED":
			n.Failed++
		default:
			n.Cancelled++
		}
	}
	return n
}

// countRead counts what was read of a log of a dialect.
func (c *dialect) countRead(l *joblog.Log) (n counted) {
	n = counted{Jobs: len(l.Jobs), Unfinished: len(l.Unfinished), NeverStarted: l.NeverStarted.Len(), Apart: len(l.Apart),
		LostLines: l.Lost.Lines - len(l.Apart), Twice: found(l, listedTwice)}
	for i := range l.Jobs {
		j := &l.Jobs[i]
		n.NodeSeconds += j.NodeTime()
		n.Waits += max(j.Wait, 0)
		n.Limits += max(j.Estimate, 0)
		switch {
		case strings.Contains(c.untold, "states"):
		case j.Status == joblog.Completed:
			n.Completed++
		case j.Status == joblog.Failed:
			n.Failed++
		case j.Status == joblog.Cancelled:
			n.Cancelled++
		}
	}
	return n
}

// drawJobs draws jobs that come over some weeks from 1 March 2024 on.
func drawJobs(draw *rand.Rand, n int) []drawn {
	var jobs []drawn
	submit := int64(1709280000)
	for i := range n {
		submit += draw.Int64N(40_000)
		d := drawn{id: 1000 + i, user: fmt.Sprint("user", draw.IntN(4)), queue: fmt.Sprint("q", draw.IntN(3)), submit: submit,
			start: submit + draw.Int64N(3)*draw.Int64N(5000), nodes: 1 + draw.IntN(12), gpus: draw.IntN(3), state: "COMPLETED"}
		d.end = d.start + 1 + draw.Int64N(50_000)
		d.limit = (d.run()/60 + 1 + draw.Int64N(300)) * 60
		if i%7 == 0 {
			d.state = []string{"FAILED", "CANCELLED"}[draw.IntN(2)]
		}
		jobs = append(jobs, d)
	}
	return jobs
}

// fixture is a made-up log with its totals.
type fixture struct {
	*dialect
	oddity  string
	text    string
	options joblog.Options
	want    counted
	jobs    []drawn // in text, each in one row, if nothing else is there; nil otherwise
}

// fixtures draws a log of each dialect with each oddity that the dialect can have.
func fixtures(draw *rand.Rand) (all []fixture) {
	for i := range dialects {
		c := &dialects[i]
		add := func(oddity string, jobs []drawn, change func(f *fixture)) {
			f := fixture{dialect: c, oddity: oddity, text: c.write(jobs), want: c.count(jobs)}
			if change != nil {
				change(&f)
			}
			all = append(all, f)
		}
		// addRow adds one more row to jobs that are drawn.
		addRow := func(oddity, row string, jobs []drawn, count func(n *counted)) {
			add(oddity, jobs, func(f *fixture) {
				head, rows, tail := c.parts(f.text)
				f.text = c.join(head, append(rows, row), tail)
				count(&f.want)
			})
		}
		jobs := drawJobs(draw, 40)
		add("plain", jobs, func(f *fixture) { f.jobs = jobs })
		add("line ends of Windows and a byte order mark", drawJobs(draw, 40), func(f *fixture) {
			f.text = "\xef\xbb\xbf" + strings.ReplaceAll(f.text, "\n", "\r\n")
		})
		add("without the last line end", drawJobs(draw, 40), func(f *fixture) { f.text = strings.TrimSuffix(f.text, "\n") })
		add("blank lines", drawJobs(draw, 40), func(f *fixture) { f.text = strings.ReplaceAll(f.text, "\n", "\n\n") })
		shuffled := drawJobs(draw, 40)
		add("jobs in any order", shuffled, func(f *fixture) {
			head, rows, tail := c.parts(f.text)
			draw.Shuffle(len(rows), func(i, k int) { rows[i], rows[k] = rows[k], rows[i] })
			f.text = c.join(head, rows, tail)
		})
		short := drawJobs(draw, 40)
		short[3].end, short[17].end = short[3].start, short[17].start
		add("runs of no length", short, nil)
		unlimited := drawJobs(draw, 40)
		for k := range unlimited {
			unlimited[k].limit = 0
		}
		add("no limits", unlimited, nil)
		large := drawJobs(draw, 40)
		large[5].nodes, large[5].gpus = 9000, 0
		add("a job of 9000 nodes", large, nil)
		far := drawJobs(draw, 40)
		spoilt := far[20]
		spoilt.submit, spoilt.start, spoilt.end = spoilt.submit+3e8, spoilt.start+3e8, spoilt.end+3e8
		addRow("a date ten years later", c.row(spoilt), append(slices.Clone(far[:20]), far[21:]...), func(n *counted) { n.Apart++ })
		if c.format == joblog.SWF { // whose times count from the first job of its text
			all = all[:len(all)-1]
		}
		if c.unordered {
			add("each job listed twice", drawJobs(draw, 40), func(f *fixture) {
				head, rows, tail := c.parts(f.text)
				f.text = c.join(head, append(rows, rows...), tail)
				f.want.Twice = f.want.Jobs
			})
		}
		next := drawJobs(draw, 41)
		if c.neverRan != nil {
			addRow("a job that never started", c.neverRan(next[40]), next[:40], func(n *counted) { n.NeverStarted++ })
		}
		if c.unfinished != nil {
			addRow("a job that still runs", c.unfinished(next[40]), next[:40], func(n *counted) { n.Unfinished++ })
		}
		if c.damaged != nil {
			addRow("a damaged row", c.damaged(c.row(next[40])), next[:40], func(n *counted) { n.LostLines++ })
		}
		if c.header != nil {
			add("columns in another order", drawJobs(draw, 40), func(f *fixture) { f.text = c.header(f.text) })
		}
		if c.list == "" && c.format != joblog.SWF {
			add("messages and comments", drawJobs(draw, 40), func(f *fixture) {
				lines := strings.SplitAfter(f.text, "\n")
				f.text = "# from the archive\nsacct: error: slurmdbd: connection lost\n" + strings.Join(lines[:9], "") + "# a comment\n" +
					strings.Join(lines[9:], "")
			})
		}
	}
	return all
}

// TestFixtures: made-up logs in all formats, with what logs of others have had, have the totals of the jobs that were written.
func TestFixtures(t *testing.T) {
	all := fixtures(rand.New(rand.NewPCG(54, 60)))
	if len(all) < 60 {
		t.Errorf("%d fixtures", len(all))
	}
	for _, f := range all {
		t.Run(f.name+": "+f.oddity, func(t *testing.T) {
			l, err := joblog.Read(strings.NewReader(f.text), "f", f.options)
			if err != nil {
				t.Fatal(err)
			}
			if l.Format != f.format {
				t.Errorf("recognised as %q", l.Format)
			}
			if diff := cmp.Diff(f.want, f.countRead(&l)); diff != "" {
				t.Errorf("%s%v", diff, l.Findings)
			}
			again, err := joblog.Read(bytes.NewReader([]byte(zipped(t, f.text))), "f", f.options)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(f.countRead(&l), f.countRead(&again)); diff != "" {
				t.Errorf("compressed: %s", diff)
			}
		})
	}
}

// TestSeveralTextsOfJSON: texts of JSON one after the other, as of several files, are read to the last. What follows an array
// must be JSON.
func TestSeveralTextsOfJSON(t *testing.T) {
	draw := rand.New(rand.NewPCG(54, 61))
	for i := range dialects {
		c := &dialects[i]
		if c.list == "" {
			continue
		}
		jobs := drawJobs(draw, 40)
		head, rows, tail := c.parts(c.write(jobs))
		two := c.join(head, rows[:13], tail) + c.join(head, rows[13:], tail)
		l := readText(t, two, joblog.Options{Format: c.format})
		if diff := cmp.Diff(c.count(jobs), c.countRead(&l)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		whole := strings.TrimSpace(c.join(head, rows, tail))
		for what, text := range map[string]string{"a bracket too many": whole + "]", "a bracket too few": whole[:len(whole)-1],
			"an array that ends early": c.join(head, rows[:13], "]") + ", 1]"} {
			if _, err := joblog.Read(strings.NewReader(text), "f", joblog.Options{Format: c.format}); err == nil {
				t.Errorf("%s: %s is read", c.name, what)
			}
		}
	}
}
