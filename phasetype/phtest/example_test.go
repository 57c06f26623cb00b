package phtest_test

import (
	"fmt"
	"log"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/phasetype/phtest"
)

// The laws of an Erlang distribution, as of one that was made in a new way.
func ExampleCheck() {
	d, err := phasetype.Erlang(3, 2)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(phtest.Check(d))
	// Output: <nil>
}
