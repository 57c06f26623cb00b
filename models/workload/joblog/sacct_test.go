package joblog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/partwise/partwise/models/workload/joblog"
)

// totals are what can be counted by hand.
type totals struct {
	Completed, Failed, Cancelled int
	NodeSeconds                  float64
	Gaps                         string // between submissions
	Waits                        string
	Estimates                    string
	Unfinished                   int
	Found                        string // counts and words of the findings
}

func totalsOf(l *joblog.Log) totals {
	var t totals
	var gaps, waits, estimates []float64
	for i := range l.Jobs {
		j := &l.Jobs[i]
		switch j.Status {
		case joblog.Completed:
			t.Completed++
		case joblog.Failed:
			t.Failed++
		case joblog.Cancelled:
			t.Cancelled++
		}
		t.NodeSeconds += j.Run * float64(max(0, j.Nodes()))
		if i > 0 {
			gaps = append(gaps, j.Submit-l.Jobs[i-1].Submit)
		}
		waits = append(waits, j.Wait)
		estimates = append(estimates, j.Estimate)
	}
	t.Gaps, t.Waits, t.Estimates = fmt.Sprint(gaps), fmt.Sprint(waits), fmt.Sprint(estimates)
	t.Unfinished = len(l.Unfinished)
	var found []string
	for _, f := range l.Findings {
		found = append(found, fmt.Sprintf("%d %s @%d", f.Count, f.What, f.First))
	}
	t.Found = inOrder(strings.Join(found, "; "))
	return t
}

// inOrder returns the findings of a text in alphabetical order.
func inOrder(found string) string {
	parts := strings.Split(found, "; ")
	slices.Sort(parts)
	return strings.Join(parts, "; ")
}

