package joblog_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/testdata/needs"
)

func TestMain(m *testing.M) { needs.Main(m) }

const small = `; Version: 2.2
; MaxProcs: 100
; MaxNodes: 50 (two each)
; UnixStartTime: 843480031
; Note: the first
; Note: the second
;
1  5 10 100  4 -1 -1  4 210 -1 1 1 1 -1 -1 -1 -1 -1
2  0  0   7 -1 -1 -1  3  60 -1 0 1 1 -1 -1 -1 -1 -1

3 10 -1  -1 -1 -1 -1 -1  60 -1 5 1 1 -1 -1 -1 -1 -1
4 -1  0   1 -1 -1 -1 -1  60 -1 1 1 1 -1 -1 -1 -1 -1
`

func TestReadLog(t *testing.T) {
	for name, text := range map[string]string{"plain": small, "compressed": zipped(t, small)} {
		t.Run(name, func(t *testing.T) {
			l, err := joblog.Read(strings.NewReader(text), "f", joblog.Options{Format: joblog.SWF})
			if err != nil {
				t.Fatal(err)
			}
			h := l.Header
			if h.MaxProcs != 100 || h.MaxNodes != 50 || h.UnixStartTime != 843480031 || h.Fields["Note"] != "the first" {
				t.Errorf("header %+v", h)
			}
			if len(l.Jobs) != 4 || l.Jobs[1].ID != 2 || l.Jobs[0].Estimate != 210 || l.Jobs[2].Status != joblog.Cancelled {
				t.Errorf("jobs %+v", l.Jobs)
			}
			if l.Jobs[1].Nodes() != 3 {
				t.Errorf("job 2 has %d nodes, it requested 3", l.Jobs[1].Nodes())
			}
		})
	}
}

// TestDamagedLines: a line that holds no job is counted with what is wrong with it, and reading goes on behind the line. A log
// without a readable line is refused.
func TestDamagedLines(t *testing.T) {
	const line = "1 5 10 100 4 -1 -1 4 210 -1 1 1 1 1 -1 -1 -1 -1"
	whole := ""
	for number := range 30 {
		whole += fmt.Sprintf("%d%s\n", number+2, strings.TrimPrefix(line, "1"))
	}
	long := strings.Repeat("1 ", 40_000)
	for bad, want := range map[string]string{
		"1 2 3":                                  `fewer than the 18 fields of the Standard Workload Format (first in line 31: "1 2 3")`,
		line + " 0":                              `more than the 18 fields of the Standard Workload Format (first in line 31: "1 5 10 100 4 -1 -1 4 210 -1 1 1 1 1 -1 -…")`,
		strings.Replace(line, "100", "1O0", 1):   `an unreadable number in column run (first in line 31: "1O0")`,
		strings.ReplaceAll(line, " ", ","):       `a comma in column job: blanks separate fields, and numbers have points (first in line 31: "1,5,10,100,4,-1,-1,4,210,-1,1,1,1,1,-1,-…")`,
		strings.Replace(line, "100", "1,5", 1):   `a comma in column run: blanks separate fields, and numbers have points (first in line 31: "1,5")`,
		strings.Replace(line, "100", "NaN", 1):   `an unreadable number in column run (first in line 31: "NaN")`,
		strings.Replace(line, " 4 ", " 4.5 ", 1): `a fraction in column processors, which holds whole numbers (first in line 31: "4.5")`,
		long:                                     `a line longer than any job (first in line 31: "` + long[:40] + `…")`,
	} {
		o := joblog.Options{Format: joblog.SWF}
		l, err := joblog.Read(strings.NewReader(whole+bad+"\n"+line+"\n"+bad), "f", o)
		if err != nil || len(l.Jobs) != 31 || len(l.Findings) != 1 || l.Findings[0].String() != "2 with "+want {
			t.Errorf("%.30s: %d jobs, %v, %v", bad, len(l.Jobs), l.Findings, err)
		}
		if share := 2. / 33; l.Lost.Lines != 2 || l.Lost.First != 31 || math.Abs(l.Lost.Share-share) > 1e-12 || l.Lost.NodeSeconds != 800 {
			t.Errorf("%.30s: lost %+v, want a share of %g", bad, l.Lost, share)
		}
		what, text, _ := strings.Cut(strings.TrimSuffix(want, ")"), " (first in line 31: ")
		_, err = joblog.Read(strings.NewReader(bad+"\n"+bad), "f", o)
		var located *joblog.Error
		if refused := "f:1: no line holds a job: this is the first of 2 lines that have been skipped, with " + what + ": " +
			text; !errors.As(err, &located) || err.Error() != refused {
			t.Errorf("got  %v\nwant %s", err, refused)
		}
	}
	l, err := joblog.Read(strings.NewReader("# saved on Monday\n"+whole+"slurm: error: connection lost\n"), "f", joblog.Options{Format: joblog.SWF})
	if err != nil || len(l.Jobs) != 30 || found(&l, messages) != 2 || l.Lost.Lines != 0 {
		t.Errorf("messages: %d jobs, %v, lost %v, %v", len(l.Jobs), l.Findings, l.Lost, err)
	}
}

