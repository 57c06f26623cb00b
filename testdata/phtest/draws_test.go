package phtest_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	_ "github.com/partwise/partwise/testdata/phtest"
	"pgregory.net/rapid"
)

// A test file that imports the package has done all there is to do. What it set is the flag of package rapid.
func Example_draws() {
	fmt.Println(flag.Lookup("rapid.seed").Usage)
	// Output:
	// rapid: PRNG seed to start with (0 to use a random one)
}

var show = flag.Bool("show", false, "print what is drawn, for TestSeeds")

// TestShow prints the cases of two checks to TestSeeds.
func TestShow(t *testing.T) {
	if !*show {
		t.Skip("run by TestSeeds")
	}
	for range 2 {
		rapid.Check(t, func(t *rapid.T) { fmt.Println("drew", rapid.Uint64().Draw(t, "x")) })
	}
}

// drawn returns what TestShow draws in a process of its own.
func drawn(t *testing.T, env string, args ...string) (first, second []string) {
	t.Helper()
	c := exec.Command(os.Args[0], append([]string{"-test.run=^TestShow$", "-show"}, args...)...)
	c.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "RAPID_") })
	if env != "" {
		c.Env = append(c.Env, env)
	}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", c, err, out)
	}
	cases := regexp.MustCompile(`(?m)^drew \d+$`).FindAllString(string(out), -1)
	if len(cases) != 100 {
		t.Fatalf("%d cases drawn:\n%s", len(cases), out)
	}
	return cases[:50], cases[50:]
}

// TestSeeds: without a seed all runs draw the same cases, and a seed that is given holds.
func TestSeeds(t *testing.T) {
	fixed, again := drawn(t, "")
	if !slices.Equal(fixed, again) {
		t.Error("two checks drew different cases")
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(fixed)))
	if len(distinct) < 25 { // small numbers are drawn more often than others
		t.Errorf("%d distinct cases of %d", len(distinct), len(fixed))
	}
	if next, _ := drawn(t, ""); !slices.Equal(next, fixed) {
		t.Error("two runs drew different cases")
	}
	seven, _ := drawn(t, "", "-rapid.seed=7")
	if slices.Equal(seven, fixed) {
		t.Error("the seed of the command line was not taken")
	}
	if env, _ := drawn(t, "RAPID_SEED=7"); !slices.Equal(env, seven) {
		t.Error("the seed of the environment was not taken")
	}
	for _, fresh := range []struct{ env, arg string }{{"", "-rapid.seed=0"}, {"RAPID_SEED=0", "-rapid.checks=50"}} {
		one, two := drawn(t, fresh.env, fresh.arg)
		if slices.Equal(one, fixed) || slices.Equal(one, two) {
			t.Errorf("%+v drew cases that were drawn before", fresh)
		}
	}
}