// Tables of sacct as sites export them, with totals that were counted by hand.
func TestSacct(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, text string
		options    joblog.Options
		want       totals
	}{
		{name: "steps", text: `JobID|JobName|Partition|Submit|Start|End|Elapsed|NNodes|State|Timelimit
100|a|p|2024-03-01T08:00:00|2024-03-01T08:00:10|2024-03-01T09:00:10|01:00:00|4|COMPLETED|02:00:00
100.batch|batch||2024-03-01T08:00:10|2024-03-01T08:00:10|2024-03-01T09:00:10|01:00:00|1|COMPLETED|
100.extern|extern||2024-03-01T08:00:10|2024-03-01T08:00:10|2024-03-01T09:00:10|01:00:00|4|COMPLETED|
100.0|mpi||2024-03-01T08:00:12|2024-03-01T08:00:12|2024-03-01T09:00:09|00:59:57|4|FAILED|
101|b|p|2024-03-01T08:01:40|2024-03-01T08:01:40|2024-03-02T11:02:05|1-03:00:25|2|TIMEOUT|1-03:00:00
101.batch|batch||2024-03-01T08:01:40|2024-03-01T08:01:40|2024-03-02T11:02:05|1-03:00:25|1|CANCELLED|
`, want: totals{Completed: 1, Failed: 1, NodeSeconds: 4*3600 + 2*97225, Gaps: "[100]", Waits: "[10 0]",
			Estimates: "[7200 97200]"}},

		{name: "unsorted, trailing bars, other order of fields, steps before jobs", text: `End|State|AllocNodes|ElapsedRaw|JobID|TimelimitRaw|Start|Submit|
2024-03-01T10:00:00|COMPLETED|1|10|7.batch||2024-03-01T09:59:50|2024-03-01T09:59:50|
2024-03-01T10:00:00|COMPLETED|3|10|7|5|2024-03-01T09:59:50|2024-03-01T09:00:00|
2024-03-01T08:10:00|COMPLETED|2|60|6|UNLIMITED|2024-03-01T08:09:00|2024-03-01T08:00:00|
2024-03-01T08:10:00|OUT_OF_MEMORY|2|60|5|Partition_Limit|2024-03-01T08:09:00|2024-03-01T08:30:00|
`, want: totals{Completed: 2, NodeSeconds: 30 + 120, Gaps: "[3600]", Waits: "[540 3590]",
			Estimates: "[-1 300]", Found: "1 " + startsEarly + " @5"}},

		{name: "states", text: `JobID|User|Submit|Start|End|Elapsed|AllocNodes|State
1|u|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T08:01:00|00:01:00|1|CANCELLED by 1000
2|u|2024-03-01T08:00:01|None|2024-03-01T08:01:00|00:00:00|0|CANCELLED by 0
3|u|2024-03-01T08:00:02|2024-03-01T08:01:00|2024-03-01T08:01:00|00:00:00|0|CANCELLED
4|u|2024-03-01T08:00:03|Unknown|Unknown|00:00:00|0|PENDING
5|u|2024-03-01T08:00:04|2024-03-01T08:01:00|Unknown|00:30:00|2|RUNNING
6|u|2024-03-01T08:00:05|2024-03-01T08:01:00|2024-03-01T08:01:30|00:00:30|2|NODE_FAIL
7|u|2024-03-01T08:00:06|2024-03-01T08:01:00|2024-03-01T08:01:30|00:00:30|2|PREEMPTED
8|u|2024-03-01T08:00:07|2024-03-01T08:01:00|2024-03-01T08:01:30|00:00:30|2|OUT_OF_ME+
9|u|2024-03-01T08:00:08|2024-03-01T08:01:00|2024-03-01T08:01:00|00:00:00|2|FAILED
10|u|2024-03-01T08:00:09|2024-03-01T08:01:00|2024-03-01T08:01:00|00:00:00|2|CANCELLED+
`, want: totals{Cancelled: 2, Failed: 4, NodeSeconds: 60 + 3*60, Gaps: "[5 1 1 1 1]",
			Waits: "[0 55 54 53 52 51]", Estimates: "[-1 -1 -1 -1 -1 -1]", Unfinished: 2,
			Found: "2 " + neverStarted + " @0; 1 " + stillRunning + " @0; 1 " + stillPending + " @0"}},

		{name: "arrays and heterogeneous jobs", text: `JobID|JobIDRaw|Submit|Start|End|Elapsed|AllocNodes|State
20_1|21|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T08:01:00|00:01:00|1|COMPLETED
20_1.batch|21.batch|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T08:01:00|00:01:00|1|COMPLETED
20_2|22|2024-03-01T08:00:00|2024-03-01T08:02:00|2024-03-01T08:03:00|00:01:00|1|COMPLETED
20_[3-9%2]|20|2024-03-01T08:00:00|Unknown|Unknown|00:00:00|0|PENDING
30+0|30|2024-03-01T09:00:00|2024-03-01T09:00:00|2024-03-01T09:10:00|00:10:00|1|COMPLETED
30+1|31|2024-03-01T09:00:00|2024-03-01T09:00:00|2024-03-01T09:10:00|00:10:00|7|COMPLETED
30+1.0|31.0|2024-03-01T09:00:00|2024-03-01T09:00:00|2024-03-01T09:10:00|00:10:00|7|COMPLETED
`, want: totals{Completed: 3, NodeSeconds: 60 + 60 + 8*600, Gaps: "[0 3600]", Waits: "[0 120 0]",
			Estimates: "[-1 -1 -1]", Unfinished: 1,
			Found: "1 " + componentLines + " @0; 1 " + stillPending + " @0"}},

		{name: "requeued and listed twice", text: `JobID|Submit|Start|End|Elapsed|AllocNodes|State
40|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T08:10:00|00:10:00|2|NODE_FAIL
40|2024-03-01T08:00:00|2024-03-01T08:20:00|2024-03-01T08:30:00|00:10:00|2|COMPLETED
41|2024-03-01T08:05:00|2024-03-01T08:05:00|Unknown|00:05:00|1|RUNNING
41|2024-03-01T08:05:00|2024-03-01T08:05:00|2024-03-01T09:05:00|01:00:00|1|COMPLETED
40|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T08:10:00|00:10:00|2|NODE_FAIL
42|2024-03-01T08:06:00|Unknown|Unknown|00:00:00|0|PENDING
42|2024-03-01T08:06:00|2024-03-01T08:07:00|2024-03-01T08:08:00|00:01:00|1|COMPLETED
`, want: totals{Completed: 3, Failed: 1, NodeSeconds: 1200 + 1200 + 3600 + 60, Gaps: "[300 60 240]",
			Waits: "[0 0 60 600]", Estimates: "[-1 -1 -1 -1]",
			Found: "1 " + requeued + " @3; 3 " + listedTwice + " @5"}},

		{name: "without a header", options: joblog.Options{Fields: "JobID%20,Submit,Start,End,Elapsed,AllocNodes,State"},
			text: `41|2024-03-01T08:05:00|2024-03-01T08:05:00|2024-03-01T09:05:00|01:00:00|1|COMPLETED|
42|2024-03-01T08:06:00|2024-03-01T08:07:00|2024-03-01T08:08:00|00:01:00|1|COMPLETED|
`, want: totals{Completed: 2, NodeSeconds: 3600 + 60, Gaps: "[60]", Waits: "[0 60]", Estimates: "[-1 -1]"}},

		{name: "broken lines", text: `JobID|JobName|Submit|Start|End|Elapsed|AllocNodes|State
50|a|b|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T08:01:00|00:01:00|1|COMPLETED
51|cut off|2024-03-01T08:00
52|a|2024-03-41T08:00:00|2024-03-01T08:00:00|2024-03-01T08:01:00|00:01:00|1|COMPLETED
53|a|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T08:01:00|00:61:00|1|COMPLETED
54|a|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T08:01:00|00:01:00|1.46K|COMPLETED
55|a|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T08:01:00|00:01:00|1|DONE
x56|a|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T08:01:00|00:01:00|1|COMPLETED

57|a|Unknown|2024-03-01T08:00:00|2024-03-01T08:01:00|00:01:00|1|COMPLETED
58|a|2024-03-01T08:01:00|2024-03-01T08:02:00|2024-03-01T08:03:00|00:01:00|4K|COMPLETED
99.batch|a|2024-03-01T08:01:00|2024-03-01T08:02:00|2024-03-01T08:03:00|00:01:00|1|COMPLETED
JobID|JobName|Submit|Start|End|Elapsed|AllocNodes|State
59|a|2024-03-01T08:02:00|2024-03-01T08:02:00|2024-03-01T08:03:00|00:01:00|1|COMPLETED
`, want: totals{Completed: 4, NodeSeconds: 60 + 60 + 4096*60 + 60, Gaps: "[0 60 60]", Waits: "[0 0 60 0]",
			Estimates: "[-1 -1 -1 -1]", Found: "1 an unreadable JobID @8; " +
				"1 jobs with an unreadable duration in column elapsed, whose start and end tell their run time @5; " +
				"1 an unreadable number in column allocnodes; sacct --noconvert does not round @6; " +
				"1 an unknown state @7; 1 an unreadable time in column submit @4; " +
				"1 another number of fields than the header @3; 1 no time of submission @10; 1 " + orphanedSteps + " @12"}},

		{name: "CSV with quotation marks and carriage returns", text: "\"JobID\",\"JobName\",\"Submit\",\"Elapsed\",\"AllocTRES\"," +
			"\"State\",\"Start\"\r\n60,\"say \"\"hi, you\"\"\",2024-03-01 08:00:00,01:00,\"billing=4,cpu=4,gres/gpu:a100=2," +
			"gres/gpu:v100=1,node=2\",COMPLETED,2024-03-01 08:00:00\r\n61,x,2024-03-01T09:00:00+01:00,01:00," +
			"\"cpu=4,gres/gpu=2,gres/gpu:a100=2,node=1\",COMPLETED,2024-03-01T08:00:05Z\r\n", options: joblog.Options{Unit: InGPUs},
			want: totals{Completed: 2, NodeSeconds: 3*60 + 2*60, Gaps: "[0]", Waits: "[0 5]", Estimates: "[-1 -1]"}},

		// Clocks in Berlin were put back from 3:00 to 2:00 on 2024-10-27 and forward from 2:00 to 3:00 on 2024-03-31.
		{name: "daylight saving", options: joblog.Options{Location: berlin}, text: `JobID|Submit|Start|End|Elapsed|AllocNodes|State
70|2024-10-27T01:30:00|2024-10-27T01:30:00|2024-10-27T02:30:00|01:00:00|1|COMPLETED
71|2024-10-27T01:30:00|2024-10-27T01:30:00|2024-10-27T02:30:00|02:00:00|1|COMPLETED
72|2024-10-27T02:50:00|2024-10-27T02:10:00|2024-10-27T02:20:00|00:10:00|1|COMPLETED
73|2024-10-27T02:15:00|2024-10-27T02:20:00|2024-10-27T03:20:00|02:00:00|1|COMPLETED
74|2024-10-27T03:30:00|2024-10-27T03:30:00|2024-10-27T04:30:00|01:00:00|1|COMPLETED
`, want: totals{Completed: 5, NodeSeconds: 3600 + 7200 + 600 + 7200 + 3600, Gaps: "[0 2700 2100 6000]",
			Waits: "[0 0 300 1200 0]", Estimates: "[-1 -1 -1 -1 -1]", Found: "4 " + repeatedHour + " @2"}},

		// 80 was submitted before a start that its run time places in the first hour. Nothing places the others, which are taken for
		// jobs of the first hour.
		{name: "submitted while clocks are put back", options: joblog.Options{Location: berlin}, text: `JobID|Submit|Start|End|Elapsed|AllocNodes|State
83|2024-10-27T02:35:00|2024-10-27T02:36:00|2024-10-27T02:40:00|00:04:00|1|COMPLETED
80|2024-10-27T02:30:00|2024-10-27T02:32:00|2024-10-27T03:32:00|02:00:00|1|COMPLETED
81|2024-10-27T02:40:00|2024-10-27T04:00:00|2024-10-27T05:00:00|01:00:00|1|COMPLETED
82|2024-10-27T02:20:00|2024-10-27T03:30:00|2024-10-27T04:30:00|01:00:00|1|COMPLETED
84|2024-10-27T02:50:00|2024-10-27T04:00:00|2024-10-27T05:00:00|01:00:00|1|COMPLETED
`, want: totals{Completed: 5, NodeSeconds: 240 + 7200 + 3*3600, Gaps: "[600 300 300 600]",
			Waits: "[7800 120 60 8400 7800]", Estimates: "[-1 -1 -1 -1 -1]",
			Found: "4 " + doubtfulHour + " @2; 5 " + repeatedHour + " @2"}},

		// Nothing says in which of the two hours the first two jobs were submitted; the other year's is known.
		{name: "submitted in a doubtful hour", options: joblog.Options{Location: berlin}, text: `JobID|Submit|Start|End|Elapsed|AllocNodes|State
85|2024-10-27T02:30:00|2024-10-27T04:30:00|2024-10-27T05:30:00|01:00:00|1|COMPLETED
86|2024-10-27T02:40:00|2024-10-27T04:30:00|2024-10-27T05:30:00|01:00:00|1|COMPLETED
87|2025-10-26T02:30:00|2025-10-26T02:31:00|2025-10-26T03:31:00|02:00:00|1|COMPLETED
`, want: totals{Completed: 3, NodeSeconds: 2*3600 + 7200, Gaps: "[600 3.1449e+07]", Waits: "[10800 10200 60]", Estimates: "[-1 -1 -1]",
			Found: "2 " + doubtfulHour + " @2; 3 " + repeatedHour + " @2"}},

		{name: "daylight saving without a zone", text: `JobID|Submit|Start|End|Elapsed|AllocNodes|State
80|2024-03-31T01:30:00|2024-03-31T01:30:00|2024-03-31T03:30:00|01:00:00|2|COMPLETED
81|2024-03-31T04:30:00|2024-03-31T04:30:00|2024-03-31T05:30:00|01:00:00|2|COMPLETED
`, want: totals{Completed: 2, NodeSeconds: 4 * 3600, Gaps: "[10800]", Waits: "[0 0]", Estimates: "[-1 -1]",
			Found: "1 " + hourOff + " @2"}},

		{name: "Helios", options: joblog.Options{Unit: InGPUs}, text: `job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
1,u1,vc1,1,1,1,COMPLETED,2020-06-09 18:41:01,2020-06-09 18:41:11,2020-06-09 18:51:11,600,10
2,u2,vc1,8,16,2,CANCELLED,2020-06-09 18:41:31,2020-06-09 18:41:31,2020-06-09 18:41:41,10.0,0
3,u2,vc1,0,16,2,TIMEOUT,2020-06-09 18:41:32,2020-06-09 18:41:32,2020-06-09 18:41:42,10,0
`, want: totals{Completed: 1, Cancelled: 1, Failed: 1, NodeSeconds: 680, Gaps: "[30 1]", Waits: "[10 0 0]",
			Estimates: "[-1 -1 -1]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := joblog.Read(strings.NewReader(c.text), "f", c.options)
			if err != nil {
				t.Fatal(err)
			}
			c.want.Found = inOrder(c.want.Found)
			if diff := cmp.Diff(c.want, totalsOf(&l)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What cannot be read at all is an error that says what to do.
func TestUnreadableTables(t *testing.T) {
	for text, want := range map[string]string{
		"JobID|State|User\n1|COMPLETED|u\n":                                                         "no column Submit",
		"JobID|Submit|State|AllocNodes\n":                                                           "no column Elapsed or ElapsedRaw, nor both Start and End",
		"JobID|Submit|Elapsed|State\n":                                                              "no column of nodes",
		"JobID|Submit|Elapsed|Elapsed|State|AllocNodes\n":                                           "two columns",
		"JobID|Submit|Elapsed|State|AllocNodes\n":                                                   "holds no jobs",
		"JobID|Submit|Elapsed|State|AllocNodes\n1|x|y|z|0\n":                                        "f:2: no line holds a job: the only line has been skipped",
		"       JobID    JobName  Partition    Account\n------- ---------- ---------- ----------\n": "sacct --parsable2",
		"12|a|b|c|d\n": "sacct --allusers --parsable2",
	} {
		_, err := joblog.Read(strings.NewReader(text), "f", joblog.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// A job that was cancelled in the queue did not run, even if its elapsed time has a fraction of a second.
func TestCancelledInTheQueue(t *testing.T) {
	l, err := joblog.Read(strings.NewReader(`JobID|Submit|Start|End|Elapsed|NNodes|State
1|2024-03-01T08:00:00|None|2024-03-01T09:00:00|00:00:00.361|1|CANCELLED by 5
2|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T08:00:01|00:00:00.610|1|CANCELLED by 5
`), "f", joblog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Jobs) != 1 || l.Jobs[0].ID != 2 || l.Jobs[0].Run != 1 {
		t.Errorf("%+v", l.Jobs)
	}
	if len(l.Findings) != 1 || l.Findings[0].What != neverStarted {
		t.Errorf("found %v", l.Findings)
	}
}

// TestSharedNodes: jobs of one node with less than its CPUs are counted, if they are more than one in twenty of the jobs of one
// node, and if jobs are counted in nodes.
func TestSharedNodes(t *testing.T) {
	log := func(small, large int) string {
		var b strings.Builder
		b.WriteString("JobID|Submit|Start|End|NNodes|NCPUS|State\n")
		for i := range small + large {
			cpus, nodes := 4, 1
			if i >= small {
				cpus, nodes = 64*(1+i%2), 1+i%2
			}
			fmt.Fprintf(&b, "%d|2024-01-01T01:00:00|2024-01-01T01:00:00|2024-01-01T02:00:00|%d|%d|COMPLETED\n", i+1, nodes, cpus)
		}
		return b.String()
	}
	for _, c := range []struct {
		small, large int
		unit         joblog.Unit
		want         int
	}{{7, 10, "", 7}, {1, 60, "", 0}, {0, 10, "", 0}, {7, 10, InCPUs, 0}} {
		l, err := joblog.Read(strings.NewReader(log(c.small, c.large)), "sacct.txt", joblog.Options{Unit: c.unit})
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for _, f := range l.Findings {
			if strings.Contains(f.What, "less than its 64 CPUs, which may share the node") {
				count = f.Count
			}
		}
		if count != c.want {
			t.Errorf("%d small and %d large jobs, unit %q: %d found, not %d", c.small, c.large, c.unit, count, c.want)
		}
	}
}

// TestSharedNodesByName: a job shares its node if it has fewer CPUs than were in use on that node, whatever other nodes have.
func TestSharedNodesByName(t *testing.T) {
	type job struct {
		hour, nodes, cpus int
		list              string
	}
	for name, c := range map[string]struct {
		jobs  []job
		count int
		words string
	}{
		"each takes a whole node, of one size or another": {jobs: []job{{0, 1, 8, "a"}, {1, 1, 8, "a"}, {0, 1, 12, "b"}, {2, 2, 48, "c[1-2]"}}},
		"half of a node, one after the other":             {jobs: []job{{0, 1, 4, "a"}, {1, 1, 4, "a"}, {0, 1, 12, "b"}}},
		"two halves at once": {jobs: []job{{0, 1, 4, "a"}, {0, 1, 4, "a"}, {0, 1, 12, "b"}},
			count: 2, words: "less than its 8 CPUs"},
		"part of a node that a larger job had": {jobs: []job{{0, 2, 48, "c[1-2]"}, {1, 1, 6, "c1"}, {0, 1, 4, "a"}, {0, 1, 4, "a"}},
			count: 3, words: "less than its 8 to 24 CPUs"},
		"without names": {jobs: []job{{0, 1, 8, ""}, {1, 1, 12, ""}}, count: 1, words: "less than its 12 CPUs"},
	} {
		text := "JobID|Submit|Start|End|NNodes|NCPUS|State|NodeList\n"
		for i, j := range c.jobs {
			text += fmt.Sprintf("%d|2024-01-01T0%d:00:00|2024-01-01T0%[2]d:00:00|2024-01-01T0%d:00:00|%d|%d|COMPLETED|%s\n", i+1, j.hour, j.hour+1,
				j.nodes, j.cpus, j.list)
		}
		l := readText(t, text, joblog.Options{})
		count := 0
		for _, f := range l.Findings {
			if strings.Contains(f.What, "may share the node") {
				if count = f.Count; !strings.Contains(f.What, c.words) {
					t.Errorf("%s: %s", name, f.What)
				}
			}
		}
		if count != c.count {
			t.Errorf("%s: %d jobs may share nodes, want %d", name, count, c.count)
		}
	}
}

// TestWholeNodesListedTwice: jobs that each take a whole node do not share it because the log lists them twice: the whole log, or
// row by row.
func TestWholeNodesListedTwice(t *testing.T) {
	const head = "JobID|Submit|Start|End|NNodes|NCPUS|State|NodeList\n"
	whole, byRow := "", ""
	for i := range 9 {
		for node := range 3 {
			row := fmt.Sprintf("%d|2024-01-01T0%d:00:00|2024-01-01T0%[2]d:00:00|2024-01-01T0%d:00:00|1|8|COMPLETED|n%d\n", 3*i+node+1, i, i+1, node)
			whole, byRow = whole+row, byRow+row+row
		}
	}
	for name, rows := range map[string]string{"the whole log": whole + whole, "row by row": byRow} {
		l := readText(t, head+rows, joblog.Options{})
		if len(l.Jobs) != 27 || found(&l, listedTwice) != 27 || found(&l, "may share the node") != 0 {
			t.Errorf("%s: %d jobs, %v", name, len(l.Jobs), l.Findings)
		}
	}
}

// TestOpenFieldBeforeLongLine: an unclosed quotation mark does not hide the line behind it, and lines keep their numbers across
// blank lines.
func TestOpenFieldBeforeLongLine(t *testing.T) {
	const header, open = "JobID,Submit,Elapsed,State,AllocNodes\n", "\n\"2,2024-03-01T08:00:00,00:10:00,COMPLETED,1\n"
	const job = "1,2024-03-01T08:00:00,00:10:00,COMPLETED,1"
	l := readText(t, header+job+open+strings.Repeat("x", 9<<20)+"\n", joblog.Options{})
	if n := found(&l, "a line longer than any job"); len(l.Jobs) != 1 || n != 1 {
		t.Errorf("%d jobs, %d long lines: %v", len(l.Jobs), n, l.Findings)
	}
	l = readText(t, header+job+open+"\n\n3,soon,00:10:00,COMPLETED,1\n", joblog.Options{})
	for _, f := range l.Findings {
		if strings.Contains(f.What, "an unreadable time") && f.First != 6 {
			t.Errorf("the line with the unreadable time is said to be line %d", f.First)
		}
	}
}

// TestResourcesBetweenCommas: in a table whose columns are separated by commas, lists of resources that hold commas are one field
// each.
func TestResourcesBetweenCommas(t *testing.T) {
	l := readText(t, "JobID,Submit,Start,End,State,ReqTRES,AllocTRES,Timelimit,JobName\n"+
		"1,2024-01-01T00:00:01,2024-01-01T00:00:05,2024-01-01T01:00:05,COMPLETED,cpu=4,node=1,cpu=4,mem=8G,node=2,01:00:00,a\n"+
		"2,2024-01-01T00:00:02,2024-01-01T00:00:05,2024-01-01T01:00:05,COMPLETED,,billing=1,gres/gpu=2,node=3,01:00:00,b\n"+
		"3,2024-01-01T00:00:03,2024-01-01T00:00:05,2024-01-01T01:00:05,COMPLETED,node=1,node=4,01:00:00,c\n"+
		"4,2024-01-01T00:00:04,2024-01-01T00:00:05,2024-01-01T01:00:05,COMPLETED,\"cpu=4,node=1\",\"cpu=4,node=5\",01:00:00,d=e\n",
		joblog.Options{})
	var nodes []int
	for _, j := range l.Jobs {
		if nodes = append(nodes, j.Processors); j.Estimate != 3600 {
			t.Errorf("job %d has a limit of %g s", j.ID, j.Estimate)
		}
	}
	if !slices.Equal(nodes, []int{2, 3, 4, 5}) || l.Lost.Lines != 0 {
		t.Errorf("jobs of %v nodes, %d lines lost: %v", nodes, l.Lost.Lines, l.Findings)
	}
}

// TestFreeTextBetweenCommas: in a table whose columns are separated by commas, the free text of a job may hold commas and equals
// signs, before and behind lists of resources.
func TestFreeTextBetweenCommas(t *testing.T) {
	for header, lists := range map[string][]string{
		"JobID,Submit,Start,End,State,ReqTRES,JobName,AllocTRES": {"cpu=4,node=1,", ",cpu=4,mem=8G,node=2"},
		"JobID,Submit,Start,End,State,ReqTRES,AllocTRES,JobName": {"cpu=4,node=1,cpu=4,gres/gpu=1,node=2,", ""},
		"JobID,Submit,Start,End,State,JobName,AllocTRES,ReqTRES": {"", ",cpu=4,node=2,cpu=2,node=1"},
	} {
		for _, text := range []string{"a", "a,b", "x=1", "x=1,y=2", "", ",,", "lr=0.1,n=4,"} {
			l := readText(t, header+"\n1,2024-01-01T00:00:01,2024-01-01T00:00:05,2024-01-01T01:00:05,COMPLETED,"+lists[0]+text+lists[1]+"\n", joblog.Options{})
			if len(l.Jobs) != 1 || l.Jobs[0].Processors != 2 {
				t.Errorf("%s, name %q: %v, %v", header, text, l.Jobs, l.Findings)
			}
		}
	}
}
