package joblog_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/testdata/needs"
	_ "github.com/partwise/partwise/testdata/phtest"
)

// comments is an endless log of comments that ends in one job.
type comments struct {
	left int64
	line string
}

func (c *comments) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) && c.left > 0 {
		k := copy(p[n:], c.line)
		k = min(k, int(c.left))
		n += k
		c.left -= int64(k)
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// A log may be all comments, of any length: memory stays bounded. (Ten gigabytes with -study; time grows, memory does
// not.)
func TestCommentsOfAnyLength(t *testing.T) {
	size := int64(200 << 20)
	if needs.IsStudy() {
		size = 10 << 30
	}
	for name, line := range map[string]string{
		"lines":    "; Note: a comment of a log that somebody appended everything to\n",
		"keys":     "; Key: value\n; Another: value\n",
		"one line": strings.Repeat(";", 64),
	} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		l, err := joblog.Read(&comments{left: size, line: line}, "f", joblog.Options{Format: joblog.SWF})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 16<<20 {
			t.Errorf("%s: %d bytes are kept of %d", name, kept, size)
		}
		runtime.KeepAlive(l)
	}
}

// Whatever is written is read again as it was. Submissions, waits and run times are untold or not negative: Scan leaves other jobs
// out.
func TestWriteAndRead(t *testing.T) {
	whole := rapid.IntRange(-1, 1e9)
	lasting := rapid.OneOf(rapid.Just(-1.), rapid.Float64Range(0, 1e12))
	rapid.Check(t, func(t *rapid.T) {
		var jobs []joblog.Job
		for range rapid.IntRange(0, 20).Draw(t, "jobs") {
			n := func(what string) int { return whole.Draw(t, what) }
			x := func(what string) float64 { return rapid.Float64Range(-1, 1e12).Draw(t, what) }
			jobs = append(jobs, joblog.Job{ID: n("id"), Submit: lasting.Draw(t, "submit"), Wait: lasting.Draw(t, "wait"), Run: lasting.Draw(t, "run"), Processors: n("p"),
				ProcessorTime: x("cpu"), Memory: x("mem"), RequestedProcessors: n("rp"), Estimate: x("est"), RequestedMemory: x("rm"),
				Status: joblog.Status(rapid.IntRange(-1, 5).Draw(t, "status")), User: n("u"), Group: n("g"), Application: n("a"),
				Queue: n("q"), Partition: n("part"), Preceding: n("prec"), ThinkTime: x("think")})
			if i := len(jobs) - 1; jobs[i].Status > joblog.Completed && jobs[i].Status < joblog.Cancelled {
				jobs[i].ID += 2e9 // a part with the number of the job before it would not be read as a job
			}
		}
		var b bytes.Buffer
		if err := joblog.WriteSWF(&b, &joblog.Header{Comments: []string{" MaxProcs: 7", " Note: made up"}}, joblog.ListOf(jobs).All()); err != nil {
			t.Fatal(err)
		}
		var again []joblog.Job
		l, err := joblog.Scan(&b, "f", joblog.Options{Format: joblog.SWF}, func(j *joblog.Job) bool {
			again = append(again, *j)
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(jobs, again); diff != "" {
			t.Error(diff)
		}
		if l.Header.MaxProcs != 7 || len(l.Header.Comments) != 2 {
			t.Errorf("header %+v", l.Header)
		}
	})
}

// kept returns jobs that come without an error.
func kept(t *testing.T, jobs joblog.Jobs) []joblog.Job {
	t.Helper()
	list, err := joblog.Keep(jobs, "f", 0)
	if err != nil {
		t.Fatal(err)
	}
	return list.Jobs()
}

func TestChoose(t *testing.T) {
	jobs := []joblog.Job{
		{ID: 1, Submit: -1, Run: 1, Processors: 1},
		{ID: 2, Submit: 0, Run: -1, Processors: 1},
		{ID: 3, Submit: 0, Run: 1, Processors: -1, RequestedProcessors: -1},
		{ID: 4, Submit: 0, Run: 1, Processors: 200},
		{ID: 5, Submit: 5, Run: 1, Processors: 2, Status: joblog.Completed},
		{ID: 6, Submit: 20, Run: 1, Processors: 2, Status: joblog.Completed},
		{ID: 7, Submit: 20, Run: 1, Processors: -1, RequestedProcessors: 2, Status: joblog.Cancelled},
		{ID: 8, Submit: 21, Run: 1, Processors: 64, Status: joblog.Completed},
		{ID: 9, Submit: 30, Run: 1, Processors: 2, Status: joblog.Completed},
		{ID: 10, Submit: 30, Run: 1e15, Processors: 2}, {ID: 11, Submit: 1e12, Run: 1, Processors: 2},
		{ID: 12, Submit: -1, Run: 7, Processors: 1, Status: joblog.Completed}, {ID: 13, Submit: 20, Run: -1, Processors: 1, Status: joblog.Completed},
		{ID: 14, Submit: 20, Run: 1, Processors: -1, RequestedProcessors: -1, Status: joblog.Completed},
		{ID: 15, Submit: 20, Run: 1e15, Processors: 1, Status: joblog.Completed},
	}
	wanted := joblog.Range{From: 10, To: 30, Sizes: joblog.Sizes{To: 32}, Statuses: []joblog.Status{joblog.Completed}}
	skipped, lost := map[string]int{}, 0.0
	kept := kept(t, wanted.Choose(joblog.ListOf(jobs).All(), 128, func(reason string, nodeTime float64) {
		skipped[reason]++
		lost += nodeTime
	}))
	if lost != 7 { // of job 12; others that cannot be run tell no node-seconds, or are unwanted, too
		t.Errorf("%g node-seconds are lost", lost)
	}
	if len(kept) != 1 || kept[0].ID != 6 {
		t.Errorf("kept %+v", kept)
	}
	want := map[string]int{"no submit time": 1, "no run time": 1, "no processors": 1,
		"before the range": 4, "status cancelled": 1, "status failed": 1, "too large": 1,
		"a time of more than 3,000 years": 1, "after the range": 3}
	if diff := cmp.Diff(want, skipped); diff != "" {
		t.Error(diff)
	}
}

// TestNegativeNumbers: a negative number other than -1, which stands for an unknown one, is damage whose line is told.
func TestNegativeNumbers(t *testing.T) {
	const good = "1 0 0 100 2 -1 -1 2 -1 -1 1 1 1 1 1 1 -1 -1\n"
	for bad, want := range map[string]string{
		"2 -10 0 100 2 -1 -1 2 -1 -1 1 1 1 1 1 1 -1 -1\n":  "a negative number in column submit",
		"2 -0.5 0 100 2 -1 -1 2 -1 -1 1 1 1 1 1 1 -1 -1\n": "a negative number in column submit",
		"2 10 0 100 -2 -1 -1 2 -1 -1 1 1 1 1 1 1 -1 -1\n":  "a negative number in column processors",
	} {
		l, err := joblog.Read(strings.NewReader(good+bad), "f", joblog.Options{Format: joblog.SWF})
		if err != nil || len(l.Jobs) != 1 || len(l.Findings) != 1 || l.Lost.First != 2 {
			t.Fatalf("%q: %+v, %v", bad, l, err)
		}
		if f := l.Findings[0]; f.What != want || f.First != 2 || !f.Lost {
			t.Errorf("%q: %+v", bad, f)
		}
	}
}

func TestStretch(t *testing.T) {
	slow := kept(t, joblog.Stretch(joblog.ListOf([]joblog.Job{{Submit: 10}, {Submit: 20}, {Submit: 50}}).All(), 2))
	if slow[0].Submit != 10 || slow[1].Submit != 30 || slow[2].Submit != 90 {
		t.Errorf("%+v", slow)
	}
	// Run times would be lost beside such times: 1e300 + 1 is 1e300.
	var damage *joblog.Error
	if _, err := joblog.Keep(joblog.Stretch(joblog.ListOf([]joblog.Job{{ID: 7}, {ID: 8, Submit: 5}}).All(), 1e300), "f", 0); !errors.As(err, &damage) {
		t.Errorf("stretched beyond all numbers: %v", err)
	}
}

// A log of more jobs than are wanted is refused.
func TestMost(t *testing.T) {
	line := strings.Repeat("-1 ", 18)
	for format, text := range map[joblog.Format]string{joblog.SWF: strings.Repeat(line+"\n", 3),
		sacct: sacctSeed + strings.ReplaceAll(sacctSeed, "\n1", "\n2")} {
		if _, err := joblog.Read(strings.NewReader(text), "f", joblog.Options{Format: format, Most: 2}); !errors.Is(err, joblog.ErrTooMany) ||
			!strings.Contains(err.Error(), "more than 2 jobs") {
			t.Errorf("%s: more than two jobs: %v", format, err)
		}
	}
	if l, err := joblog.Read(strings.NewReader(line), "f", joblog.Options{Most: 1}); err != nil || len(l.Jobs) != 1 {
		t.Errorf("%+v, %v", l.Jobs, err)
	}
}

func TestTimes(t *testing.T) {
	l, err := joblog.Read(strings.NewReader("; UnixStartTime: 843480031\n; TimeZone: 3600\n"+
		"; TimeZoneString: Europe/Stockholm\n"), "f", joblog.Options{Format: joblog.SWF})
	if err != nil {
		t.Fatal(err)
	}
	// The log itself says: StartTime: Mon Sep 23 14:00:31 CEST 1996.
	if got := time.Unix(l.Header.UnixStartTime, 0).In(l.Header.Location()).Format("2006-01-02 15:04:05"); got != "1996-09-23 14:00:31" {
		t.Errorf("the log starts %s", got)
	}
}
