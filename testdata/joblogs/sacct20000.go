// Sacct20000 makes up five months of a cluster of 64 nodes, and prints it as sacct --parsable2 would: go run sacct20000.go
//
// Users come for sessions, at the hours and on the days when people work, and submit several similar jobs in each; some
// submit arrays. The machine runs them first come, first served. Clocks are those of Berlin. No job is anybody's.
package main

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sort"
	"time"
	_ "time/tzdata"
)

const (
	jobs  = 20_000
	nodes = 64
	users = 60
)

// job is one job, or one task of an array; times are Unix times.
type job struct {
	id, array, task    int // array: number of the array, 0 for none
	user               int
	submit, start, run int64
	nodes              int
	limit              int64 // 0: none
	state              string
}

func main() {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		panic(err)
	}
	draw := rand.New(rand.NewPCG(20, 24))
	all := sessions(draw, time.Date(2024, 1, 1, 0, 0, 0, 0, zone))
	schedule(all)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	print(out, all, zone, draw)
}

// busy is how many sessions begin in an hour of the week, over the most.
func busy(t time.Time) float64 {
	b := 0.15
	if h := float64(t.Hour()); h >= 8 && h < 20 {
		b = 0.4 + 0.6*math.Sin(math.Pi*(h-8)/12)
	}
	if d := t.Weekday(); d == time.Saturday || d == time.Sunday {
		b *= 0.3
	}
	return b
}

// sessions makes the jobs, in the order of their submission.
func sessions(draw *rand.Rand, begin time.Time) []job {
	var all []job
	for at := begin; len(all) < jobs; {
		at = at.Add(time.Duration(draw.ExpFloat64() * 1.05e12))
		if draw.Float64() > busy(at) {
			continue
		}
		user := int(float64(users) * math.Pow(draw.Float64(), 2)) // a few submit most
		size := 1 << min(draw.IntN(6), draw.IntN(6))
		median := math.Exp(8 + 1.25*draw.NormFloat64())
		array, tasks := 0, 1+int(draw.ExpFloat64()*6/(1+float64(size)/4)) // who asks for much submits few
		if draw.IntN(40) == 0 && size <= 4 {
			array = len(all) + 1
			tasks, median = min(10+draw.IntN(40), jobs-len(all)), median/8
		}
		submit := at.Unix()
		for k := range tasks {
			if len(all) == jobs {
				break
			}
			j := job{id: len(all) + 1, array: array, task: k, user: user, submit: submit, nodes: size, state: "COMPLETED"}
			j.run = int64(min(1+median*math.Exp(0.6*draw.NormFloat64()), 2*86400))
			hours := j.run/3600 + 1
			j.limit = []int64{1, 2, 4, 8, 12, 24, 48, 72}[sort.Search(7, func(i int) bool {
				return []int64{1, 2, 4, 8, 12, 24, 48, 72}[i] >= hours*int64(1+draw.IntN(3))
			})] * 3600
			switch x := draw.IntN(100); {
			case x < 6:
				j.state, j.run = "FAILED", j.run/20+3
			case x < 9:
				j.state, j.run = "TIMEOUT", j.limit
			case x < 12:
				j.state, j.run = fmt.Sprintf("CANCELLED by %d", 1000+user), j.run/3
			case x < 13:
				j.state = "OUT_OF_MEMORY"
			case x < 15:
				j.limit = 0
			}
			all = append(all, j)
			if array == 0 { // a person thinks before the next one
				submit += int64(30 + draw.ExpFloat64()*400)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b job) int { return int(a.submit - b.submit) })
	return all
}

// schedule starts jobs first come, first served.
func schedule(all []job) {
	free := make([]int64, nodes) // when each node will be, in order
	last := int64(0)
	for i := range all {
		j := &all[i]
		j.start = max(j.submit+2, free[j.nodes-1], last)
		last = j.start
		for k := range j.nodes {
			free[k] = j.start + j.run
		}
		slices.Sort(free)
	}
}

// print writes the table, with the steps of jobs, and what else such tables hold: jobs that still ran or waited, some that
// were cancelled in the queue, some that ran twice after a node had failed, and a line that was cut off.
func print(out *bufio.Writer, all []job, zone *time.Location, draw *rand.Rand) {
	stamp := func(unix int64) string { return time.Unix(unix, 0).In(zone).Format("2006-01-02T15:04:05") }
	end := all[len(all)-1].submit
	fmt.Fprintln(out, "JobID|JobName|User|Partition|Submit|Start|End|Elapsed|AllocNodes|AllocTRES|State|Timelimit")
	for _, j := range all {
		id := fmt.Sprint(1000 + j.id)
		if j.array > 0 {
			id = fmt.Sprintf("%d_%d", 1000+j.array, j.task)
		}
		limit := "UNLIMITED"
		if j.limit > 0 {
			limit = elapsed(j.limit)
		}
		line := func(step string, start, run int64, state string) {
			from, to, took, nodes := "Unknown", "Unknown", "00:00:00", 0
			if start > 0 {
				from, took, nodes = stamp(start), elapsed(run), j.nodes
			}
			if state != "RUNNING" && state != "PENDING" {
				to = stamp(max(start, j.submit) + run)
			}
			user, partition, shown := fmt.Sprintf("user%02d", j.user), "batch", limit
			if step != "" {
				user, partition, shown = "", "", ""
			}
			fmt.Fprintf(out, "%s%s|job|%s|%s|%s|%s|%s|%s|%d|cpu=%d,node=%d|%s|%s\n", id, step, user, partition, stamp(j.submit),
				from, to, took, nodes, 16*nodes, nodes, state, shown)
		}
		switch {
		case j.start > end:
			line("", 0, 0, "PENDING")
			continue
		case j.start+j.run > end:
			line("", j.start, end-j.start, "RUNNING")
			line(".batch", j.start, end-j.start, "RUNNING")
			continue
		case draw.IntN(80) == 0:
			line("", 0, 0, fmt.Sprintf("CANCELLED by %d", 1000+j.user))
			continue
		case draw.IntN(400) == 0 && j.run > 600:
			line("", j.start, 300, "NODE_FAIL")
			j.start, j.run = j.start+300, j.run-300
		}
		line("", j.start, j.run, j.state)
		line(".batch", j.start, j.run, "COMPLETED")
		line(".extern", j.start, j.run, "COMPLETED")
	}
	fmt.Fprintln(out, "99999|job|user01|bat")
}

// elapsed writes a time as Slurm does.
func elapsed(seconds int64) string {
	clock := fmt.Sprintf("%02d:%02d:%02d", seconds/3600%24, seconds/60%60, seconds%60)
	if seconds >= 86400 {
		return fmt.Sprintf("%d-%s", seconds/86400, clock)
	}
	return clock
}
