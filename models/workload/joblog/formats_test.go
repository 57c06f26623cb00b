package joblog_test

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/partwise/partwise/models/workload/joblog"
)

const pbsText = `03/01/2024 08:00:00;Q;1.s;queue=batch
03/01/2024 08:00:10;S;1.s;user=u1 group=g queue=batch ctime=1709280000 qtime=1709280000 etime=1709280000 start=1709280010
03/01/2024 08:10:10;E;1.s;user=u1 group=g jobname=a queue=batch ctime=1709280000 qtime=1709280000 etime=1709280000 start=1709280010 exec_host=n1/0-7+n2/0-7 Resource_List.nodes=2:ppn=8:gpus=2 Resource_List.nodect=2 Resource_List.walltime=01:00:00 session=1 total_execution_slots=16 end=1709280610 Exit_status=0 resources_used.walltime=00:10:01
03/01/2024 08:11:10;E;2[7].s;user=u2 group=g jobname=b queue=long ctime=1709280100 qtime=1709280100 etime=1709280100 start=1709280610 exec_host=n1/0*4 Resource_List.select=1:ncpus=4:ngpus=1 Resource_List.ncpus=4 Resource_List.ngpus=1 Resource_List.walltime=3600 session=1 end=1709280670 Exit_status=271
03/01/2024 08:12:10;E;3.s;user=u2 group=g queue=long ctime=1709280050 start=1709280610 exec_host=n1/0+n1/1+n3/0 Resource_List.nodes=n1:ppn=2+n3 end=1709280620 Exit_status=1
03/01/2024 08:12:10;E;4.s;user=u2 ctime=1709280050 ctime=1709280051 start=1709280610 end=1709280620 exec_host=n1/0
03/01/2024 08:12:10;E;x;user=u2
cut off
`

const sacctJSONText = `{
 "meta": {"jobs": 1},
 "jobs": [
  {"job_id": 5, "array": {"job_id": 0, "task_id": {"set": false, "infinite": false, "number": 0}}, "het": {"job_id": 0},
   "user": "u", "account": "a", "partition": "p", "allocation_nodes": 2, "state": {"current": ["COMPLETED"], "reason": "None"},
   "time": {"elapsed": 60, "submission": 1709280000, "eligible": 1709280000, "start": 1709280010, "end": 1709280070,
    "limit": {"set": true, "infinite": false, "number": 10}},
   "tres": {"allocated": [{"type": "cpu", "name": "", "id": 1, "count": 8}, {"type": "gres", "name": "gpu", "count": 4},
    {"type": "gres", "name": "gpu:a100", "count": 4}], "requested": []}, "steps": [{"time": {"elapsed": 50}}]},
  {"job_id": 6, "state": {"current": "CANCELLED"}, "allocation_nodes": 0,
   "time": {"elapsed": 0, "submission": 1709280001, "start": 1709280009, "end": 1709280009, "limit": 5}, "tres": {}},
  {"job_id": 7, "state": {"current": ["RUNNING"]}, "allocation_nodes": 1, "time": {"elapsed": 30, "submission": 1709280002,
   "start": 1709280003, "end": 0, "limit": {"set": false, "infinite": true, "number": 0}}},
  {"job_id": 8, "state": {"current": ["TIMEOUT"]}, "allocation_nodes": 3, "time": {"elapsed": 600, "submission": 1709280005,
   "start": 1709280005, "end": 1709280605, "limit": {"set": false, "infinite": true, "number": 0}}},
  {"job_id": "nine", "state": {"current": ["TIMEOUT"]}},
  {"job_id": 10, "state": {"current": ["LOST"]}, "time": {"elapsed": 1, "submission": 1709280005}}
 ]
}
`

const phillyText = `[
 {"status": "Pass", "vc": "v", "jobid": "application_1_1", "user": "u", "submitted_time": "2017-10-07 01:11:39", "attempts": [
  {"start_time": "2017-10-07 01:12:09", "end_time": "2017-10-07 01:13:23", "detail": [{"ip": "m1", "gpus": ["gpu0", "gpu1"]}]},
  {"start_time": "2017-10-07 01:13:30", "end_time": "2017-10-07 01:14:30", "detail": [{"ip": "m2", "gpus": ["gpu0", "gpu1"]}, {"ip": "m3", "gpus": ["gpu0"]}]}]},
 {"status": "Killed", "vc": "v", "jobid": "application_1_2", "user": "u", "submitted_time": "2017-10-07 02:00:00", "attempts": []},
 {"status": "Failed", "vc": "w", "jobid": "application_1_3", "user": "v", "submitted_time": "2017-10-07 01:11:49", "attempts": [
  {"start_time": "2017-10-07 01:11:59", "end_time": null, "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}]},
 {"status": "Killed", "vc": "w", "jobid": "application_1_4", "user": "v", "submitted_time": "2017-10-07 01:11:49", "attempts": [
  {"start_time": "2017-10-07 01:11:59", "end_time": "2017-10-07 01:12:09", "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}]}
]
`

