package joblog_test

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/partwise/partwise/models/workload/joblog"
)

// madeUp is a table of sacct of so many lines, made as it is read: jobs with three steps each, or without.
type madeUp struct {
	left, job, line int
	steps           bool
	text            bytes.Buffer
}

func newMadeUp(lines int, steps bool) *madeUp {
	m := &madeUp{left: lines, steps: steps}
	m.text.WriteString("JobID|User|Account|Partition|Submit|Start|End|Elapsed|AllocNodes|AllocTRES|State|Timelimit\n")
	return m
}

func (m *madeUp) Read(p []byte) (int, error) {
	for m.text.Len() < len(p) && m.left > 0 {
		step := ""
		if m.steps {
			step = [...]string{"", ".batch", ".extern", ".0"}[m.line%4]
		}
		if step == "" {
			m.job++
		}
		day, hour := m.job/86400, m.job/3600%24
		fmt.Fprintf(&m.text, "%d%s|user%d|group%d|batch|2024-03-%02dT%02d:%02d:%02d|2024-05-01T01:00:00|2024-05-02T02:01:05|"+
			"1-01:01:05|%d|billing=8,cpu=8,mem=16G,node=%[9]d|COMPLETED|2-00:00:00\n", 1000+m.job, step, m.job%500, m.job%20,
			1+day%28, hour, m.job/60%60, m.job%60, 1+m.job%64)
		m.line++
		m.left--
	}
	if m.text.Len() == 0 {
		return 0, io.EOF
	}
	return m.text.Read(p)
}

// BenchmarkSacct1000000Lines reads a million lines; MB is the memory that the Go runtime has from the system then.
func BenchmarkSacct1000000Lines(b *testing.B) {
	for _, steps := range []bool{true, false} {
		b.Run(map[bool]string{true: "steps", false: "jobs"}[steps], func(b *testing.B) {
			text, err := io.ReadAll(newMadeUp(1_000_000, steps))
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(text)))
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			for b.Loop() {
				if _, err := joblog.Read(bytes.NewReader(text), "f", joblog.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/1e6, "MB-allocated/op")
		})
	}
}

// requeuedAgain is a table of sacct of one job that was put back into the queue so many times, each execution listed twice.
func requeuedAgain(times int) *bytes.Buffer {
	text := bytes.NewBufferString("JobID|Submit|Start|End|Elapsed|AllocNodes|State\n")
	begin := time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC)
	for i := range 2 * times {
		start := begin.Add(time.Duration(i%times) * 20 * time.Second)
		fmt.Fprintf(text, "7|%s|%s|%s|00:00:10|4|COMPLETED\n", begin.Format("2006-01-02T15:04:05"),
			start.Format("2006-01-02T15:04:05"), start.Add(10*time.Second).Format("2006-01-02T15:04:05"))
	}
	return text
}

func BenchmarkSacctOneJob200000Executions(b *testing.B) {
	text := requeuedAgain(200_000).Bytes()
	for b.Loop() {
		l := openText(b, text)
		if len(l.Jobs) != 200_000 {
			b.Fatalf("%d executions", len(l.Jobs))
		}
	}
}

// The time to read a log is proportional to its length even if all lines are of one job.
func TestOneJobOftenRequeued(t *testing.T) {
	l := openText(t, requeuedAgain(20_000).Bytes())
	if len(l.Jobs) != 20_000 {
		t.Errorf("%d executions", len(l.Jobs))
	}
	want := map[string]int{listedTwice: 20_000, requeued: 19_999}
	for _, f := range l.Findings {
		if f.Count != want[f.What] {
			t.Errorf("%d %s, want %d", f.Count, f.What, want[f.What])
		}
	}
}

func openText(t testing.TB, text []byte) *joblog.Log {
	t.Helper()
	l, err := joblog.Read(bytes.NewReader(text), "log.txt", joblog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &l
}
