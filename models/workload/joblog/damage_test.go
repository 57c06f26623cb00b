package joblog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "github.com/partwise/partwise/phasetype/phtest"
	"pgregory.net/rapid"
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

// A log may be all comments, of any length: memory stays bounded. (Ten gigabytes with -long; time grows, memory does
// not.)
func TestCommentsOfAnyLength(t *testing.T) {
	size := int64(200 << 20)
	if *long {
		size = 10 << 30
	}
	for name, line := range map[string]string{
		"lines":    "; Note: a comment of a log that somebody appended everything to\n",
		"keys":     "; Key: value\n; Another: value\n",
		"one line": strings.Repeat(";", 64),
	} {
		r, err := Open(&comments{left: size, line: line}, "f", Options{Format: SWF})
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		var j Job
		if err := r.Next(&j); err != io.EOF {
			t.Errorf("%s: %v", name, err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 16<<20 {
			t.Errorf("%s: %d bytes are kept of %d", name, kept, size)
		}
	}
}

// An error names its row, and reading goes on behind it.
func TestReadingGoesOnBehindADamagedLine(t *testing.T) {
	line := "%d 5 10 100 4 -1 -1 4 210 -1 1 1 1 -1 -1 -1 -1 -1\n"
	text := fmt.Sprintf(line, 1) + "2 5 ten\n" + strings.Repeat("7", 1<<20) + "\n" + fmt.Sprintf(line, 3)
	r, err := Open(strings.NewReader(text), "f", Options{Format: SWF})
	if err != nil {
		t.Fatal(err)
	}
	var ids []int
	var rows []int
	for {
		var j Job
		err := r.Next(&j)
		if errors.Is(err, io.EOF) {
			break
		}
		var located *Error
		if errors.As(err, &located) {
			rows = append(rows, located.Row)
			continue
		}
		ids = append(ids, j.ID)
	}
	if diff := cmp.Diff([]int{1, 3}, ids); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{2, 3}, rows); diff != "" {
		t.Error(diff)
	}
}

// Whatever is written is read again as it was.
func TestWriteAndRead(t *testing.T) {
	whole := rapid.IntRange(-1, 1e9)
	rapid.Check(t, func(t *rapid.T) {
		var jobs []Job
		for range rapid.IntRange(0, 20).Draw(t, "jobs") {
			n := func(what string) int { return whole.Draw(t, what) }
			x := func(what string) float64 { return rapid.Float64Range(-1, 1e12).Draw(t, what) }
			jobs = append(jobs, Job{n("id"), x("submit"), x("wait"), x("run"), n("p"), x("cpu"), x("mem"), n("rp"), x("est"),
				x("rm"), Status(rapid.IntRange(-1, 5).Draw(t, "status")), n("u"), n("g"), n("a"), n("q"), n("part"), n("prec"),
				x("think")})
		}
		var b bytes.Buffer
		if err := WriteSWF(&b, &Header{Comments: []string{" MaxProcs: 7", " Note: made up"}}, Jobs(jobs)); err != nil {
			t.Fatal(err)
		}
		l, err := Read(&b, "f", Options{Format: SWF})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(jobs, l.Jobs); diff != "" {
			t.Error(diff)
		}
		if l.Header.MaxProcs != 7 || len(l.Header.Comments) != 2 {
			t.Errorf("header %+v", l.Header)
		}
	})
}

func TestFilter(t *testing.T) {
	jobs := []Job{
		{ID: 1, Submit: -1, Run: 1, Processors: 1},
		{ID: 2, Submit: 0, Run: -1, Processors: 1},
		{ID: 3, Submit: 0, Run: 1, Processors: -1, RequestedProcessors: -1},
		{ID: 4, Submit: 0, Run: 1, Processors: 200},
		{ID: 5, Submit: 5, Run: 1, Processors: 2, Status: Completed},
		{ID: 6, Submit: 20, Run: 1, Processors: 2, Status: Completed},
		{ID: 7, Submit: 20, Run: 1, Processors: -1, RequestedProcessors: 2, Status: Cancelled},
		{ID: 8, Submit: 21, Run: 1, Processors: 64, Status: Completed},
		{ID: 9, Submit: 30, Run: 1, Processors: 2, Status: Completed},
		{ID: 10, Submit: 30, Run: 1e15, Processors: 2}, {ID: 11, Submit: 1e12, Run: 1, Processors: 2},
	}
	f := &Filter{In: Jobs(jobs), Nodes: 128, Range: Range{From: 10, To: 30, MaxNodes: 32, Statuses: []Status{Completed}}}
	kept, err := All(f)
	if err != nil {
		t.Fatal(err)
	}
	if len(kept) != 1 || kept[0].ID != 6 {
		t.Errorf("kept %+v", kept)
	}
	want := map[string]int{"no submit time": 1, "no run time": 1, "no processors": 1,
		"more processors than the machine has": 1, "before the range": 1, "status cancelled": 1, "too large": 1,
		"a time of more than 3,000 years": 2, "after the range": 1}
	if diff := cmp.Diff(want, f.Skipped); diff != "" {
		t.Error(diff)
	}
}

func TestStretch(t *testing.T) {
	slow, err := All(&Stretch{In: Jobs([]Job{{Submit: 10}, {Submit: 20}, {Submit: 50}}), Factor: 2})
	if err != nil {
		t.Fatal(err)
	}
	if slow[0].Submit != 10 || slow[1].Submit != 30 || slow[2].Submit != 90 {
		t.Errorf("%+v", slow)
	}
	// Run times would be lost beside such times: 1e300 + 1 is 1e300.
	var damage *Error
	if _, err := All(&Stretch{In: Jobs([]Job{{ID: 7}, {ID: 8, Submit: 5}}), Factor: 1e300}); !errors.As(err, &damage) {
		t.Errorf("stretched beyond all numbers: %v", err)
	}
}

// What keeps all jobs says how many it can keep.
func TestMost(t *testing.T) {
	three := []Job{{ID: 1}, {ID: 2}, {ID: 3}}
	if jobs, err := All(Most(Jobs(three), 3)); err != nil || len(jobs) != 3 {
		t.Errorf("%d jobs of at most three, %v", len(jobs), err)
	}
	var damage *Error
	if _, err := All(Most(Jobs(three), 2)); !errors.As(err, &damage) || !strings.Contains(err.Error(), "more than 2 jobs") {
		t.Errorf("three jobs of at most two: %v", err)
	}
}

func TestTimes(t *testing.T) {
	l, err := Read(strings.NewReader("; UnixStartTime: 843480031\n; TimeZone: 3600\n"+
		"; TimeZoneString: Europe/Stockholm\n"), "f", Options{Format: SWF})
	if err != nil {
		t.Fatal(err)
	}
	// The log itself says: StartTime: Mon Sep 23 14:00:31 CEST 1996.
	if got := l.Header.time(0).Format("2006-01-02 15:04:05"); got != "1996-09-23 14:00:31" {
		t.Errorf("the log starts %s", got)
	}
}