const elastiSimText = `{"jobs": [
 {"type": "rigid", "submit_time": 2.5, "num_nodes": 4, "walltime": 100, "application_model": "a.json", "arguments": {"run_time": "30.25"}},
 {"type": "malleable", "submit_time": 0, "num_nodes_min": 2, "num_nodes_max": 8, "application_model": "a.json", "arguments": {"num_nodes": 3, "runtime": 10}},
 {"type": "moldable", "submit_time": 1, "num_nodes_min": 2, "num_nodes_max": 8, "application_model": "a.json"},
 {"type": "rigid", "submit_time": 4, "num_nodes": 1, "application_model": "a.json", "arguments": {}}
]}`

// Formats other than tables, with totals that were counted by hand.
func TestFormats(t *testing.T) {
	for _, c := range []struct {
		name, text string
		format     joblog.Format
		unit       joblog.Unit
		want       totals
	}{
		{"nodes of PBS", pbsText, pbs, "", totals{Completed: 1, Failed: 1, Cancelled: 1, NodeSeconds: 2*600 + 2*10 + 60,
			Gaps: "[50 50]", Waits: "[10 560 510]", Estimates: "[3600 -1 3600]",
			Found: "1 " + sharedNodes(8) + " @0; 1 an unreadable number of a job @7; 1 an attribute that is given twice @6; 1 no date, " +
				"type and number of a job @8"}},
		{"CPUs of PBS", pbsText, pbs, InCPUs, totals{Completed: 1, Failed: 1, Cancelled: 1, NodeSeconds: 16*600 + 3*10 + 4*60,
			Gaps: "[50 50]", Waits: "[10 560 510]", Estimates: "[3600 -1 3600]",
			Found: "1 an unreadable number of a job @7; 1 an attribute that is given twice @6; 1 no date, type and number of a job @8"}},
		{"GPUs of PBS", pbsText, pbs, InGPUs, totals{Completed: 1, Failed: 1, Cancelled: 1, NodeSeconds: 4*600 + 60,
			Gaps: "[50 50]", Waits: "[10 560 510]", Estimates: "[3600 -1 3600]",
			Found: "1 an unreadable number of a job @7; 1 an attribute that is given twice @6; 1 no date, type and number of a job @8"}},
		{"nodes of sacct --json", sacctJSONText, sacctJSON, "", totals{Completed: 1, Failed: 1, NodeSeconds: 120 + 1800,
			Gaps: "[5]", Waits: "[10 0]", Estimates: "[600 -1]", Unfinished: 1,
			Found: "1 an unknown state @17; 1 an unreadable job_id @16; 1 " + neverStarted + " @0; 1 " +
				stillRunning + " @0"}},
		{"GPUs of sacct --json", sacctJSONText, sacctJSON, InGPUs, totals{Completed: 1, Failed: 1, NodeSeconds: 240,
			Gaps: "[5]", Waits: "[10 0]", Estimates: "[600 -1]", Unfinished: 1,
			Found: "1 an unknown state @17; 1 an unreadable job_id @16; 1 " + neverStarted + " @0; 1 " +
				stillRunning + " @0"}},
		{"GPUs of Philly", phillyText, philly, InGPUs, totals{Completed: 1, Failed: 1, Cancelled: 1,
			NodeSeconds: 2*74 + 3*60 + 10, Gaps: "[10 94]", Waits: "[30 10 7]", Estimates: "[-1 -1 -1]",
			Found: "1 " + noRunTime + " @6; 1 " + requeued + " @2; 1 " + neverStarted + " @0"}},
		{"damaged jobs of Philly count once, whatever their attempts",
			strings.NewReplacer("01:11:39", "01:71:39", `"Failed"`, `"Lost"`).Replace(phillyText),
			philly, "", totals{Cancelled: 1, NodeSeconds: 10, Gaps: "[]", Waits: "[10]", Estimates: "[-1]",
				Found: "1 an unreadable submitted_time @2; 1 an unknown status @6; 1 " + neverStarted + " @0"}},
		{"ElastiSim", elastiSimText, elastiSim, "", totals{NodeSeconds: 3*10 + 4*30.25 - 1, Gaps: "[2.5 1.5]",
			Waits: "[-1 -1 -1]", Estimates: "[-1 100 -1]", Found: "1 no num_nodes, on which a run time would be known @4"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := joblog.Recognise([]byte(c.text)); got != c.format {
				t.Errorf("recognised as %q", got)
			}
			l, err := joblog.Read(strings.NewReader(c.text), "f", joblog.Options{Unit: c.unit})
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

// A log that ends too early is an error, in whatever format.
func TestCutOff(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := newMadeUp(5000, true).text.WriteTo(z); err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(bytes.Repeat([]byte("1|u|g|p|2024-03-01T00:00:00|2024-03-01T00:00:00|2024-03-01T00:00:01|00:00:01|1||COMPLETED|\n"), 9)); err != nil {
		t.Fatal(err)
	}
	z.Close()
	for name, text := range map[string]string{
		"gzip":        zipped.String()[:zipped.Len()/2],
		"sacct JSON":  sacctJSONText[:900],
		"Philly":      phillyText[:len(phillyText)-5],
		"ElastiSim":   elastiSimText[:len(elastiSimText)-40],
		"empty array": `{"jobs": [`,
	} {
		_, err := joblog.Read(strings.NewReader(text), "f", joblog.Options{Format: map[string]joblog.Format{"empty array": sacctJSON}[name]})
		if err == nil || !strings.Contains(err.Error(), "cut off") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// swfAlone compares what the Standard Workload Format has of jobs.
var swfAlone = cmpopts.IgnoreFields(joblog.Job{}, "Held", "State", "QOS", "Cluster", "NodeList", "Task", "Component", "Pieces")

// What a log of another format says is written in Standard Workload Format, and read from it again.
func TestConversion(t *testing.T) {
	zone, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		t.Fatal(err)
	}
	l, err := joblog.Read(strings.NewReader(phillyText), "f", joblog.Options{Location: zone})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := joblog.WriteSWF(&b, &l.Header, joblog.ListOf(l.Jobs).All()); err != nil {
		t.Fatal(err)
	}
	again, err := joblog.Read(&b, "g", joblog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(l.Jobs, again.Jobs, cmpopts.EquateEmpty(), swfAlone); diff != "" {
		t.Error(diff)
	}
	if got := time.Unix(again.Header.UnixStartTime, 0).In(again.Header.Location()).String(); got != "2017-10-07 01:11:39 -0700 PDT" {
		t.Error(got)
	}
}

// Jobs are as many as sacct lists, in order, whatever the order of the lines.
func TestManyJobs(t *testing.T) {
	l, err := joblog.Read(newMadeUp(40_000, true), "f", joblog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	last := 0.0
	for i, j := range l.Jobs {
		if j.Submit < last || j.Run != 90065 {
			t.Fatalf("job %d: %+v", i, j)
		}
		last = j.Submit
	}
	if len(l.Jobs) != 10_000 {
		t.Errorf("%d jobs", len(l.Jobs))
	}
}

// fuzz reads whatever there is as a log of a format: the jobs of one that is read without an error are possible ones, in
// order, and are the same when they have been written.
func fuzz(f *testing.F, format joblog.Format, seeds ...string) {
	for _, text := range seeds {
		for i := range joblog.Units() {
			f.Add(text, uint8(i))
		}
	}
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string, unit uint8) {
		joblog.Recognise([]byte(text))
		l, err := joblog.Read(strings.NewReader(text), "f", joblog.Options{Format: format, Unit: joblog.Units()[unit%3], Location: zone})
		if err != nil {
			return
		}
		last := 0.0
		for i, j := range l.Jobs {
			if j.Submit < last || j.Run < 0 && format != elastiSim || j.Wait < -1 || j.Estimate < -1 || j.Processors < 0 {
				t.Fatalf("job %d: %+v", i, j)
			}
			last = j.Submit
		}
		for _, f := range l.Findings {
			if f.Count < 1 || f.Lost && f.First < 1 {
				t.Fatalf("%+v", f)
			}
		}
		var b bytes.Buffer
		if err := joblog.WriteSWF(&b, &l.Header, joblog.ListOf(l.Jobs).All()); err != nil {
			t.Fatal(err)
		}
		again, err := joblog.Read(&b, "g", joblog.Options{Format: joblog.SWF})
		if err == nil {
			if diff := cmp.Diff(l.Jobs, again.Jobs, cmpopts.EquateEmpty(), swfAlone); diff != "" {
				t.Fatal(diff)
			}
		} else if format != elastiSim { // whose numbers may be larger than the format has
			t.Fatal(err)
		}
	})
}

const sacctSeed = `JobID|JobName|Submit|Start|End|Elapsed|AllocNodes|AllocTRES|State|Timelimit
1_2+3|a|2024-10-27T02:30:00|None|Unknown|1-00:00:00|2K|cpu=1,gres/gpu:a=2|CANCELLED by 1|UNLIMITED
1_2.0|a|2024-10-27T02:30:00|2024-10-27T02:30:00|Unknown|00:01|2|node=2|RUNNING|1-00:00:00
1|b|2024-10-27T02:30:00|2024-10-27T02:40:00|2024-10-27T02:50:00|01:10:00|2|cpu=1,node=2,gres/gpu=2|COMPLETED|01:00:00
1|b|2024-10-27T02:30:00|2024-10-27T05:40:00|2024-10-27T05:50:00|00:10:00|2|cpu=1,node=2,gres/gpu=2|COMPLETED|01:00:00
`

const heliosSeed = `job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
1,u,v,1,1,1,COMPLETED,2020-06-09 18:41:01,2020-06-09 18:41:01,2020-06-10 04:55:09,36848,0
`

func FuzzSacctTable(f *testing.F) {
	fuzz(f, sacct, sacctSeed, strings.ReplaceAll(strings.ReplaceAll(sacctSeed, ",", ";"), "|", ","))
}
func FuzzSacctJSON(f *testing.F) { fuzz(f, sacctJSON, sacctJSONText) }
func FuzzPBS(f *testing.F)       { fuzz(f, pbs, pbsText) }
func FuzzHelios(f *testing.F)    { fuzz(f, helios, heliosSeed) }
func FuzzPhilly(f *testing.F)    { fuzz(f, philly, phillyText) }
func FuzzElastiSim(f *testing.F) { fuzz(f, elastiSim, elastiSimText) }

// takenForSWF names the guess in an error of a file that begins with a number.
const takenForSWF = "; a file that begins with a number is taken for a log in Standard Workload Format; " +
	"--fields names the columns of a table of sacct without its header"

// What is not a log is told by what it looks like; what may be a damaged log in Standard Workload Format is read as one.
func TestLookalikes(t *testing.T) {
	for text, want := range map[string]string{
		"# a model\nversion: 1\n": "f:1: is not a job log; it looks like YAML, such as a model file",
		"version: 1\n":            "f:1: is not a job log; it looks like YAML, such as a model file",
		"---\na: 1\n":             "f:1: is not a job log; it looks like YAML, such as a model file",
		"{\"a\": 1}":              "f:1: is not a job log; it looks like JSON without jobs",
		"a,b\r\n1,2\r\n":          "f:1: is not a job log; it looks like a table whose columns are not those of a job log: a,b",
		"\x7fELF\x00\x01":         "f:1: is not a job log; it looks like binary data",
		"\xff\xfe;\x00":           "f:1: the file is in UTF-16; save it in the encoding UTF-8 (PowerShell: Out-File -Encoding utf8)",
		"1 2 3\n":                 `f:1: no line holds a job: the only line has been skipped, with fewer than the 18 fields of the Standard Workload Format: "1 2 3"` + takenForSWF,
		"-1 x\n":                  `f:1: no line holds a job: the only line has been skipped, with an unreadable number in column submit: "x"` + takenForSWF,
		"not a log\n":             `f:1: is not a job log; it looks like plain text`,
	} {
		if _, err := joblog.Read(strings.NewReader(text), "f", joblog.Options{}); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestPBSDurations: PBS and Torque write durations as [[[DD:]HH:]MM:]SS, and as a number of seconds.
func TestPBSDurations(t *testing.T) {
	for text, want := range map[string]float64{"1:00:00:00": 86400, "00:01:00:00": 3600, "24:00:00": 86400, "60:00": 3600, "3600": 3600} {
		line := "03/01/2024 08:10:10;E;1.s;user=u1 queue=q ctime=1709280000 qtime=1709280000 start=1709280010 Resource_List.nodect=2 " +
			"Resource_List.walltime=" + text + " end=1709280610 Exit_status=0 resources_used.walltime=00:00:10:00\n"
		l, err := joblog.Read(strings.NewReader(line), "f", joblog.Options{})
		if err != nil || len(l.Jobs) != 1 || l.Jobs[0].Estimate != want || l.Jobs[0].Run != 600 || len(l.Findings) > 0 {
			t.Errorf("%s: %+v, %v", text, l, err)
		}
	}
}
