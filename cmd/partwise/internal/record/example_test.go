package record_test

import (
	"fmt"
	"log"

	"github.com/partwise/partwise/cmd/partwise/internal/record"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
)

// A point without results comes back as it was.
func ExamplePoint() {
	r := record.New(7, &decide.Point{Series: "W1", Load: 0.5, ArrivalRate: 2, Done: true})
	fmt.Println(r.Point, string(r.Value))
	p, err := record.Point(policy.Standard(), r)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Series, p.Load, p.Done)
	// Output:
	// 7 {"series":"W1","load":0.5,"arrival_rate":2,"results":null}
	// W1 0.5 true
}
