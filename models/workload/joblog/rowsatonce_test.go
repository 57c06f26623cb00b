package joblog_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/testdata/needs"
)

// oddTable returns a table of sacct of so many lines, with everything that lines can be: jobs in another order, listed twice, in
// several clusters, with times that cannot be read or cannot be right, steps, messages, other headers, and lines that are no
// rows.
func oddTable(r *rand.Rand, lines int) string {
	headers := []string{"JobID|Cluster|User|Submit|Start|End|Elapsed|AllocNodes|State", "JobID|User|Submit|Start|End|AllocNodes|State|JobName"}
	header := headers[r.IntN(2)]
	var text strings.Builder
	fmt.Fprintln(&text, header)
	stamp := func(at int) string { return fmt.Sprintf("2024-03-%02dT%02d:%02d:00", 1+at/1440%28, at/60%24, at%60) }
	for line := range lines {
		at, run := line+r.IntN(5), r.IntN(90)
		id := fmt.Sprint(1000 + line - r.IntN(3))
		switch r.IntN(60) {
		case 0:
			id += ".batch"
		case 1:
			id = fmt.Sprintf("%d_%d", line/9, line%9)
		case 2:
			id = fmt.Sprintf("%d+%d", line/3, line%3)
		case 3:
			fmt.Fprintf(&text, "# message %d\n", line)
		case 4:
			fmt.Fprintln(&text, "not|a|row")
		case 5:
			id = "x" + id
		case 6:
			fmt.Fprint(&text, "\r\n   \n")
		case 7:
			at -= 500
		case 8:
			if r.IntN(lines/60+1) == 0 {
				header = headers[r.IntN(2)]
			}
			fmt.Fprintln(&text, header)
		}
		end := stamp(at + run + 7)
		if r.IntN(50) == 0 {
			end = [...]string{"Unknown", "tomorrow", "0", stamp(at)}[r.IntN(4)]
		}
		state := [...]string{"COMPLETED", "COMPLETED", "FAILED", "CANCELLED by 7", "RUNNING", "RESIZING", "MELTED"}[r.IntN(7)]
		user, nodes := r.IntN(30), r.IntN(40)
		if header == headers[0] {
			fmt.Fprintf(&text, "%s|%s|u%d|%s|%s|%s|00:%02d:%02d|%d|%s\n", id, [...]string{"", "a", "b"}[r.IntN(3)], user, stamp(at), stamp(at+7), end,
				run%60, r.IntN(60), nodes, state)
		} else {
			fmt.Fprintf(&text, "%s|u%d|%s|%s|%s|%d|%s|a name%s\n", id, user, stamp(at), stamp(at+7), end, nodes, state,
				strings.Repeat("|", r.IntN(3)))
		}
	}
	return text.String()
}

// onProcessors returns the log that reading a text on so many processors gives, or its error.
func onProcessors(n int, text string, ends error) (joblog.Log, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
	in := io.Reader(strings.NewReader(text))
	if ends != nil {
		in = io.MultiReader(in, iotest.ErrReader(ends))
	}
	return joblog.Read(in, "log.txt", joblog.Options{NodeNames: true, CPUs: true})
}

// A log is the same for any number of processors: its jobs, names, findings, losses and errors.
func TestRowsAtOnce(t *testing.T) {
	needs.Concurrency(t)
	r := rand.New(rand.NewPCG(1, 2))
	for range 12 {
		text := oddTable(r, 2000+r.IntN(2000))
		for _, whole := range []bool{true, false} {
			ends := error(nil)
			if !whole {
				text, ends = text[:r.IntN(len(text))], io.ErrUnexpectedEOF
			}
			one, oneErr := onProcessors(1, text, ends)
			several, severalErr := onProcessors(3, text, ends)
			if fmt.Sprint(oneErr) != fmt.Sprint(severalErr) {
				t.Errorf("%v on one processor, %v on three", oneErr, severalErr)
			}
			if !reflect.DeepEqual(one, several) {
				t.Errorf("a table of %d bytes with %d jobs gives another log on three processors", len(text), len(one.Jobs))
			}
			if whole && (len(one.Jobs) < 500 || len(one.Findings) < 8) {
				t.Errorf("only %d jobs and %d findings: the table is not odd enough", len(one.Jobs), len(one.Findings))
			}
		}
	}
}

// The error of a header with other columns, many rows behind the first header, names its line.
func TestOtherHeaderBehindManyRows(t *testing.T) {
	var text bytes.Buffer
	fmt.Fprintln(&text, "JobID|Submit|Start|End|AllocNodes|State")
	for i := range 5000 {
		fmt.Fprintf(&text, "%d|2024-03-01T08:00:00|2024-03-01T08:00:00|2024-03-01T08:30:00|4|COMPLETED\n", i+1)
	}
	fmt.Fprintln(&text, "JobID|Start|End|AllocNodes|State")
	for _, n := range []int{1, 4} {
		_, err := onProcessors(n, text.String(), nil)
		if err == nil || !strings.HasPrefix(err.Error(), "log.txt:5002: no column Submit") {
			t.Errorf("%d processors: %v", n, err)
		}
	}
}
