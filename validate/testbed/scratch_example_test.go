package testbed_test

import (
	"fmt"
	"os"

	"github.com/partwise/partwise/validate/testbed"
)

func Example_folder() {
	f, err := testbed.newFolder("partwise-example-")
	if err != nil {
		panic(err)
	}
	if err := f.Remove(); err != nil {
		panic(err)
	}
	_, err = os.Stat(f.Path)
	fmt.Println(os.IsNotExist(err))
	// Output: true
}
