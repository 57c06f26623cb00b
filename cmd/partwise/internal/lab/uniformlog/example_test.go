package uniformlog_test

import (
	"fmt"
	"log"

	"github.com/partwise/partwise/cmd/partwise/internal/lab/uniformlog"
)

// Lifetimes between a minute and an hour, every decade of which is as likely as another.
func Example() {
	lifetimes, err := uniformlog.New(60, 3600)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("half of the jobs run for less than %.0f s, %.0f s on average\n", lifetimes.Quantile(0.5), lifetimes.Mean())
	// Output: half of the jobs run for less than 465 s, 865 s on average
}
