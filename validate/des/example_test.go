package des_test

import (
	"fmt"

	"github.com/partwise/partwise/validate/des"
)

func ExampleCalendar() {
	var c des.Calendar[string]
	c.Schedule(2, "departure")
	alarm := c.Schedule(1.5, "alarm")
	c.Schedule(1, "arrival")
	c.Cancel(alarm)
	for c.Len() > 0 {
		at, event, _ := c.Next()
		fmt.Println(at, event)
	}
	// Output:
	// 1 arrival
	// 2 departure
}

func ExampleKey() {
	const arrivals, demands = 0, 1
	replication := des.Seed(42).At(0).At(7)
	a, d := replication.At(arrivals).Stream(), replication.At(demands).Stream()
	again := replication.At(arrivals).Stream()
	fmt.Println(a.Float64() == again.Float64(), a.Float64() == d.Float64())
	// Output: true false
}

func ExampleQueue() {
	var q des.Queue[string]
	for _, job := range []string{"first", "second", "third"} {
		q.Push(job)
	}
	q.Remove(1) // it was backfilled
	fmt.Println(q.Pop(), q.Pop(), q.Len())
	// Output: first third 0
}