// TestRepeatedLines: a line that was read before lists no further job. Another line with the number of a job is a job of its own.
// A header with another start begins another log, whose lines repeat no line before it.
func TestRepeatedLines(t *testing.T) {
	const rest = " 10 100 4 -1 -1 4 210 -1 1 1 1 1 -1 -1 -1 -1\n"
	one, two, three, again := "1 5"+rest, "2 6"+rest, "3 7"+rest, "2 60"+rest
	const another = "; UnixStartTime: 1000\n"
	for name, c := range map[string]struct {
		text                   string
		jobs, repeated, reused int
	}{
		"none":                      {one + two + three, 3, 0, 0},
		"appended to itself":        {one + two + three + one + two + three, 3, 3, 0},
		"one line twice":            {one + one + two, 2, 1, 0},
		"one line thrice":           {two + one + one + one, 2, 2, 0},
		"another order":             {three + one + two + one + three + two, 3, 3, 0},
		"the number again":          {one + two + three + again, 4, 0, 1},
		"the number again, twice":   {one + two + three + again + again, 4, 1, 1},
		"the number in other order": {three + two + again + two, 3, 1, 1},
		"no numbers":                {strings.Repeat("-1 5"+rest, 3) + strings.Repeat("0 5"+rest, 2), 5, 0, 0},
		"another log":               {"; UnixStartTime: 10\n" + one + two + another + one + two + one, 4, 1, 2},
		"the same header":           {another + one + two + another + one + two, 2, 2, 0},
		"parts":                     {one + strings.Repeat("1 -1 10 50 4 -1 -1 4 210 -1 2 1 1 1 -1 -1 -1 -1\n", 2) + two, 2, 0, 0},
		"a log with parts twice":    {strings.Repeat(one+"1 -1 10 50 4 -1 -1 4 210 -1 2 1 1 1 -1 -1 -1 -1\n"+two, 2), 2, 2, 0},
	} {
		for way, read := range map[string]func() (joblog.Log, int){
			"read": func() (joblog.Log, int) {
				l, err := joblog.Read(strings.NewReader(c.text), "f", joblog.Options{Format: joblog.SWF})
				if err != nil {
					t.Fatal(err)
				}
				return l, len(l.Jobs)
			},
			"surveyed": func() (l joblog.Log, n int) {
				l, jobs, err := joblog.Survey(func() (io.ReadCloser, string, error) {
					return io.NopCloser(strings.NewReader(c.text)), "f", nil
				}, joblog.Options{Format: joblog.SWF})
				if err != nil {
					t.Fatal(err)
				}
				for range jobs {
					n++
				}
				return l, n
			},
		} {
			l, jobs := read()
			if jobs != c.jobs || found(&l, listedTwice) != c.repeated || found(&l, "jobs with the number of another job") != c.reused {
				t.Errorf("%s, %s: %d jobs, %v; want %d jobs, %d lines repeated, %d numbers reused", name, way, jobs, l.Findings, c.jobs, c.repeated, c.reused)
			}
		}
	}
}

