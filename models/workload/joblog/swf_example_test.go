package joblog_test

import (
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/partwise/partwise/models/workload/joblog"
)

// A log of two jobs on a machine of eight processors, by its eighteen columns.
func ExampleRead_standardWorkloadFormat() {
	const text = `; MaxProcs: 8
1   0  0 600 4 -1 -1 4 900 -1 1 1 1 1 1 -1 -1 -1
2 120 30 300 8 -1 -1 8 300 -1 1 2 1 1 1 -1 -1 -1
`
	l, err := joblog.Read(strings.NewReader(text), "two.swf", joblog.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(l.Header.Size(), "processors")
	for _, j := range l.Jobs {
		fmt.Printf("job %d of user %d: %g s on %d processors, %g s allowed\n", j.ID, j.User, j.Run, j.Processors, j.Estimate)
	}
	l, err = joblog.Read(strings.NewReader(strings.Replace(text, "600", "soon", 1)), "two.swf", joblog.Options{})
	fmt.Println(len(l.Jobs), "job;", l.Findings[0], err)
	// Output:
	// 8 processors
	// job 1 of user 1: 600 s on 4 processors, 900 s allowed
	// job 2 of user 2: 300 s on 8 processors, 300 s allowed
	// 1 job; 1 with an unreadable number in column run (first in line 2: "soon") <nil>
}

// A log is read, its jobs are chosen, and written again at twice the load.
func Example() {
	const text = `; MaxProcs: 64
1   0 -1 100   4 -1 -1   4 200 -1 1 7 -1 -1 -1 -1 -1 -1
2  60 -1  -1   4 -1 -1   4 200 -1 5 7 -1 -1 -1 -1 -1 -1
3 120 -1  50 128 -1 -1 128 200 -1 1 7 -1 -1 -1 -1 -1 -1
4 240 -1  50  16 -1 -1  16  60 -1 1 9 -1 -1 -1 -1 -1 -1
`
	l, list, err := joblog.Pack(strings.NewReader(text), "example.swf", joblog.Options{})
	if err != nil {
		log.Fatal(err)
	}
	skipped := map[string]int{}
	jobs := new(joblog.Range).Choose(list.All(), l.Header.Size(), func(reason string, _ float64) { skipped[reason]++ })
	err = joblog.WriteSWF(os.Stdout, &l.Header, joblog.Stretch(jobs, 0.5))
	fmt.Println(err, skipped)
	// Output:
	// ; MaxProcs: 64
	// 1 0 -1 100 4 -1 -1 4 200 -1 1 7 -1 -1 -1 -1 -1 -1
	// 4 120 -1 50 16 -1 -1 16 60 -1 1 9 -1 -1 -1 -1 -1 -1
	// <nil> map[more processors than the machine has:1 no run time:1]
}
