// The package makes property tests draw the same cases in every run. Some test files import it for that alone:
//
//	import _ "github.com/partwise/partwise/testdata/phtest"
//
// A test that draws new cases in every run now and then fails beside a change that has nothing to do with it. When it is
// run again, it passes. Neither answer is about the change. So the rapid.seed of package rapid is a fixed number here. New
// cases are drawn where they are asked for, in one package at a time, because tests that draw nothing lack the flag:
//
//	go test ./phasetype -rapid.seed=0 -rapid.checks=10000
//
// The seed 0 is another one in each check; a seed that a failure prints draws that case first. A seed that is given, by
// the flag or as RAPID_SEED in the environment, is the one that holds. A failing case is also kept in testdata/rapid
// beside the test, which tries it first, whatever the seed, until the file is deleted.
//
// A check draws 50 cases, the same in every run. With -rapid.checks it draws as many as asked for, thousands if need be.
//
// The cases of a check differ from one another: case k is drawn from the seed plus k·(k−1)/2. Those of two checks begin
// with the same seeds, and are the same where they are drawn in the same way: the rows of a table of properties, each
// with a check of its own, are held against the same cases.

package phtest

import (
	"flag"
	"fmt"
	"os"
	"strconv"

	_ "pgregory.net/rapid" // defines the flag, before init is called here
)

const (
	seed  = 1996 // of all checks: it has no meaning; a property that holds must hold with any
	cases = 50   // of each check
)

func init() {
	defaults := map[string]int{"rapid.seed": seed, "rapid.checks": cases}
	for variable, name := range map[string]string{"RAPID_SEED": "rapid.seed", "RAPID_CHECKS": "rapid.checks"} {
		if _, given := os.LookupEnv(variable); given {
			delete(defaults, name) // the flag has it as its default
		}
	}
	// The command line is parsed later, and replaces them.
	for name, value := range defaults {
		if err := flag.Set(name, strconv.Itoa(value)); err != nil {
			panic(fmt.Sprintf("phtest: package rapid does not take %s: %v", name, err))
		}
	}
}
