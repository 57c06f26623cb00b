package cmdtest_test

import (
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/cmdtest"
)

func ExampleCompile() {
	known, err := cmdtest.Compile("../systems/testdata")
	if err != nil {
		fmt.Println(err)
	}
	_, err = known.Check("apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: a}\nspec: {queue: b}\n")
	fmt.Println(err != nil) // spec has clusterQueue
	// Output: true
}
