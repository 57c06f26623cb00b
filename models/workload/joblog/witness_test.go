package joblog_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/partwise/partwise/models/workload/joblog"
)

// truth is a job whose times are drawn as Unix times; package time writes them as clocks show them.
type truth struct {
	submit, start, end int64
	nodes              int
	state              string
	status             joblog.Status
}

// elapsedText writes a duration as Slurm does.
func elapsedText(seconds int64) string {
	clock := fmt.Sprintf("%02d:%02d:%02d", seconds/3600%24, seconds/60%60, seconds%60)
	if seconds >= 86400 {
		return fmt.Sprintf("%d-%s", seconds/86400, clock)
	}
	return clock
}

// Tables are made from jobs that are known, over two years of clocks that are put forward and back, in orders of fields
// and lines that are drawn, with steps and broken lines. What is read must be what was drawn. Only a submission in the hour
// that clocks showed twice may be read as one an hour earlier: no table tells which it was.
func TestSacctBesideWhatWasWritten(t *testing.T) {
	draw := rand.New(rand.NewPCG(17, 4))
	states := []struct {
		text   string
		status joblog.Status
	}{{"COMPLETED", joblog.Completed}, {"FAILED", joblog.Failed}, {"TIMEOUT", joblog.Failed}, {"NODE_FAIL", joblog.Failed},
		{"OUT_OF_MEMORY", joblog.Failed}, {"CANCELLED by 1000", joblog.Cancelled}, {"PREEMPTED", joblog.Failed}}
	for _, place := range []string{"Europe/Berlin", "America/New_York", "UTC", "Australia/Lord_Howe", "Asia/Kolkata"} {
		zone, err := time.LoadLocation(place)
		if err != nil {
			t.Fatal(err)
		}
		clock := func(unix int64) string { return time.Unix(unix, 0).In(zone).Format("2006-01-02T15:04:05") }
		twice := func(unix int64) bool {
			for _, other := range []int64{unix - 3600, unix + 3600, unix - 1800, unix + 1800} {
				if clock(other) == clock(unix) {
					return true
				}
			}
			return false
		}
		begin := time.Date(2023, 1, 1, 0, 0, 0, 0, zone).Unix()
		var jobs []truth
		var lines []string
		fields := []string{"JobID", "User", "Submit", "Start", "End", "Elapsed", "NNodes", "State", "Timelimit", "Eligible"}
		draw.Shuffle(len(fields), func(i, k int) { fields[i], fields[k] = fields[k], fields[i] })
		separator := []string{"|", ",", ";"}[draw.IntN(3)]
		for id := range 3000 {
			s := states[draw.IntN(len(states))]
			j := truth{nodes: 1 + draw.IntN(64), state: s.text, status: s.status}
			j.submit = begin + draw.Int64N(2*365*86400)
			if id%3 == 0 { // near the change of clocks
				j.submit = time.Date(2023+id%2, 10, 29-2*(id%2), 0, 0, 0, 0, zone).Unix() + draw.Int64N(6*3600)
			}
			j.start = j.submit + draw.Int64N(4)*draw.Int64N(5000)
			j.end = j.start + draw.Int64N(1+draw.Int64N(3*86400))
			jobs = append(jobs, j)
			row := map[string]string{"JobID": fmt.Sprint(id + 1), "User": "u", "Submit": clock(j.submit),
				"Start": clock(j.start), "End": clock(j.end), "Elapsed": elapsedText(j.end - j.start),
				"NNodes": fmt.Sprint(j.nodes), "State": j.state, "Timelimit": "UNLIMITED", "Eligible": clock(j.submit)}
			write := func() {
				var texts []string
				for _, f := range fields {
					texts = append(texts, row[f])
				}
				lines = append(lines, strings.Join(texts, separator))
			}
			write()
			for _, step := range []string{".batch", ".extern", ".0"}[:draw.IntN(4)] {
				row["JobID"], row["State"], row["NNodes"] = fmt.Sprint(id+1)+step, "COMPLETED", "1"
				write()
			}
			if draw.IntN(50) == 0 {
				lines = append(lines, "sacct: error: "+strings.Repeat(separator, draw.IntN(5)))
			}
		}
		draw.Shuffle(len(lines), func(i, k int) { lines[i], lines[k] = lines[k], lines[i] })
		text := strings.Join(fields, separator) + "\n" + strings.Join(lines, "\n") + "\n"
		l, err := joblog.Read(strings.NewReader(text), "f", joblog.Options{Location: zone})
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Jobs) != len(jobs) {
			t.Fatalf("%s: %d jobs of %d", place, len(l.Jobs), len(jobs))
		}
		slices.SortFunc(l.Jobs, func(a, b joblog.Job) int { return cmp.Compare(a.ID, b.ID) })
		for i, got := range l.Jobs {
			want := jobs[i]
			if got.Run != float64(want.end-want.start) || got.Nodes() != want.nodes || got.Status != want.status {
				t.Fatalf("%s: read %+v, written %+v", place, got, want)
			}
			submit := l.Header.UnixStartTime + int64(got.Submit)
			if submit != want.submit && !(twice(want.submit) && clock(submit) == clock(want.submit)) {
				t.Fatalf("%s: submitted at %v, written %v", place, time.Unix(submit, 0).In(zone), clock(want.submit))
			}
			if submit == want.submit && got.Wait != float64(want.start-want.submit) && !twice(want.start) {
				t.Fatalf("%s: waited %v, written %+v", place, got.Wait, want)
			}
		}
	}
}
