package study

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate/replay"
)

func TestMain(m *testing.M) { needs.Main(m) }

// sized returns jobs of random run times that ask for the sizes, one after the other.
func sized(n int, sizes ...int) (jobs []joblog.Job) {
	r := rand.New(rand.NewPCG(1, 0))
	for i := range n {
		jobs = append(jobs, joblog.Job{ID: i, Submit: float64(i), Run: 100 * r.ExpFloat64(), Processors: sizes[i%len(sizes)]})
	}
	return jobs
}

var inUnitsOf8 = policy.Machine{Nodes: 64, Unit: 8}

// classesOf returns classes of jobs where each number of classes has an answer.
func classesOf(t *testing.T, jobs []joblog.Job, within float64, answers ...float64) []jobClass {
	t.Helper()
	got, err := chooseClasses(joblog.ListOf(jobs), inUnitsOf8, replay.Assumptions{Most: 2}, within, func(all []jobClass) (float64, error) {
		if len(all) > len(answers) {
			return 0, fmt.Errorf("%d classes: %w", len(all), markov.ErrTooLarge)
		}
		return answers[len(all)-1], nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// Jobs that ask for 1 to 4 nodes can use a unit, and those that ask for 32 or more all nodes: twice what they ask for, in units
// of 8.
func TestClassesOfALog(t *testing.T) {
	needs.Concurrency(t)
	for _, c := range []struct {
		sizes   []int
		answers []float64
		want    []jobClass
	}{
		{[]int{4, 3, 1}, []float64{1, 2}, []jobClass{{Sizes: joblog.Sizes{From: 1, To: 4}, Jobs: 1200, MaxNodes: 8}}},
		{[]int{2, 40, 4}, []float64{1, 2}, []jobClass{{Sizes: joblog.Sizes{From: 2, To: 4}, Jobs: 800, MaxNodes: 8},
			{Sizes: joblog.Sizes{From: 40, To: 40}, Jobs: 400, MaxNodes: 64}}},
		// Where the answer is the same, sizes are merged. The work of the large jobs, ten times that of the others, says most of
		// the nodes that jobs of the class can use: exp((20·log 8 + 400·log 64)/420) is 58 nodes, 7 units and a bit.
		{[]int{2, 40, 2}, []float64{1, 1}, []jobClass{{Sizes: joblog.Sizes{From: 2, To: 40}, Jobs: 1200, MaxNodes: 56}}},
	} {
		if got := classesOf(t, sized(1200, c.sizes...), .01, c.answers...); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.sizes, got, c.want)
		}
	}
}

// There are as few classes as change the answer of most classes by less than a share, and every number of classes above does so, too.
func TestClassesAreFew(t *testing.T) {
	needs.Concurrency(t)
	jobs := sized(4000, 4, 8, 16, 32)
	for _, c := range []struct {
		answers []float64
		want    int
	}{
		{[]float64{7021.8, 6763.2, 6770.0}, 2}, // the KTH SP2: a third class changes the answer by a thousandth
		{[]float64{100, 100.5, 90, 80}, 4},     // two classes answer what one does, and four do not
		{[]float64{100, 95, 99.5, 100}, 3},     // one class is right by chance
		{[]float64{100, 100.1, 99.9, 100}, 1},
		{[]float64{100}, 1}, // more are too large
	} {
		if got := len(classesOf(t, jobs, .01, c.answers...)); got != c.want {
			t.Errorf("%v: %d classes, want %d", c.answers, got, c.want)
		}
	}
}

func TestClassesNeedJobs(t *testing.T) {
	needs.Concurrency(t)
	failed := errors.New("failed")
	answer := func([]jobClass) (float64, error) { return 1, failed }
	for name, c := range map[string]struct {
		jobs []joblog.Job
		a    replay.Assumptions
		want error
	}{
		"no jobs":   {nil, replay.Assumptions{Most: 2}, nil},
		"no nodes":  {sized(10, 1), replay.Assumptions{}, nil},
		"no answer": {sized(10, 1), replay.Assumptions{Most: 2}, failed},
	} {
		_, err := chooseClasses(joblog.ListOf(c.jobs), inUnitsOf8, c.a, .01, answer)
		if err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
