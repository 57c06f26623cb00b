package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/partwise/partwise/testdata/needs"
)

// faultyJob is a job of a made-up log. Times are Unix times.
type faultyJob struct {
	submit, start, end int64
	nodes, cpus        int
	state              string
}

// drawLog draws the jobs of two months of a machine of 32 nodes at load 0.75, which starts them in the order of their submission.
// Jobs run for up to two days.
func drawLog() []faultyJob {
	draw := rand.New(rand.NewPCG(12, 12))
	var free [32]int64 // when each node becomes free
	at, last := int64(1709251200), int64(0)
	var jobs []faultyJob
	for at < 1709251200+60*86400 {
		at += int64(4500 * draw.ExpFloat64())
		j := faultyJob{submit: at, nodes: 1 + draw.IntN(6), state: "COMPLETED"}
		j.cpus = 16 * j.nodes
		slices.Sort(free[:])
		j.start = max(j.submit, free[j.nodes-1], last)
		last = j.start
		j.end = j.start + 600 + int64(draw.ExpFloat64()*27_000)
		if draw.IntN(12) == 0 {
			j.end += 86_400
		}
		for k := range j.nodes {
			free[k] = j.end
		}
		jobs = append(jobs, j)
	}
	return jobs
}

// sacctOf writes the table of sacct of jobs, as clocks of a zone show their times.
func sacctOf(jobs []faultyJob, zone *time.Location, cluster func(i int) string) string {
	var b strings.Builder
	b.WriteString("Cluster|JobID|Submit|Start|End|Elapsed|AllocNodes|AllocCPUS|State\n")
	clock := func(unix int64) string { return time.Unix(unix, 0).In(zone).Format("2006-01-02T15:04:05") }
	for i, j := range jobs {
		start := clock(j.start)
		if j.start == 0 {
			start, j.start, j.end = "None", j.submit, j.submit
		}
		run := j.end - j.start
		fmt.Fprintf(&b, "%s|%d|%s|%s|%s|%d-%02d:%02d:%02d|%d|%d|%s\n", cluster(i), i+1, clock(j.submit), start, clock(j.end), run/86400, run/3600%24,
			run/60%60, run%60, j.nodes, j.cpus, j.state)
	}
	return b.String()
}

// TestFaultyLogs: the first screen of log and of study names the one fault that a made-up log has, and no other. Without -long
// only the log without a fault is studied.
func TestFaultyLogs(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	all := drawLog()
	one := func(int) string { return "alpha" }
	table := func(change func(jobs []faultyJob) []faultyJob) string {
		return sacctOf(change(slices.Clone(all)), time.UTC, one)
	}
	same := func(jobs []faultyJob) []faultyJob { return jobs }
	faults := []struct {
		name, text string
		flags      []string
		says       string // a pattern of what names the fault; "": nothing is doubtful
	}{
		{name: "no fault", text: table(same)},
		{name: "jobs share nodes", text: table(func(jobs []faultyJob) []faultyJob {
			for i := range jobs {
				if jobs[i].nodes <= 2 {
					jobs[i].nodes, jobs[i].cpus = 1, 4
				}
			}
			return jobs
		}), says: `may share the node`},
		{name: "CPUs on a machine of nodes", text: table(func(jobs []faultyJob) []faultyJob {
			for i := range jobs {
				jobs[i].nodes *= 16
			}
			return jobs
		}), flags: []string{"--nodes", "32"}, says: `more processors than the machine has|more than the machine of 32 nodes has`},
		{name: "too few nodes", text: table(same), flags: []string{"--nodes", "28"},
			says: `more than the machine of 28 nodes has for .* % of the time: is --nodes right, or do jobs share nodes\?`},
		{name: "too many nodes", text: table(same), flags: []string{"--nodes", "320"},
			says: `no more than 32 of 320 nodes were in use at once.*is --nodes right\?`},
		{name: "a date in another year", text: table(func(jobs []faultyJob) []faultyJob {
			jobs[40].end += 20 * 365 * 86400
			return jobs
		}), says: `a date more than a year outside`},
		{name: "a start before the submission", text: table(func(jobs []faultyJob) []faultyJob {
			jobs[40].submit = jobs[40].start + 7200
			return jobs
		}), says: `a start before the submission`},
		{name: "clocks of another zone", text: sacctOf(all, berlin, one), says: `an hour off.*--time-zone`},
		{name: "jobs that never started", text: table(func(jobs []faultyJob) []faultyJob {
			for i := range jobs {
				if i%5 == 0 {
					jobs[i].start, jobs[i].nodes, jobs[i].state = 0, 0, "CANCELLED by 1000"
				}
			}
			return jobs
		}), says: `jobs that never started: .*: \d\d+`},
		{name: "cut at its begin", text: table(func(jobs []faultyJob) []faultyJob {
			return slices.DeleteFunc(jobs, func(j faultyJob) bool { return j.submit < 1709251200+53*86400 })
		}), says: `the machine fills for the first .* jobs that ran when the log begins seem to be missing`},
		{name: "cut at its end", text: table(func(jobs []faultyJob) []faultyJob {
			end := int64(1709251200 + 7*86400)
			return slices.DeleteFunc(jobs, func(j faultyJob) bool { return j.end > end })
		}), says: `jobs start until .* jobs that still ran when the log ends seem to be missing`},
		{name: "two clusters", text: sacctOf(all, time.UTC, func(i int) string { return []string{"alpha", "beta"}[i%2] }),
			says: `jobs of 2 clusters or servers \(alpha, beta\)`},
		{name: "listed twice", text: table(same) + strings.SplitN(table(same), "\n", 2)[1], says: `list an execution of a job again`},
	}
	if len(faults) != 1+12 {
		t.Errorf("%d faults", len(faults))
	}
	for i, c := range faults {
		file := filepath.Join(t.TempDir(), "log.txt")
		if err := os.WriteFile(file, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, command := range [][]string{{"log", file, "--format", "table"}, {"study", file, "--format", "table", "--output", file + ".html"}} {
			t.Run(command[0]+": "+c.name, func(t *testing.T) {
				if command[0] == "study" && i > 0 {
					needs.Long(t, "studies a log")
				}
				t.Parallel()
				r := runIn(t.Context(), append(command, c.flags...)...)
				screen := strings.Split(r.stderr.String()+r.stdout.String(), "\n")
				first := strings.ReplaceAll(strings.Join(screen[:min(24, len(screen))], "\n"), file, "log.txt")
				if c.says != "" && !regexp.MustCompile(c.says).MatchString(first) {
					t.Errorf("does not say %s:\n%s", c.says, first)
				}
				for _, other := range faults {
					if other.says != "" && other.name != c.name && regexp.MustCompile(other.says).MatchString(first) {
						t.Errorf("says %s:\n%s", other.says, first)
					}
				}
			})
		}
	}
}
