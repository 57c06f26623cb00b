package swf_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/partwise/partwise/models/workload/swf"
)

// A log is read job by job, filtered, and written again at twice the load.
func Example() {
	const log = `; MaxProcs: 64
1   0 -1 100   4 -1 -1   4 200 -1 1 7 -1 -1 -1 -1 -1 -1
2  60 -1  -1   4 -1 -1   4 200 -1 5 7 -1 -1 -1 -1 -1 -1
3 120 -1  50 128 -1 -1 128 200 -1 1 7 -1 -1 -1 -1 -1 -1
4 240 -1  50  16 -1 -1  16  60 -1 1 9 -1 -1 -1 -1 -1 -1
`
	in, err := swf.NewReader(strings.NewReader(log), "example.swf")
	if err != nil {
		fmt.Println(err)
		return
	}
	filter := &swf.Filter{In: in, Nodes: 64}
	out, err := swf.NewWriter(os.Stdout, []string{" MaxProcs: 64"})
	if err != nil {
		fmt.Println(err)
		return
	}
	jobs, err := swf.All(&swf.Stretch{In: filter, Factor: 0.5})
	for i := range jobs {
		err = out.Write(&jobs[i])
	}
	fmt.Println(err, out.Flush(), filter.Skipped)
	// Output:
	// ; MaxProcs: 64
	// 1 0 -1 100 4 -1 -1 4 200 -1 1 7 -1 -1 -1 -1 -1 -1
	// 4 120 -1 50 16 -1 -1 16 60 -1 1 9 -1 -1 -1 -1 -1 -1
	// <nil> <nil> map[more processors than the machine has:1 no run time:1]
}
