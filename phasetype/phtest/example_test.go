package phtest_test

import (
	"fmt"
	"log"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/phasetype/phtest"
)

// A distribution that was made in a new way is held against all that must be true of any.
func ExampleCheck() {
	d, err := phasetype.Erlang(3, 2)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(phtest.Check(d))
	// Output: <nil>
}
