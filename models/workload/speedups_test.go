package workload_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/partwise/partwise/models/workload"
)

// drawSpeedup draws any speedup of the table, with any parameters that it accepts.
func drawSpeedup(t *rapid.T) workload.Speedup {
	e := rapid.SampledFrom(workload.Speedups()).Draw(t, "speedup")
	if !e.Points {
		numbers := make([]float64, len(e.Parameters))
		for i, p := range e.Parameters {
			numbers[i] = rapid.Float64Range(0, 1).Draw(t, p)
			if e.Name == "downey" || strings.HasPrefix(e.Name, "dowdy") {
				numbers[i] = math.Exp(20 * numbers[i])
			}
			if p == "threads" {
				numbers[i] = math.Round(numbers[i])
			}
		}
		return must(workload.NewSpeedup(e.Name, numbers...))
	}
	points := []float64{1, 1}
	for _, n := range rapid.SliceOfNDistinct(rapid.Float64Range(1.001, 1e6), 0, 8, rapid.ID).Draw(t, "nodes") {
		points = append(points, n, rapid.Float64Range(1e-6, 1).Draw(t, "efficiency")*n)
	}
	return must(workload.NewSpeedup(e.Name, points...))
}

// TestSpeedupsAreCopies: whoever changes the table changes nobody else's.
func TestSpeedupsAreCopies(t *testing.T) {
	workload.Speedups()[1].Parameters[0] = "changed"
	if e, ok := workload.SpeedupNamed("amdahl"); !ok || e.Parameters[0] != "serial" {
		t.Errorf("%+v", e)
	}
}

// TestSpeedupsRoundTrip: what String writes is read back as it was, bit by bit.
func TestSpeedupsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSpeedup(t)
		text := fmt.Sprint(s)
		back, err := workload.ParseSpeedup(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !reflect.DeepEqual(s, back) {
			t.Fatalf("%s: %+v was read as %+v", text, s, back)
		}
	})
}

func TestSpeedupTable(t *testing.T) {
	for _, e := range workload.Speedups() {
		s, err := workload.ParseSpeedup(e.Example)
		if err != nil || fmt.Sprint(s) != e.Example {
			t.Errorf("the example of %s is %q, read as %v: %v", e.Name, e.Example, s, err)
		}
		if named, ok := workload.SpeedupNamed(e.Name); !ok || named.Name != e.Name || e.Doc == "" {
			t.Errorf("%s: %+v", e.Name, named)
		}
		for _, p := range e.Parameters {
			if p := strings.ToUpper(p); !slices.Contains(strings.FieldsFunc(e.Doc, notLetter), p) {
				t.Errorf("%s is described as %q, without %s", e.Name, e.Doc, p)
			}
		}
	}
}

func notLetter(r rune) bool { return (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') }

func TestParseSpeedup(t *testing.T) {
	s, err := workload.ParseSpeedup("table:4=3.7, 1=1,2=1.95")
	if err != nil || fmt.Sprint(s) != "table:1=1,2=1.95,4=3.7" {
		t.Errorf("%v, %v", s, err)
	}
	const forms = "linear, amdahl:SERIAL, power:EXPONENT, dowdy:BETA, dowdy-static:BETA,THREADS, downey:A,SIGMA or table:NODES=SPEEDUP,…"
	for text, want := range map[string]string{
		"":                 `workload: unknown speedup ""; use ` + forms,
		"amdal:0.05":       `workload: unknown speedup "amdal:0.05"; did you mean "amdahl:0.05"?`,
		"amdahl(0.05)":     `workload: unknown speedup "amdahl(0.05)"; did you mean "amdahl:0.05"?`,
		"amdahl=0.05":      `workload: unknown speedup "amdahl=0.05"; did you mean "amdahl:0.05"?`,
		"perfect":          `workload: unknown speedup "perfect"; use ` + forms,
		"amdahl":           `workload: "amdahl" does not have the form amdahl:SERIAL; for example amdahl:0.05`,
		"downey:64":        `workload: "downey:64" does not have the form downey:A,SIGMA; for example downey:64,1`,
		"linear:1":         `workload: "linear:1" does not have the form linear; for example linear`,
		"amdahl:":          `workload: "" is not a number; for example amdahl:0.05`,
		"amdahl:x":         `workload: "x" is not a number; for example amdahl:0.05`,
		"amdahl:1.5":       "workload: serial: 1.5 is not a fraction between 0 and 1; did you mean 1.5%?",
		"power:nan":        `workload: "nan" is not a number; for example power:0.9`,
		"downey:Inf,1":     `workload: "Inf" is not a number; for example downey:64,1`,
		"table":            "workload: table: is empty",
		"table:1":          `workload: "1" is not a point NODES=SPEEDUP; for example table:1=1,2=1.95,4=3.7`,
		"table:1=x":        `workload: "x" is not a number; for example table:1=1,2=1.95,4=3.7`,
		"table:1=1,1=1":    "workload: table: 1 appears twice",
		"table:1=1,64=640": "workload: table: the speedup of 64 nodes is 640, more than the number of nodes; use at most 64",
		"table:1=2,2=-1":   "workload: table: the speedup of one node is 2; it is 1 by definition",
	} {
		if s, err := workload.ParseSpeedup(text); err == nil || err.Error() != want || s != nil {
			t.Errorf("%q: %v, %v, want %s", text, s, err, want)
		}
	}
	_, err = workload.ParseSpeedup("dowdy:-1")
	if e := (*workload.ParameterError)(nil); !errors.As(err, &e) || e.Parameter != "beta" {
		t.Errorf("error %v", err)
	}
}

// own is a speedup that no table knows.
type own struct{}

func (own) At(n float64) float64 { return 1 + math.Log(n) }

func ExampleSpeedup() {
	var speedups []workload.Speedup
	for _, text := range []string{"linear", "amdahl:0.05", "table:1=1,16=12"} {
		s, err := workload.ParseSpeedup(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		speedups = append(speedups, s)
	}
	speedups = append(speedups, own{}) // whatever has a method At is a speedup
	for _, s := range speedups {
		if r, ok := s.(workload.Ranged); ok && !r.Covers(32) {
			fmt.Println(s, "is not known for 32 nodes")
			continue
		}
		fmt.Printf("%.2f times as fast on 32 nodes\n", s.At(32))
	}
	// Output:
	// 32.00 times as fast on 32 nodes
	// 12.55 times as fast on 32 nodes
	// table:1=1,16=12 is not known for 32 nodes
	// 4.47 times as fast on 32 nodes
}

// FuzzParseSpeedup: a text that is a speedup is all of it: what the speedup is written as is the same speedup.
func FuzzParseSpeedup(f *testing.F) {
	for _, text := range []string{"linear", "amdahl:0.05", "power:0.8", "dowdy:100", "downey:64,1", "amdahl", "amdahl:0.05,1", "linear:", "power:nan"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := workload.ParseSpeedup(text)
		if err != nil {
			return
		}
		again, err := workload.ParseSpeedup(fmt.Sprint(s))
		if err != nil || !cmp.Equal(s, again) {
			t.Fatalf("%q is %v, read again %v, %v", text, s, again, err)
		}
	})
}
