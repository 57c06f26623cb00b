package testbed_test

import (
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/lab/testbed"
)

func ExampleInstalled() {
	fmt.Println(testbed.Installed("batch system", "ask who looks after this host", "no-such-daemon", "no-such-client"))
	// Output: batch system: not installed: no-such-daemon, no-such-client
}
