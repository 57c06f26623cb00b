package joblog_test

import (
	"bytes"
	"compress/gzip"
	"errors"
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

func TestReadLogRefuses(t *testing.T) {
	line := "1 5 10 100 4 -1 -1 4 210 -1 1 1 1 -1 -1 -1 -1 -1"
	cut := zipped(t, strings.Repeat(line+"\n", 1000))
	for name, c := range map[string]struct{ text, want string }{
		"few fields":  {line + "\n1 2 3\n", "f:2: 3 fields, a job has 18"},
		"many fields": {"\n" + line + " 0\n", "f:2: more than 18 fields"},
		"text":        {strings.Replace(line, "100", "1O0", 1), `f:1: column run: "1O0" is not a number of the format`},
		"NaN":         {strings.Replace(line, "100", "NaN", 1), `f:1: column run: "NaN" is not a number of the format`},
		"cut gzip":    {cut[:len(cut)-9], "the file is cut off: its compressed data end too early; fetch the file again"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := joblog.Read(strings.NewReader(c.text), "f", joblog.Options{Format: joblog.SWF})
			var located *joblog.Error
			if !errors.As(err, &located) || !strings.HasSuffix(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
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
		// No line is lost: as many jobs as there are lines that are neither blank nor comments.
		want := 0
		for line := range strings.SplitSeq(strings.TrimPrefix(text, "\xef\xbb\xbf"), "\n") {
			if line = strings.TrimSpace(line); line != "" && line[0] != ';' {
				want++
			}
		}
		if err == nil && len(l.Jobs)+len(l.Apart) != want && !strings.HasPrefix(text, "\x1f\x8b") {
			t.Errorf("%d jobs of %d lines: %q", len(l.Jobs), want, text)
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