// TestCutLog: a compressed log that ends too early is refused, because its jobs would be those of a part of the log.
func TestCutLog(t *testing.T) {
	cut := zipped(t, strings.Repeat("1 5 10 100 4 -1 -1 4 210 -1 1 1 1 1 -1 -1 -1 -1\n", 1000))
	_, err := joblog.Read(strings.NewReader(cut[:len(cut)-9]), "f", joblog.Options{Format: joblog.SWF})
	if err == nil || !strings.HasSuffix(err.Error(), "the file is cut off: its compressed data end too early; fetch the file again") {
		t.Error(err)
	}
}

// TestArchiveLog reads a log of the Parallel Workloads Archive; its header counts the jobs.
func TestArchiveLog(t *testing.T) {
	f, err := os.Open(needs.JobLog(t, "KTH-SP2-1996-2.merged.swf.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l, err := joblog.Read(f, "KTH-SP2", joblog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Jobs) != 28490 || l.Header.MaxJobs != 28490 || l.Header.Size() != 100 {
		t.Errorf("%d jobs, header %+v", len(l.Jobs), l.Header)
	}
}

func FuzzReadLog(f *testing.F) {
	f.Add(small)
	f.Fuzz(func(t *testing.T, text string) {
		l, err := joblog.Read(strings.NewReader(text), "f", joblog.Options{Format: joblog.SWF})
		// Each line counts: as a job, as a part of a job, as a message or as damaged.
		want := 0
		for line := range strings.SplitSeq(strings.TrimPrefix(text, "\xef\xbb\xbf"), "\n") {
			if line = strings.TrimSpace(line); line != "" && line[0] != ';' && line != "\x1a" {
				want++
			}
		}
		counted := len(l.Jobs) + l.Lost.Lines + found(&l, messages) + found(&l, "lines of parts of jobs")
		if err == nil && counted != want && !strings.HasPrefix(text, "\x1f\x8b") {
			t.Errorf("%d of %d lines are counted: %q", counted, want, text)
		}
		var located *joblog.Error
		if err != nil && !errors.As(err, &located) {
			t.Errorf("an error without a place: %v", err)
		}
	})
}

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestHeaderNumbers: numbers of the header are read as people write them, and comments whose number cannot be read are counted.
func TestHeaderNumbers(t *testing.T) {
	const job = "\n1 0 10 100 2 -1 -1 2 3600 -1 1 1 1 1 1 1 -1 -1\n"
	for comment, want := range map[string]int{
		"; MaxProcs: 128": 128, ";MaxProcs:128": 128, "; MaxProcs: 128\tnodes": 128, "; MaxProcs: 1,024": 1024, "; MaxProcs: 128,": 128,
		"; MaxProcs: 128.": 128, "; MaxProcs: 128.0": 128, "; MaxProcs: 128 (64x2)": 128, "; maxprocs: 128": 128, "; MaxProcs: 1e3": 1000,
		"; MaxProcs: -1": 0, "; MaxProcs: Unknown": 0, "; MaxProcs:": 0, "; Max Procs: 128": 0,
		"; MaxProcs: 64x2": -1, "; MaxProcs: ~128": -1, "; MaxProcs: 12.5": -1, "; MaxProcs: 99999999999": -1, "; UnixStartTime: Tue Jan 3": -1,
	} {
		l, err := joblog.Read(strings.NewReader(comment+job), "f", joblog.Options{})
		unread := found(&l, "number cannot be read")
		if err != nil || l.Header.MaxProcs != max(want, 0) || unread != max(-want, 0) {
			t.Errorf("%q: %d processors, %v, %v", comment, l.Header.MaxProcs, l.Findings, err)
		}
	}
}
