package joblog_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/partwise/partwise/models/workload/joblog"
)

func readText(t *testing.T, text string, o joblog.Options) joblog.Log {
	t.Helper()
	l, err := joblog.Read(strings.NewReader(text), "f", o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// held returns the node-hours of the jobs of a log.
func held(l *joblog.Log) float64 {
	sum := 0.0
	for i := range l.Jobs {
		sum += l.Jobs[i].NodeTime()
	}
	return sum / 3600
}

func found(l *joblog.Log, what string) int {
	for _, f := range l.Findings {
		if strings.Contains(f.What, what) {
			return f.Count
		}
	}
	return 0
}

// A job is told by its cluster or server, its number and its attempt.
func TestIdentity(t *testing.T) {
	for _, c := range []struct {
		name, text string
		jobs       int
		nodeHours  float64
		clusters   []string
		notes      map[string]int
	}{
		{name: "two clusters in one table", text: `Cluster|JobID|User|Submit|Start|End|Elapsed|AllocNodes|State
a|100|u|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T10:00:00|02:00:00|4|COMPLETED
b|100|v|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T11:00:00|03:00:00|8|COMPLETED
b|100.batch|v|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T11:00:00|03:00:00|8|COMPLETED
b|101|v|2024-03-01T09:00:00|2024-03-01T09:00:00|2024-03-01T10:00:00|01:00:00|2|COMPLETED
`, jobs: 3, nodeHours: 8 + 24 + 2, clusters: []string{"a", "b"}},
		{name: "two clusters in one JSON", text: `{"jobs": [
{"job_id": 7, "cluster": "a", "user": "u", "state": {"current": ["COMPLETED"]}, "allocation_nodes": 2,
 "time": {"submission": 1709280000, "start": 1709280000, "end": 1709287200, "elapsed": 7200}},
{"job_id": 7, "cluster": "b", "user": "u", "state": {"current": ["COMPLETED"]}, "allocation_nodes": 2,
 "time": {"submission": 1709280000, "start": 1709280000, "end": 1709287200, "elapsed": 7200}}]}`,
			jobs: 2, nodeHours: 8, clusters: []string{"a", "b"}},
		{name: "two servers of PBS", text: `03/01/2024 09:00:00;E;100.pbsA;user=u ctime=1709280000 start=1709280000 end=1709283600 exec_host=n1/0+n2/0 Exit_status=0
03/01/2024 09:00:00;E;100.pbsB;user=u ctime=1709280000 start=1709280000 end=1709283600 exec_host=n1/0+n2/0 Exit_status=0
03/01/2024 09:00:00;E;100.pbsB;user=u ctime=1709280000 start=1709280000 end=1709283600 exec_host=n1/0+n2/0 Exit_status=0
`, jobs: 2, nodeHours: 4, clusters: []string{"pbsA", "pbsB"}, notes: map[string]int{"rows that list an execution": 1}},
		{name: "clusters that no column names: other user, size or submission", text: `JobID|User|Submit|Start|End|Elapsed|AllocNodes|State
100|u|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T09:00:00|01:00:00|4|COMPLETED
100|v|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T09:00:00|01:00:00|4|COMPLETED
100|u|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T09:00:00|01:00:00|5|COMPLETED
100|u|2024-03-01T07:00:00|2024-03-01T08:00:00|2024-03-01T09:00:00|01:00:00|4|COMPLETED
100|u|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T09:00:00|01:00:00|4|COMPLETED
`, jobs: 4, nodeHours: 4 + 4 + 5 + 4, notes: map[string]int{"rows that list an execution": 1}},
		{name: "a number that comes back after a year", text: `JobID|User|Submit|Start|End|Elapsed|AllocNodes|State
5|u|2023-03-01T08:00:00|2023-03-01T08:00:00|2023-03-01T09:00:00|01:00:00|4|COMPLETED
5|v|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T09:00:00|01:00:00|2|COMPLETED
`, jobs: 2, nodeHours: 6, notes: map[string]int{"the log may mix clusters": 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := readText(t, c.text, joblog.Options{})
			if len(l.Jobs) != c.jobs || held(&l) != c.nodeHours {
				t.Errorf("%d jobs with %g node-hours, want %d with %g", len(l.Jobs), held(&l), c.jobs, c.nodeHours)
			}
			if diff := cmp.Diff(c.clusters, l.Names.Clusters); diff != "" {
				t.Error(diff)
			}
			for what, n := range c.notes {
				if found(&l, what) != n {
					t.Errorf("%d %s, want %d: %v", found(&l, what), what, n, l.Findings)
				}
			}
		})
	}
}

// The record of an array of PBS is not a job: its tasks are. A rerun is an attempt of its own, or counted.
func TestRecordsOfPBS(t *testing.T) {
	l := readText(t, `03/01/2024 08:00:00;E;4[1].srv;user=u ctime=1709280000 start=1709280000 end=1709283600 exec_host=n1/0 Exit_status=0
03/01/2024 08:00:00;E;4[2].srv;user=u ctime=1709280000 start=1709280000 end=1709283600 exec_host=n2/0 Exit_status=0
03/01/2024 08:00:00;E;4[].srv;user=u ctime=1709280000 start=1709280000 end=1709283601 Resource_List.nodect=1 Exit_status=0
03/01/2024 09:00:00;R;5.srv;user=u ctime=1709280000 start=1709280000 end=1709281800 exec_host=n3/0+n4/0 Exit_status=-11
03/01/2024 09:00:00;R;6.srv;user=u ctime=1709280000 exec_host=n5/0
03/01/2024 10:00:00;E;5.srv;user=u ctime=1709280000 start=1709283600 end=1709287200 exec_host=n3/0+n4/0 Exit_status=0
`, joblog.Options{})
	if got := held(&l); len(l.Jobs) != 4 || got != 1+1+1+2 {
		t.Errorf("%d jobs, %g node-hours", len(l.Jobs), got)
	}
	for what, n := range map[string]int{"records of whole arrays": 1, "restarts of requeued jobs": 1, "a rerun": 1} {
		if found(&l, what) != n {
			t.Errorf("%d %s, want %d", found(&l, what), what, n)
		}
	}
	if l.Lost.Lines != 1 || math.Abs(l.Lost.NodeSeconds-5*3600/4.0) > 1e-6 {
		t.Errorf("lost %+v", l.Lost)
	}
}

// The CPUs of a job are the most that a field tells.
func TestCPUsOfTorque(t *testing.T) {
	record := "03/01/2024 08:00:00;E;%d.srv;user=u ctime=1709280000 start=1709280000 end=1709283600 Exit_status=0 %s\n"
	var log strings.Builder
	want := []float64{4, 8, 6, 5, 3, 7, 2}
	for i, fields := range []string{
		"Resource_List.ncpus=1 exec_host=n4/2+n4/3+n4/4+n4/5",
		"Resource_List.ncpus=1 total_execution_slots=8 exec_host=n4/2+n4/3",
		"Resource_List.ncpus=1 Resource_List.nodes=2:ppn=3",
		"Resource_List.procs=5 exec_host=n1/0",
		"Resource_List.ncpus=3 exec_host=n1/0",
		"Resource_List.select=1:ncpus=7 exec_host=n1/0",
		"Resource_List.ncpus=2 exec_host=n1/0+n1/1",
	} {
		fmt.Fprintf(&log, record, i+1, fields)
	}
	l := readText(t, log.String(), joblog.Options{Unit: InCPUs})
	for i, j := range l.Jobs {
		if float64(j.Processors) != want[i] {
			t.Errorf("job %d: %d CPUs, want %g", j.ID, j.Processors, want[i])
		}
	}
	for winner, n := range map[string]int{"exec_host": 1, "total_execution_slots": 1, "nodes × ppn": 1, "procs": 1, "ncpus": 1, "select": 1} {
		if got := found(&l, "the largest counts: the number in "+winner); got != n {
			t.Errorf("%s counts %d times, want %d", winner, got, n)
		}
	}
}

// Sums of damaged lists do not wrap at 2³²: a job that is too large for any machine is set apart, with its line and its field.
func TestSumsThatNoMachineHas(t *testing.T) {
	const record = "03/01/2024 08:00:00;E;%d.srv;user=u ctime=1709280000 start=1709280000 end=1709283600 Exit_status=0 %s\n"
	for _, c := range []struct {
		unit          joblog.Unit
		fields, found string
		size          int // of the job; 0 if it is set apart
	}{
		{joblog.InNodes, "Resource_List.select=4294967294:ncpus=1+3:ncpus=1", "an unreadable number in resource_list.select", 0},
		{joblog.InNodes, "Resource_List.nodes=10000000000007:ppn=1", "an unreadable number in resource_list.nodes", 0},
		{joblog.InCPUs, "Resource_List.select=65536:ncpus=65537", "an unreadable number in resource_list.select", 0},
		{joblog.InCPUs, "exec_host=n1/0-4294967293+n2/0-3", "an unreadable number in exec_host", 0},
		{joblog.InCPUs, "Resource_List.select=65536:ncpus=65537 exec_host=n1/0+n1/1", "", 2},
	} {
		l := readText(t, fmt.Sprintf(record, 1, "exec_host=n1/0")+fmt.Sprintf(record, 2, c.fields), joblog.Options{Unit: c.unit})
		for _, f := range l.Findings {
			if c.found != "" && strings.HasPrefix(strings.ToLower(f.What), c.found) && f.First == 2 {
				c.found = ""
			}
		}
		size := 0
		for _, j := range l.Jobs {
			if j.ID == 2 {
				size = j.Processors
			}
		}
		if c.found != "" || size != c.size {
			t.Errorf("%s: size %d, want %d; findings %v", c.fields, size, c.size, l.Findings)
		}
	}
	table := "JobID|Submit|Start|End|AllocNodes|AllocTRES|State\n" +
		"1|2024-03-01T08:00:00|2024-03-01T08:10:00|2024-03-01T09:10:00|1|gres/gpu:a=4294967294,gres/gpu:b=4|COMPLETED\n" +
		"2|2024-03-01T08:00:00|2024-03-01T08:10:00|2024-03-01T09:10:00|1|gres/gpu:a=2|COMPLETED\n"
	if l := readText(t, table, joblog.Options{Unit: joblog.InGPUs}); len(l.Jobs) != 1 || found(&l, "an unreadable number in column alloctres") != 1 {
		t.Errorf("%d jobs, findings %v", len(l.Jobs), l.Findings)
	}
}

const resizingTable = `JobID|User|Submit|Start|End|Elapsed|AllocNodes|State
1|u|2024-03-01T08:00:00|2024-03-01T08:10:00|2024-03-01T09:10:00|01:00:00|2|RESIZING
1|u|2024-03-01T09:10:00|2024-03-01T09:10:00|2024-03-01T10:10:00|01:00:00|6|RESIZING
1|u|2024-03-01T10:10:00|2024-03-01T10:10:00|2024-03-01T12:10:00|02:00:00|4|COMPLETED
2|u|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T09:00:00|01:00:00|8|RESIZING
2|u|2024-03-01T08:00:00|2024-03-01T09:00:00|2024-03-01T10:00:00|01:00:00|3|TIMEOUT
3|u|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T09:00:00|01:00:00|8|RESIZING
4|u|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T09:00:00|01:00:00|1|COMPLETED
5|u|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T09:00:00|01:00:00|8|RESIZING
5|u|2024-03-01T09:00:00|2024-03-01T09:00:00|Unknown|01:00:00|4|RUNNING
`

// asJSON writes the rows of a table of sacct as sacct --json does.
func asJSON(table string) string {
	var jobs []string
	for _, line := range strings.Split(strings.TrimSpace(table), "\n")[1:] {
		f := strings.Split(line, "|")
		unix := func(clock string) int64 {
			var h, m int
			if n, _ := fmt.Sscanf(clock, "2024-03-01T%d:%d:00", &h, &m); n != 2 {
				return 0
			}
			return 1709251200 + int64(h)*3600 + int64(m)*60
		}
		var h, m, s int
		fmt.Sscanf(f[5], "%d:%d:%d", &h, &m, &s)
		jobs = append(jobs, fmt.Sprintf(`{"job_id": %s, "user": %q, "state": {"current": [%q]}, "allocation_nodes": %s, "time": {"submission": %d,
"start": %d, "end": %d, "elapsed": %d}}`, f[0], f[1], f[7], f[6], unix(f[2]), unix(f[3]), unix(f[4]), h*3600+m*60+s))
	}
	return `{"jobs": [` + strings.Join(jobs, ",\n") + "]}"
}

// The rows of a job that was resized are one job whose nodes change. It held 2 + 6 + 8 node-hours, and the job that shrank 8 + 3.
func TestResizedJobs(t *testing.T) {
	for name, text := range map[string]string{"table": resizingTable, "JSON": asJSON(resizingTable),
		"listed twice": resizingTable + strings.SplitN(resizingTable, "\n", 2)[1]} {
		t.Run(name, func(t *testing.T) {
			l := readText(t, text, joblog.Options{})
			if len(l.Jobs) != 3 || held(&l) != 16+11+1 || len(l.Unfinished) != 2 {
				t.Fatalf("%d jobs with %g node-hours, %d unfinished", len(l.Jobs), held(&l), len(l.Unfinished))
			}
			for _, j := range l.Jobs {
				switch j.ID {
				case 1:
					want := []joblog.Piece{{0, 3600, 2}, {3600, 3600, 6}, {7200, 7200, 4}}
					if diff := cmp.Diff(want, j.Pieces); diff != "" {
						t.Error(diff)
					}
					if j.Wait != 600 || j.Run != 4*3600 || j.Processors != 4 || j.Status != joblog.Completed {
						t.Errorf("%+v", j)
					}
				case 2:
					if len(j.Pieces) != 2 || j.Run != 7200 || j.Wait != 0 || l.Names.State(&j) != "TIMEOUT" {
						t.Errorf("%+v", j)
					}
				}
			}
			if found(&l, "jobs that were resized") != 3 || found(&l, "requeued") != 0 || found(&l, "still ran") != 2 {
				t.Errorf("%v", l.Findings)
			}
			list := joblog.ListOf(l.Jobs)
			if diff := cmp.Diff(l.Jobs, list.Jobs()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// setAll gives every number of a job a value of its own. Some of the values are whole numbers, and some have fractions.
func setAll(j *joblog.Job, number int) {
	v := reflect.ValueOf(j).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); {
		case f.CanInt():
			f.SetInt(int64(number + 10_000*i))
		case f.CanFloat():
			f.SetFloat(float64(number+10_000*i) + float64(i%2)/4)
		}
	}
}

// A list keeps all fields of jobs, in blocks, too.
func TestListKeepsAllFields(t *testing.T) {
	var jobs []joblog.Job
	for i := range 1300 {
		j := joblog.Job{ID: i, Submit: float64(i), Run: 5, Processors: 2}
		if i > 600 {
			setAll(&j, i)
		}
		if i%100 == 0 {
			j.Pieces = []joblog.Piece{{0, 2, 1}, {2, 3, 4}}
		}
		jobs = append(jobs, j)
	}
	list := joblog.ListOf(jobs)
	if diff := cmp.Diff(jobs, list.Jobs()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(jobs, list.BySubmission().Jobs()); diff != "" {
		t.Error(diff)
	}
}

// An optional field that cannot be read costs the field; a line that gives no job costs what it tells of node-seconds, or what a
// job holds on average.
func TestLosses(t *testing.T) {
	l := readText(t, `JobID|User|Submit|Eligible|Start|End|Elapsed|AllocNodes|Timelimit|State
1|u|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T09:00:00|01:00:00|1|2 days|COMPLETED
2|u|2024-03-01T08:00:00|soon|2024-03-01T08:00:00|2024-03-01T09:00:00|01:00:00|1|one hour|COMPLETED
3|u|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T09:00:00|about 1 h|1|0 days 01:00:00|COMPLETED
4|u|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T10:00:00|02:00:00|3|01:00:00|DONE
5|u|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T08:00:00|9999-12-31T00:00:00||1|01:00:00|COMPLETED
6|u|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T09:00:00|99999999-00:00:00|1|01:00:00|COMPLETED
sacct: error: slurm_persist_conn_open: failed
# a comment
`, joblog.Options{})
	if len(l.Jobs) != 4 || held(&l) != 4 {
		t.Errorf("%d jobs with %g node-hours", len(l.Jobs), held(&l))
	}
	if l.Jobs[1].Estimate != -1 || l.Jobs[2].Estimate != 3600 {
		t.Errorf("estimates %g and %g", l.Jobs[1].Estimate, l.Jobs[2].Estimate)
	}
	want := joblog.Lost{Lines: 2, First: 5, NodeSeconds: 3*7200 + 3600, Untold: 1, Share: 7.0 / 11}
	if diff := cmp.Diff(want, l.Lost); diff != "" {
		t.Error(diff, l.Findings)
	}
	for what, n := range map[string]int{"which have no estimate": 2, "whose start and end tell": 2, "eligible at once": 1, "unknown state": 1,
		"before 1970 or after 2105": 1, "messages or comments": 2} {
		if found(&l, what) != n {
			t.Errorf("%d %s, want %d: %v", found(&l, what), what, n, l.Findings)
		}
	}
}

// Each of a log's jobs with impossible times is set apart, with its reason; the others stay as they are.
func TestImpossibleTimes(t *testing.T) {
	var log strings.Builder
	log.WriteString("JobID|User|Submit|Start|End|Elapsed|AllocNodes|State\n")
	row := func(id int, submit, start, end, elapsed string) {
		fmt.Fprintf(&log, "%d|u|%s|%s|%s|%s|2|COMPLETED\n", id, submit, start, end, elapsed)
	}
	for i := range 50 {
		day := fmt.Sprintf("2024-03-%02d", 1+i/2)
		row(i, day+"T08:00:00", day+"T09:00:00", day+"T10:00:00", "01:00:00")
	}
	row(100, "2024-03-05T08:00:00", "2023-03-05T08:00:00", "2024-03-05T10:00:00", "01:00:00")
	row(101, "2024-03-05T08:00:00", "2024-03-05T09:00:00", "2024-03-05T08:10:00", "00:30:00")
	row(102, "2024-03-05T08:00:00", "2024-03-05T09:00:00", "2024-03-05T10:00:00", "900-00:00:00")
	row(103, "1999-03-05T08:00:00", "1999-03-05T09:00:00", "1999-03-05T10:00:00", "01:00:00")
	row(104, "2029-03-05T08:00:00", "2029-03-05T09:00:00", "2029-03-05T10:00:00", "01:00:00")
	row(105, "2024-03-05T08:00:00", "2028-03-05T09:00:00", "2028-03-05T10:00:00", "01:00:00")
	row(106, "2024-03-05T08:00:00", "2024-03-05T09:00:00", "2024-03-05T08:30:00", "")
	l := readText(t, log.String(), joblog.Options{})
	if len(l.Jobs) != 50 || held(&l) != 100 || l.Jobs[0].Submit != 0 || len(l.Apart) != 7 {
		t.Errorf("%d jobs with %g node-hours from %g s, %d apart", len(l.Jobs), held(&l), l.Jobs[0].Submit, len(l.Apart))
	}
	for what, n := range map[string]int{startsEarly: 1, endsEarly: 2, farAway: 4} {
		if found(&l, what) != n {
			t.Errorf("%d %s, want %d", found(&l, what), what, n)
		}
	}
	if l.Lost.Lines != 7 || math.Abs(l.Lost.Share-7.0/57) > 1e-12 {
		t.Errorf("lost %+v", l.Lost)
	}
}

// A job that was cancelled in the queue is no job of 0 s, however the log writes it.
func TestNeverStarted(t *testing.T) {
	l := readText(t, `JobID|User|QOS|Account|Partition|Submit|Eligible|Start|End|Elapsed|NNodes|NodeList|State
1|u|high|a|p|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T09:00:00|2024-03-01T09:00:00|00:00:00|2|None assigned|CANCELLED by 1042
2|u|high|a|p|2024-03-01T08:00:00|Unknown|None|2024-03-01T09:00:00|00:00:00|2|None assigned|CANCELLED by 1042
3|u|low|a|q|2024-03-01T08:00:00|2024-03-01T08:10:00|2024-03-01T09:00:00|2024-03-01T09:00:00|00:00:00|3|n[1-2,07]|CANCELLED by 1042
4|v|low|b|q|2024-03-01T08:00:00|2024-03-01T09:30:00|2024-03-01T09:00:00|2024-03-01T10:00:00|01:00:00|1|n3|OUT_OF_ME+
`, joblog.Options{NodeNames: true})
	if l.NeverStarted.Len() != 2 || len(l.Jobs) != 2 {
		t.Fatalf("%d never started, %d jobs", l.NeverStarted.Len(), len(l.Jobs))
	}
	var told []string
	for i := range l.Jobs {
		j := &l.Jobs[i]
		text := fmt.Sprint(l.Names.State(j), " ", j.Held)
		for _, label := range joblog.Labels() {
			text += " " + l.Names.Of(label, j)
		}
		nodes, err := joblog.NodeNames(l.Names.NodeLists[j.NodeList-1])
		if err != nil {
			t.Fatal(err)
		}
		told = append(told, text+" "+strings.Join(nodes, "+"))
	}
	want := []string{"CANCELLED 600 q u a low n1+n2+n07", "OUT_OF_MEMORY 3600 q v b low n3"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
}

// Labels choose jobs.
func TestChoices(t *testing.T) {
	jobs := []joblog.Job{{ID: 1, User: 1, Partition: 1, Run: 1, Processors: 1}, {ID: 2, User: 2, Partition: 1, Run: 1, Processors: 1},
		{ID: 3, User: 2, Partition: 2, Run: 1, Processors: 1}}
	names := joblog.Names{Users: []string{"u", "v"}, Queues: []string{"main", "debug"}}
	for text, want := range map[string]string{"main": "[1 2]", "!main": "[3]", "main,debug": "[1 2 3]", "main,!debug": "[1 2]"} {
		c, err := joblog.ParseChoice(joblog.Partition, text)
		if err != nil {
			t.Fatal(err)
		}
		wanted := joblog.Range{Choices: []joblog.Choice{c}, Names: names}
		var ids []int
		for _, j := range kept(t, wanted.Choose(joblog.ListOf(jobs).All(), 0, func(reason string, _ float64) {
			if reason != "another partition" {
				t.Errorf("left out: %s", reason)
			}
		})) {
			ids = append(ids, j.ID)
		}
		if fmt.Sprint(ids) != want {
			t.Errorf("%s: %v, want %s", text, ids, want)
		}
	}
	if _, err := joblog.ParseChoice(joblog.User, "a,,b"); err == nil {
		t.Error("an empty name is accepted")
	}
}

func TestNodeNames(t *testing.T) {
	for list, want := range map[string]string{
		"n1": "n1", "n[1-3,07],login": "n1 n2 n3 n07 login", "n[1-3,2-4],n2,n[5,5]": "n1 n2 n3 n4 n5", "a[098-101]": "a098 a099 a100 a101",
		"r[1-2]n[01-02]x": "r1n01x r1n02x r2n01x r2n02x", "n1/0+n1/1+n2/0": "n1 n2", "n1/0-3,5+n2/0*8": "n1 n2", "": "",
	} {
		names, err := joblog.NodeNames(list)
		if err != nil || strings.Join(names, " ") != want {
			t.Errorf("%q: %v, %v", list, names, err)
		}
	}
	for _, list := range []string{
		"n[1-", "n[" + strings.Repeat("0", 1<<20) + "1-9]", "n[a-b]", "n[5-1]", "n[0-99999999]", "a[0-999]b[0-999]c[0-999]",
	} {
		if names, err := joblog.NodeNames(list); err == nil {
			t.Errorf("%.20q: %d names", list, len(names))
		}
	}
}

// gridRow is a job in Grid Workloads Format: 29 columns.
var gridRow = "1\t1137000000\t5\t100\t1\t-1\t-1\t1\t200\t-1\t1\tu1\tg1\tapp\tq" + strings.Repeat("\t-1", 14) + "\n"

// What is not a log that is read is named by what it looks like.
func TestKindsOfFiles(t *testing.T) {
	for text, want := range map[string]string{
		"# Version: 8.1.9\n#\n# DO NOT MODIFY THIS FILE MANUALLY!\n#\n":                                              "SGE",
		"# Version: 6\nall.q:n1" + strings.Repeat(":0", 44) + "\n":                                                   "SGE",
		"\"JOB_FINISH\" \"9.1\" 1400000000 1 2 3\n":                                                                  "LSF",
		"JOB_NAME,COBALT_JOBID,MACHINE_NAME\n":                                                                       "Cobalt",
		"# Grid Workloads Archive\n# JobID\tSubmitTime\tWaitTime\n1\t2\t3\n":                                         "Grid Workloads",
		"0,,3418309,0,3418309,0,70s3v5qRyCO,2\n":                                                                     "Google",
		"time,type,collection_id,scheduling_class\n":                                                                 "Google",
		"task_name,inst_num,job_name,task_type,status\n":                                                             "Alibaba",
		"jobid,nodes,submit\n1,3,2024-03-01T08:00:00\n":                                                              "columns are not",
		"{\"JobID\": 1}\n{\"JobID\": 2}\n":                                                                           "JSON with an object in each line",
		"JobID::" + strings.Repeat("x::", 40) + "Submit::Elapsed\n1::u\n":                                            "another delimiter",
		"JobID*User*Submit*Elapsed\n1*u*x*y\n":                                                                       "another delimiter",
		"M1,1,j_1,1,Terminated,10,20,100,0.5\n":                                                                      "Alibaba",
		`{"nb_res": 4, "jobs": [{"id": 1, "subtime": 0, "walltime": 10, "res": 4, "profile": "a"}], "profiles": {}}`: "Batsim",
		`{"jobs": [{"job_id": 1, "job_state": ["RUNNING"], "submit_time": {"number": 1}}]}`:                          "squeue --json",
		"<?xml version=\"1.0\"?>\n<a/>":                                                                              "XML",
		"<!DOCTYPE html>\n<html>":                                                                                    "page for browsers",
		"sacct: error: no connection\n":                                                                              "messages or comments without a table",
		"sacct: error: x\nversion: 1\n":                                                                              "YAML",
		"# sacct -a --parsable2\n":                                                                                   "messages or comments without a table",
		"sacct: error: x\n{\"jobs\": [1]}\n":                                                                         "JSON that begins in line 2",
		"# Workload: DAS-2\n" + gridRow:                                                                              "Grid Workloads",
		"# Workload\n#\n1 2 3\n":                                                                                     "Grid Workloads",
		"# File: das2.gwf\n" + gridRow:                                                                               "Grid Workloads",
		gridRow + gridRow:                                                                                            "Grid Workloads",
		"JobID  User    WallTime  Nodes  State    Location\n":                                                        "qstat of Cobalt",
		"09/01/2015 00:00:05;E;5;exec_host=\"MIR-00000-33331-512\" Resource_List.nodect=32\n":                        "accounting log of Cobalt",
		"Mon Sep 01 00:00:05 2015 +0000 (UTC) alice: qsub -n 512 -t 60 script.sh\n":                                  "log of Cobalt",
		"2015-09-01 00:00:05,123 - cobalt - INFO - Job 12 submitted\n":                                               "log of Cobalt",
		"MyType = \"Job\"\nClusterId = 12\nQDate = 1400000000\n":                                                     "HTCondor",
		"QDate = 1400000000\n*** Offset = 0 ClusterId = 12 ProcId = 0 Owner = \"alice\"\n":                           "HTCondor",
		"000 (123.000.000) 2020-01-01 10:00:00 Job submitted from host: <10.0.0.1:9618>\n":                           "events of jobs of HTCondor",
		" ID     OWNER          SUBMITTED   RUN_TIME     ST COMPLETED   CMD\n":                                       "HTCondor",
		"-- Schedd: submit.example.org : <10.0.0.1:9618>\n":                                                          "HTCondor",
		`[{"ClusterId": 12, "ProcId": 0, "QDate": 1400000000}]`:                                                      "HTCondor",
		"<?xml version=\"1.0\"?>\n<classads>\n<c><a n=\"ClusterId\"><i>12</i></a></c>\n":                             "HTCondor",
		"  JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n":                                "squeue",
		`{"jobs": [{"account": "a", "accrue_time": {"number": 1}, "job_id": 1}]}`:                                    "squeue --json",
		"JobId=12 JobName=test\n   JobState=RUNNING\n":                                                               "scontrol show job",
		"JOBID   USER    STAT  QUEUE      FROM_HOST   EXEC_HOST   JOB_NAME   SUBMIT_TIME\n":                          "bjobs of LSF",
		"Job id            Name             User              Time Use S Queue\n":                                    "qstat",
		"Job Id: 12.srv\n    Job_Name = test\n":                                                                      "qstat",
	} {
		_, err := joblog.Read(strings.NewReader(text), "f", joblog.Options{})
		if err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, joblog.ErrNotLog) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// Messages and comments in front of a table, a table in CSV and an accounting log are skipped and counted.
func TestMessagesInFront(t *testing.T) {
	for name, text := range map[string]string{"sacct": resizingTable, "CSV": strings.ReplaceAll(resizingTable, "|", ","), "PBS": pbsText} {
		text = "sacct: error: slurm_persist_conn_open: failed\n\n# sacct -a\n" + text
		if l := readText(t, text, joblog.Options{}); len(l.Jobs) != 3 || found(&l, "messages or comments") != 2 {
			t.Errorf("%s: %d jobs, %v", name, len(l.Jobs), l.Findings)
		}
	}
}

// Jobs with impossible times are set apart in the Standard Workload Format, too.
func TestImpossibleTimesInSWF(t *testing.T) {
	var log strings.Builder
	row := func(id, submit, wait, run int) {
		fmt.Fprintf(&log, "%d %d %d %d 2 -1 -1 2 -1 -1 1 1 1 -1 -1 -1 -1 -1\n", id, submit, wait, run)
	}
	for i := range 50 {
		row(i, i*86400, 600, 3600)
	}
	plain := readText(t, log.String(), joblog.Options{})
	if len(plain.Jobs) != 50 || len(plain.Apart) != 0 || plain.Lost.Lines != 0 {
		t.Errorf("%d jobs, %d apart", len(plain.Jobs), len(plain.Apart))
	}
	row(100, 86400, -7200, 3600)
	row(101, 1_000_000_000, 600, 3600)
	row(102, 86400, 600, 400_000_000)
	row(103, 86400, 400_000_000, 600)
	row(104, 86400, -1, 60*86400)
	row(105, 86400, -1, -1)
	row(106, -1, -1, 5)
	l := readText(t, log.String(), joblog.Options{})
	if len(l.Jobs) != 52 || held(&l) != 100+10/3600.0 || len(l.Apart) != 5 {
		t.Errorf("%d jobs with %g node-hours, %d apart", len(l.Jobs), held(&l), len(l.Apart))
	}
	for what, n := range map[string]int{startsEarly: 1, farAway: 3, tooLongRun: 1} {
		if found(&l, what) != n {
			t.Errorf("%d %s, want %d", found(&l, what), what, n)
		}
	}
	if l.Lost.Lines != 5 || math.Abs(l.Lost.Share-5.0/57) > 1e-12 {
		t.Errorf("lost %+v", l.Lost)
	}
}

// A name that no job has is an error that lists the names which jobs have.
func TestUnknownNames(t *testing.T) {
	jobs := joblog.ListOf([]joblog.Job{{ID: 1, User: 1, Partition: 2, Run: 1, Processors: 1},
		{ID: 2, User: 2, Partition: 1, Run: 1, Processors: 1}}).All()
	names := joblog.Names{Users: []string{"u", "v"}, Queues: []string{"main", "debug"}}
	check := func(label joblog.Label, text string) error {
		c, err := joblog.ParseChoice(label, text)
		if err != nil {
			t.Fatal(err)
		}
		wanted := joblog.Range{Choices: []joblog.Choice{c}, Names: names}
		return wanted.CheckNames(jobs)
	}
	if err := check(joblog.Partition, "main,!debug"); err != nil {
		t.Error(err)
	}
	var unknown *joblog.UnknownNameError
	if err := check(joblog.Partition, "main,!debg"); !errors.As(err, &unknown) || unknown.Name != "debg" ||
		!slices.Equal(unknown.Known, []string{"debug", "main"}) {
		t.Errorf("a misspelt name: %v", err)
	}
	if err := check(joblog.QOS, "low"); !errors.As(err, &unknown) || unknown.Known != nil {
		t.Errorf("a label that the log does not tell: %v", err)
	}
}

// A log without a column of partitions does not tell any: its jobs are not in a partition 0.
func TestNoPartitions(t *testing.T) {
	log, list, err := joblog.Pack(strings.NewReader("JobID|Submit|Start|End|Elapsed|AllocNodes|State\n"+
		"1|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T09:00:00|01:00:00|1|COMPLETED\n"), "log", joblog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	j := list.At(0)
	for _, label := range joblog.Labels() {
		if name := log.Names.Of(label, &j); name != "" {
			t.Errorf("the %s is %q", label, name)
		}
	}
}

// TestUnreadableNodeLists: a list of nodes that cannot be read costs its job only the names of its nodes.
func TestUnreadableNodeLists(t *testing.T) {
	const head, row = "JobID|Submit|Start|End|Elapsed|AllocNodes|State|NodeList\n",
		"|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T09:00:00|01:00:00|2|COMPLETED|"
	for list, isRead := range map[string]bool{
		"n[1-2]": true, "r[1-2]n[0,07-09],login": true, "n1": true, "n[1-1048576]": true, "n1/0*8+n2/0-3": true, "a[0]/0*8+a[1]/0*8": true,
		"bgq[0000x0133]": false, "n[1-2": false, "n[2-1]": false, "n[]": false, "n[1-2000000]": false, "n[1-1024][1-1025]": false, "n[1-]": false,
	} {
		l, err := joblog.Read(strings.NewReader(head+"1"+row+list+"\n2"+row+list+"\n3"+row+"n7\n"), "f", joblog.Options{NodeNames: true})
		if err != nil {
			t.Errorf("%s: %v", list, err)
			continue
		}
		_, err = joblog.NodeNames(list)
		unread := found(&l, "jobs whose list of nodes cannot be read: ")
		if named := l.Jobs[0].NodeList > 0 && l.Jobs[1].NodeList > 0; named != isRead || (err == nil) != isRead || (unread == 0) != isRead || unread > 2 {
			t.Errorf("%s: named %t, %d unread, %v", list, named, unread, err)
		}
		if len(l.Jobs) != 3 || l.Jobs[2].NodeList == 0 {
			t.Errorf("%s: %d jobs, %v", list, len(l.Jobs), l.Findings)
		}
	}
}

// TestRepeatedHeaders: a repeated comment of a header with another number may come from a second log.
func TestRepeatedHeaders(t *testing.T) {
	const job = "1 0 0 10 2 -1 -1 2 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
	const first = "; MaxProcs: 8\n; UnixStartTime: 5\n; Note: a\n"
	for again, want := range map[string]int{
		first: 0, "; Note: b\n": 0, "; MaxProcs: 16\n": 1, "; UnixStartTime: 7\n; MaxProcs: 16\n": 2,
	} {
		l, err := joblog.Read(strings.NewReader(first+job+again+job), "f", joblog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		const repeated = "repeated comments of the header with another value: the first value counts; the file may hold two logs"
		if n := found(&l, repeated); n != want || l.Header.MaxProcs != 8 || l.Header.UnixStartTime != 5 {
			t.Errorf("%q: %d, want %d: %v", again, n, want, l.Header)
		}
	}
}

// TestRangesCountUnstartedJobs: of a part of a log, jobs that never started, that still run or that still wait are counted in this
// part alone.
func TestRangesCountUnstartedJobs(t *testing.T) {
	const text = `JobID|Partition|Submit|Start|End|Elapsed|AllocNodes|State
1|a|2024-03-01T07:00:00|None|2024-03-01T09:00:00|00:00:00|0|CANCELLED by 1042
2|a|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T09:00:00|01:00:00|2|COMPLETED
3|b|2024-03-02T08:00:00|None|2024-03-02T09:00:00|00:00:00|0|CANCELLED by 1042
4|b|2024-03-02T08:00:00|2024-03-02T08:00:00|2024-03-02T09:00:00|01:00:00|2|COMPLETED
5|b|2024-03-02T08:00:00|2024-03-02T08:00:00|Unknown|01:00:00|2|RUNNING
6|a|2024-03-01T08:00:00|2024-03-01T08:00:00|Unknown|25:00:00|2|RUNNING
7|b|2024-03-02T09:00:00|Unknown|Unknown|00:00:00|2|PENDING
`
	l := readText(t, text, joblog.Options{})
	onlyA := []joblog.Choice{{Label: joblog.Partition, Only: []string{"a"}}}
	for _, c := range []struct {
		of                      joblog.Range
		never, running, pending int
	}{
		{joblog.Range{}, 2, 2, 1}, {joblog.Range{From: 3600}, 1, 1, 1}, {joblog.Range{To: 3600}, 1, 1, 0},
		{joblog.Range{Choices: onlyA, Names: l.Names}, 1, 1, 0}, {joblog.Range{From: 1e6}, 0, 0, 0},
	} {
		part := joblog.Log{Findings: l.FindingsIn(&c.of)}
		never, running, pending := found(&part, neverStarted), found(&part, joblog.StillRunning), found(&part, joblog.StillPending)
		if never != c.never || running != c.running || pending != c.pending || c.of.Count(l.NeverStarted.All()) != never {
			t.Errorf("%+v: %d never started, %d running, %d pending", c.of, never, running, pending)
		}
	}
}

// TestFindingsOfARange: of a part of a log, findings that are not counted in this part say that they are about the whole log.
func TestFindingsOfARange(t *testing.T) {
	l := readText(t, `JobID|Submit|Start|End|Elapsed|AllocNodes|State
1|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T09:00:00|01:00:00|2|COMPLETED
2|2024-03-01T09:00:00|2024-03-01T08:00:00|2024-03-01T10:00:00|02:00:00|2|COMPLETED
3|2024-03-01T09:00:00|2024-03-01T09:00:00|2024-03-01T10:00:00|3 hours|2|COMPLETED
4|2024-03-01T09:00:00|None|2024-03-02T09:00:00|00:00:00|0|CANCELLED by 1042
5|2024-03-01T09:00:00
`, joblog.Options{})
	for _, c := range []struct {
		of    joblog.Range
		whole int // sentences about the whole log
	}{{joblog.Range{}, 0}, {joblog.Range{From: 60}, 3}, {joblog.Range{Sizes: joblog.Sizes{From: 2}}, 3}} {
		whole, all := 0, joblog.Sentences(l.FindingsIn(&c.of))
		for _, text := range all {
			if strings.Contains(text, "in the whole log") {
				whole++
			}
		}
		if len(all) != 4 || whole != c.whole {
			t.Errorf("%+v: %q", c.of, all)
		}
	}
}

// TestElapsedBesideStartAndEnd: the elapsed time is the run time. A difference of more than a minute is counted by its sign.
func TestElapsedBesideStartAndEnd(t *testing.T) {
	for elapsed, want := range map[string][3]int{ // longer, shorter, an hour off
		"02:00:00": {}, "02:00:59": {}, "01:59:01": {}, "02:01:01": {1, 0, 0}, "01:58:00": {0, 1, 0}, "03:00:00": {0, 0, 1},
	} {
		l := readText(t, "JobID|Submit|Start|End|Elapsed|AllocNodes|State\n"+
			"1|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T10:00:00|"+elapsed+"|2|COMPLETED\n", joblog.Options{})
		is := [3]int{found(&l, "more than a minute longer"), found(&l, "more than a minute shorter"), found(&l, "an hour off")}
		if clock := time.Unix(int64(l.Jobs[0].Run), 0).UTC().Format(time.TimeOnly); is != want || clock != elapsed {
			t.Errorf("%s: %v, want %v; runs %s", elapsed, is, want, clock)
		}
	}
}

// TestJobsWithoutStart: a job whose line has no start, but an elapsed time, is counted as a job whose wait is unknown. A job on
// nodes that were never assigned never started, whether or not the table has states.
func TestJobsWithoutStart(t *testing.T) {
	const row = "|2024-03-01T08:00:00|Unknown|2024-03-01T10:00:00|01:00:00|2|n1|COMPLETED\n"
	l := readText(t, "JobID|Submit|Start|End|Elapsed|AllocNodes|NodeList|State\n1"+row+"2"+row, joblog.Options{})
	if n := found(&l, "whose start the log does not tell"); n != 2 || len(l.Jobs) != 2 || l.Jobs[0].Wait != -1 {
		t.Errorf("%d of %d jobs", n, len(l.Jobs))
	}
	l = readText(t, "JobID|Submit|Start|End|Elapsed|AllocNodes|NodeList\n"+
		"1|2024-03-01T08:00:00|2024-03-01T10:00:00|2024-03-01T10:00:00|00:00:00|2|None assigned\n"+
		"2|2024-03-01T08:00:00|2024-03-01T10:00:00|2024-03-01T10:00:00|00:00:00|2|n1\n", joblog.Options{})
	if l.NeverStarted.Len() != 1 || len(l.Jobs) != 1 {
		t.Errorf("%d never started, %d jobs", l.NeverStarted.Len(), len(l.Jobs))
	}
}

// TestCancelledJobsWithoutRunTime: a table that does not list where jobs ran has cancelled jobs of 0 s. They never started, as all 658
// such jobs of two public logs of Slurm did. A cancelled job that ran, or whose nodes are listed, had started.
func TestCancelledJobsWithoutRunTime(t *testing.T) {
	const times = "|2024-03-01T08:00:00|2024-03-01T10:00:00|2024-03-01T"
	for _, c := range []struct {
		head, row string
		unstarted int
	}{
		{"NNodes|State|Elapsed", "10:00:00|2|CANCELLED by 7|00:00:00", 1},
		{"NNodes|State", "10:00:00|2|CANCELLED", 1},
		{"NNodes|State|Elapsed", "10:00:01|2|CANCELLED by 7|00:00:01", 0},
		{"NNodes|State", "11:00:00|2|CANCELLED", 0},
		{"NNodes|State|Elapsed", "10:00:00|2|FAILED|00:00:00", 0},
		{"NNodes|State|Elapsed|NodeList", "10:00:00|2|CANCELLED by 7|00:00:00|n[1-2]", 0},
		{"AllocTRES|State|Elapsed", "10:00:00|cpu=8,node=2|CANCELLED by 7|00:00:00", 1},
		{"AllocNodes|State|Elapsed", "10:00:00|2|CANCELLED by 7|00:00:00", 0},
	} {
		text := "JobID|Submit|Start|End|" + c.head + "\n1" + times + c.row + "\n"
		l := readText(t, text, joblog.Options{})
		if n := found(&l, "taken for jobs that never started"); n != c.unstarted || l.NeverStarted.Len() != n || len(l.Jobs) != 1-n {
			t.Errorf("%s: %d jobs, %d never started: %v", text, len(l.Jobs), l.NeverStarted.Len(), l.Findings)
		}
	}
}

// TestDifferentSizes: a job of Slurm has as many nodes by AllocTRES as by NNodes, once it has ended. Jobs whose fields disagree are
// counted, and the allocated number counts.
func TestDifferentSizes(t *testing.T) {
	const begin = "1|2024-03-01T08:00:00|2024-03-01T10:00:00|2024-03-01T11:00:00|01:00:00|"
	for _, c := range []struct {
		head, row string
		unit      joblog.Unit
		want      string
		size      int
	}{
		{"NNodes|AllocTRES|State", "200|cpu=8,node=2|COMPLETED", "",
			"jobs whose fields nnodes and alloctres give different numbers of nodes: alloctres counts", 2},
		{"NNodes|AllocTRES|State", "2|cpu=8,node=2|COMPLETED", "", "", 2},
		{"NNodes|AllocTRES|State", "2|cpu=8|COMPLETED", "", "", 2},
		{"NNodes|ReqTRES|State", "2|cpu=8,node=1|COMPLETED", "", "", 2},
		{"AllocNodes|AllocTRES|State", "2|cpu=8,node=4|COMPLETED", "",
			"jobs whose fields allocnodes and alloctres give different numbers of nodes: allocnodes counts", 2},
		{"AllocNodes|NCPUS|AllocTRES|State", "2|4|cpu=8,node=2|COMPLETED", joblog.InCPUs,
			"jobs whose fields ncpus and alloctres give different numbers of CPUs: alloctres counts", 8},
		{"AllocNodes|NCPUS|AllocTRES|State", "2|4|cpu=8,node=2|COMPLETED", "", "", 2},
	} {
		l := readText(t, "JobID|Submit|Start|End|Elapsed|"+c.head+"\n"+begin+c.row+"\n", joblog.Options{Unit: c.unit})
		n, isAsSaid := found(&l, "different numbers of"), c.want == "" || found(&l, c.want) == 1
		if (n == 1) != (c.want != "") || !isAsSaid || l.Jobs[0].Processors != c.size {
			t.Errorf("%s, %s: %d nodes, %v", c.head, c.row, l.Jobs[0].Processors, l.Findings)
		}
	}
}

// TestNamesOfJobs: jobs have the names that their batch systems write.
func TestNamesOfJobs(t *testing.T) {
	const row = "|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T09:00:00|01:00:00|2|COMPLETED\n"
	text := "JobID|Submit|Start|End|Elapsed|AllocNodes|State\n"
	want := []string{"7", "12_3", "12_0", "30+0"}
	for _, name := range want {
		text += name + row
	}
	l := readText(t, text, joblog.Options{})
	kept := joblog.ListOf(l.Jobs)
	for range 1000 { // so that the first jobs are packed
		kept.Add(&l.Jobs[0])
	}
	var names []string
	for i := range l.Jobs {
		j := kept.At(i)
		if names = append(names, l.Format.Name(&j)); l.Format.Name(&l.Jobs[i]) != names[i] {
			t.Errorf("%s packed is %s", l.Format.Name(&l.Jobs[i]), names[i])
		}
	}
	slices.Sort(names)
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
	if name := joblog.Format("pbs").Name(&joblog.Job{ID: 12, Task: 4}); name != "12[3]" {
		t.Error(name)
	}
}

// TestJobNames: jobs of a log have their names and clusters by their places; places without a job have a bare number.
func TestJobNames(t *testing.T) {
	jobs := joblog.ListOf([]joblog.Job{{ID: 7, Cluster: 2}, {ID: 12, Task: 4}, {ID: 30, Component: 1, Cluster: 1}, {ID: 31}})
	for _, c := range []struct {
		clusters []string
		want     [4]string
	}{{nil, [4]string{"7 ", "12_3 ", "30+0 ", "31 "}}, {[]string{"a"}, [4]string{"7 ", "12_3 ", "30+0 ", "31 "}},
		{[]string{"a", "b"}, [4]string{"7 b", "12_3 ", "30+0 a", "31 "}}} {
		names, err := joblog.JobNamesOf("sacct", c.clusters, jobs.All())
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range c.want {
			if name, cluster := names.Of(i, jobs.At(i).ID); name+" "+cluster != want {
				t.Errorf("%v: %q of %q, want %q", c.clusters, name, cluster, want)
			}
		}
		for _, place := range []int{-1, 4} {
			if name, cluster := names.Of(place, 5); name != "5" || cluster != "" {
				t.Errorf("place %d: %q of %q", place, name, cluster)
			}
		}
	}
}

// TestLeftOut: damaged lines and jobs set apart count beside the jobs skipped, or in the whole log; other findings do not count.
func TestLeftOut(t *testing.T) {
	skipped := map[string]int{"too large": 2, "no run time": 1}
	counts, inWhole := joblog.LeftOut(skipped, []joblog.Finding{{What: "no run time", Count: 3, Lost: true}, {What: "told", Count: 9},
		{What: "late", Count: 4, Apart: true}, {What: "cut off", Count: 5, Lost: true, InAll: true}})
	if want := map[string]int{"too large": 2, "no run time": 4, "late": 4}; !maps.Equal(counts, want) {
		t.Errorf("%v, want %v", counts, want)
	}
	if !maps.Equal(inWhole, map[string]int{"cut off": 5}) || skipped["no run time"] != 1 {
		t.Errorf("%v in the whole log; skipped are now %v", inWhole, skipped)
	}
}
