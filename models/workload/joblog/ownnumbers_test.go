package joblog_test

import (
	"fmt"
	"log"
	"os"
	"testing"

	"github.com/partwise/partwise/models/workload/joblog"
)

// Two tasks of an array share their number. In Standard Workload Format, which has no tasks, all jobs are numbered anew; the header
// says how large the machine is.
func ExampleList_WithOwnNumbers() {
	tasks := joblog.ListOf([]joblog.Job{
		{ID: 7, Submit: 0, Wait: -1, Run: 60, Processors: 2, Task: 1, Status: joblog.Completed},
		{ID: 7, Submit: 5, Wait: -1, Run: 60, Processors: 2, Task: 2, Status: joblog.Completed},
	})
	jobs, anew := tasks.WithOwnNumbers()
	fmt.Println("numbered anew:", anew)
	header := joblog.Header{Comments: []string{" Computer: a cluster", " MaxNodes: 64"}}
	header.StateSize(8)
	if err := joblog.WriteSWF(os.Stdout, &header, jobs); err != nil {
		log.Fatal(err)
	}
	// Output:
	// numbered anew: true
	// ; Computer: a cluster
	// ; MaxNodes: 8
	// ; MaxProcs: 8
	// 1 0 -1 60 2 0 0 0 0 0 1 0 0 0 0 0 0 0
	// 2 5 -1 60 2 0 0 0 0 0 1 0 0 0 0 0 0 0
}

// TestWithOwnNumbers: jobs with numbers of their own keep them, and a list of jobs that are numbered anew stays as it is.
func TestWithOwnNumbers(t *testing.T) {
	numbers := func(jobs joblog.Jobs) (all []int) {
		for j, err := range jobs {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, j.ID)
		}
		return all
	}
	for _, c := range []struct {
		given, want []int
		anew        bool
	}{{nil, nil, false}, {[]int{3, 1, 2}, []int{3, 1, 2}, false}, {[]int{3, 1, 3}, []int{1, 2, 3}, true}} {
		list := new(joblog.List)
		for _, id := range c.given {
			list.Add(&joblog.Job{ID: id})
		}
		jobs, anew := list.WithOwnNumbers()
		if got := numbers(jobs); anew != c.anew || fmt.Sprint(got) != fmt.Sprint(c.want) || fmt.Sprint(numbers(list.All())) != fmt.Sprint(c.given) {
			t.Errorf("%v become %v, %v", c.given, got, anew)
		}
	}
	if jobs, anew := (*joblog.List)(nil).WithOwnNumbers(); anew || numbers(jobs) != nil {
		t.Error("a nil list has jobs")
	}
}
