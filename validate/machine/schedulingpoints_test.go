package machine_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/machine"
)

// resizes returns costs of the same time for all resized jobs.
func resizes(tb interface{ Fatal(...any) }, time float64) machine.Costs {
	c, err := machine.NewResizes(machine.ResizeTime{Nodes: 1, Shrink: time, Expand: time})
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// Two jobs on four nodes, a scheduling point every quarter of the work, or every 2 of time. The first needs 40 on one
// node; the second comes at 3 with 8.
func TestScheduling(t *testing.T) {
	for _, c := range []struct {
		name   string
		points machine.Points
		costs  machine.Costs
		want   [2]float64 // the ends of the first and the second
		start  float64    // of the second
	}{
		// The first works at rate 4 and reaches a quarter every 2.5. At 5 it leaves two nodes; the second ends at 9. The
		// first has done 20+8 of 40 then, and comes to 30 at 10, when it has four nodes again, and needs 2.5.
		{"quarters", machine.Points{Number: 4}, nil, [2]float64{12.5, 9}, 5},
		// At 4 it leaves two nodes; the second ends at 8, when the first has done 16+8. That is a point of the first, which
		// a decision at the same time is too late for: it grows at 10 with 12 left.
		{"every 2", machine.Points{Every: []float64{2}}, nil, [2]float64{13, 8}, 4},
		// As with quarters, but the first stands still from 5 to 6 on four nodes, of which the second gets two at 6; it
		// ends at 10. By then the first has done 20+8, comes to 30 at 11 and stands still until 12.
		{"quarters at a cost", machine.Points{Number: 4}, resizes(t, 1), [2]float64{14.5, 10}, 6},
		// Nobody has a point: the first keeps all nodes, and the second gets them at 10.
		{"none", machine.Points{Number: 1}, nil, [2]float64{10, 12}, 10},
	} {
		records, out := lived(t, machine.Config{Nodes: 4, Policy: policy.Dynamic{}, Costs: c.costs, Points: c.points,
			Jobs: machine.List{malleable(1, 0, 40), malleable(2, 3, 8)}})
		for _, r := range records {
			if want := c.want[r.ID-1]; math.Abs(r.End-want) > 1e-12 {
				t.Errorf("%s: job %d ends at %v, want %v", c.name, r.ID, r.End, want)
			}
			if r.ID == 2 && r.Start != c.start {
				t.Errorf("%s: the second job starts at %v, want %v", c.name, r.Start, c.start)
			}
		}
		if out.MostJobs != 2 {
			t.Errorf("%s: %d jobs at a time", c.name, out.MostJobs)
		}
	}
}

// Each resized job pays for itself: of three jobs on four nodes the first keeps its two when the third comes, and works
// on, while the second shrinks and the third waits for its node. A job that is resized anew stands still anew.
func TestEachJobPaysForItself(t *testing.T) {
	jobs := machine.List{malleable(1, 0, 40), malleable(2, 2, 40), malleable(3, 3.5, 1)}
	records, _ := lived(t, machine.Config{Nodes: 4, Policy: policy.Dynamic{}, Costs: resizes(t, 1), Jobs: jobs})
	// 2: the second comes, and both stand still until 3; the first has done 8. 3.5: the third comes; the second shrinks
	// to one node, and both stand still until 4.5. 5.5: the third ends; the second, which has done 2, grows to two nodes
	// and stands still until 6.5. 19: the first ends; the second has done 27, grows to four and stands still until 20.
	want := map[int][2]float64{1: {19, 1}, 2: {23.25, 4}, 3: {5.5, 1}}
	for _, r := range records {
		if got := [2]float64{r.End, r.Paused}; got != want[r.ID] {
			t.Errorf("job %d: end and time that it stands still %v, want %v", r.ID, got, want[r.ID])
		}
	}
}

// Costs of resizing by the nodes afterwards: interpolated between those listed, and constant beyond.
func TestResizes(t *testing.T) {
	c, err := machine.NewResizes(machine.ResizeTime{Nodes: 8, Shrink: 70, Expand: 90},
		machine.ResizeTime{Nodes: 4, Shrink: 30, Expand: 50})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []struct {
		had, has int
		want     float64
	}{{8, 1, 30}, {8, 4, 30}, {8, 6, 50}, {4, 6, 70}, {4, 8, 90}, {4, 100, 90}, {200, 100, 70}, {3, 3, 0}} {
		if got := c.Stop(q.had, q.has); got != q.want {
			t.Errorf("from %d nodes to %d: %v, want %v", q.had, q.has, got, q.want)
		}
	}
	for _, wrong := range [][]machine.ResizeTime{{{Nodes: 0}}, {{Nodes: 1}, {Nodes: 1}}, {{Nodes: 1, Shrink: -1}},
		{{Nodes: 1, Expand: math.NaN()}}, {{Nodes: 1, Expand: math.Inf(1)}}} {
		if _, err := machine.NewResizes(wrong...); err == nil {
			t.Errorf("%v: no error", wrong)
		}
	}
	for _, wrong := range []machine.Points{{Number: -1}, {Every: []float64{-1}}, {Every: []float64{math.NaN()}}, {Number: 1, Every: []float64{1}}} {
		if _, err := machine.New(machine.Config{Nodes: 1, Jobs: machine.List{}, Policy: policy.FCFS{}, Points: wrong}); err == nil {
			t.Errorf("%v: no error", wrong)
		}
	}
}

// Costs come from tables, and mistakes say where they are.
func TestReadResizes(t *testing.T) {
	got, err := machine.ReadResizes(strings.NewReader("# measured\nexpand, nodes ,shrink\n87,16,5\n9,8,70\n"), "c.csv")
	if want := (machine.Resizes{{8, 70, 9}, {16, 5, 87}}); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	for text, want := range map[string]string{
		"":             "c.csv: has no header that names nodes and time, or nodes, shrink and expand",
		"nodes,cost\n": "c.csv:1: the header names no shrink or time; write nodes,time or nodes,shrink,expand",
		"nodes,time\n": "c.csv: holds no costs",
		"nodes,time,shrink,expand\n4,1,2,3\n": "c.csv:1: the header names shrink or time twice; write nodes,time or " +
			"nodes,shrink,expand",
		"nodes,time\n4,5\n4.5,1\n": `c.csv:3: column nodes: "4.5" is not a number of nodes`,
		"nodes,time\n4,-5\n":       `c.csv:2: column time: "-5" is not a time from 0 to 1e+11 s`,
		"nodes,time\n4,1e300\n":    `c.csv:2: column time: "1e300" is not a time from 0 to 1e+11 s`,
		"nodes,time\n0\"":          "c.csv:2: bare \" in non-quoted-field",
		"nodes,time\n4,5\n4,6\n":   "c.csv:3: a second cost of resizing to 4 nodes; the first is in line 2",
		"nodes,time\n4\n":          "c.csv:2: wrong number of fields",
	} {
		if _, err := machine.ReadResizes(strings.NewReader(text), "c.csv"); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Where times are rounded more coarsely than points follow each other, jobs still come to an end.
func TestPointsBeyondTheClock(t *testing.T) {
	const late = 1e9 // when times are rounded to some 1e-7
	for _, q := range []machine.Points{{Number: 1_000_000}, {Every: []float64{1e-6}}} {
		jobs := machine.List{malleable(1, late, 4), malleable(2, late+0.1, 4), malleable(3, late+0.2, 0.5)}
		records, _ := lived(t, machine.Config{Nodes: 4, Policy: policy.Dynamic{}, Points: q, Jobs: jobs})
		if last := records[len(records)-1].End - late; len(records) != 3 || math.Abs(last-2.125) > 1e-3 {
			t.Errorf("%+v: %d jobs, the last ends after %v", q, len(records), last)
		}
	}
}

// With the same scheduling points ElastiSim takes as long for each job of testdata/elastisim.csv, to the six digits that
// it writes. The more points there are, the less is lost.
func TestJobsTakeAsLongAsInElastiSim(t *testing.T) {
	file, err := os.Open("testdata/elastisim.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	in := csv.NewReader(file)
	in.Comment = '#'
	rows, err := in.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var jobs machine.List
	turnaround := map[int][]float64{}
	for _, row := range rows[1:] {
		var x [4]float64
		for k := range x {
			if x[k], err = strconv.ParseFloat(row[k], 64); err != nil {
				t.Fatal(err)
			}
		}
		jobs = append(jobs, malleable(len(jobs), x[0], x[1]))
		turnaround[50], turnaround[400] = append(turnaround[50], x[2]), append(turnaround[400], x[3])
	}
	mean := func(q machine.Points) float64 {
		records, _ := lived(t, machine.Config{Nodes: 32, Policy: policy.Dynamic{}, Jobs: jobs, Points: q})
		sum := 0.0
		for _, r := range records {
			sum += r.Response()
			if there := turnaround[q.Number]; there != nil && math.Abs(r.Response()-there[r.ID]) > 5e-6*there[r.ID] {
				t.Errorf("%d points, job %d: %v, there %v", q.Number, r.ID, r.Response(), there[r.ID])
			}
		}
		return sum / float64(len(records))
	}
	free := mean(machine.Points{})
	least := free * (1 - 1e-6)
	for _, points := range []int{1 << 30, 8000, 400, 50} {
		got := mean(machine.Points{Number: points})
		t.Logf("%d points: %.0f s, %.2f %% more than %.0f s", points, got, 100*(got/free-1), free)
		if got < least || points == 1<<30 && got > free*(1+1e-6) {
			t.Errorf("%d points: %v s, at once %v s, with more points %v s", points, got, free, least)
		}
		least = got
	}
}

// FuzzReadResizes: a table that is read is all of it: written plainly, it is the same, of as many rows.
func FuzzReadResizes(f *testing.F) {
	for _, text := range []string{"nodes,time\n4,5\n", "# a\nexpand, nodes ,shrink,x\n87,16,5,\n9,8,70,\n", "nodes,time\n0\"",
		"nodes,time,nodes\n1,2,3\n", "\"nodes\",time\n1,\"2\"\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := machine.ReadResizes(strings.NewReader(text), "f")
		if err != nil {
			return
		}
		written := "nodes,shrink,expand\n"
		for _, x := range got {
			written += fmt.Sprintf("%d,%v,%v\n", x.Nodes, x.Shrink, x.Expand)
		}
		again, err := machine.ReadResizes(strings.NewReader(written), "again")
		if err != nil || !slices.Equal(got, again) {
			t.Fatalf("%q is %v, read again %v, %v", text, got, again, err)
		}
		rows := 0
		in := csv.NewReader(strings.NewReader(text))
		in.Comment, in.TrimLeadingSpace = '#', true
		for _, err := in.Read(); err == nil; _, err = in.Read() {
			rows++
		}
		if len(got) != rows-1 {
			t.Fatalf("%q has %d rows, %v", text, rows-1, got)
		}
	})
}
