package measure_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/partwise/partwise/models/measure"
	_ "github.com/partwise/partwise/testdata/phtest"
	"pgregory.net/rapid"
)

func TestNumber(t *testing.T) {
	for text, want := range map[string]float64{"0.7": 0.7, "70%": 0.7, "70 %": 0.7, "0.1%": 0.001, "1e1%": 0.1, "-5%": -0.05, "1e3": 1000} {
		if got, ok := measure.ParseNumber(text); !ok || got != want {
			t.Errorf("%s: %v, %v; want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "%", "70%%", "x%", "0x1", "1e", "01", "1e999", "1 000", "NaN", "inf"} {
		if got, ok := measure.ParseNumber(text); ok {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

// Times are read in any unit, and with several units in one text.
func TestTime(t *testing.T) {
	for text, want := range map[string]float64{"60s": 60, "1m": 60, "1min": 60, "1h30m": 5400, "1 h 30 min": 5400, "1.5h": 5400,
		"250ms": 0.25, "2d4h": 187200, "90": 90, "+5s": 5, "-5s": -5, "1e2s": 100, "0s": 0, "1m0s": 60, "3us": 3e-6} {
		if got, err := measure.ParseTime(text, measure.Second()); err != nil || math.Abs(got-want) > 1e-15*math.Abs(want) {
			t.Errorf("%s: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "s", "30m1h", "1h-30m", "1h30", "5 days", "1.2.3s", "1 s s", "h", "12:30", "NaNs", "1M"} {
		if got, err := measure.ParseTime(text, measure.Second()); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
	if _, err := measure.ParseTime("1s", measure.TimeUnit{}); err == nil {
		t.Error("a time in no unit")
	}
}

// A percentage is the number nearest to its hundredth part.
func TestPercentagesAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 1_000_000).Draw(t, "n")
		got, _ := measure.ParseNumber(fmt.Sprintf("%d.%03d%%", n/1000, n%1000))
		want, _ := measure.ParseDecimal(fmt.Sprintf("%de-5", n))
		if got != want {
			t.Errorf("%d: %v, want %v", n, got, want)
		}
	})
}

func ExampleTime() {
	for _, text := range []string{"90", "1m", "1h30m"} {
		seconds, err := measure.ParseTime(text, measure.Second())
		fmt.Println(seconds, err)
	}
	_, err := measure.ParseTime("soon", measure.Second())
	fmt.Println(err)
	// Output:
	// 90 <nil>
	// 60 <nil>
	// 5400 <nil>
	// "soon" is not a time such as 30s or 1h30m; units are us, ms, s, min, h or d
}

func ExampleParse_percentages() {
	fmt.Println(measure.ParseNumbers("10%:30%:10%,0.7", measure.Limits{Positive: true, Most: 100}))
	// Output: [0.1 0.2 0.3 0.7] <nil>
}

// InUnit writes times with units as numbers of another one: this cooldown is 1.5 min.
func ExampleInUnit() {
	minute, err := measure.TimeUnitNamed("min")
	fmt.Println(measure.InUnit("resize:cooldown=1m30s,cap=8", minute), err)
	fmt.Println(measure.InUnit("0:1h:10m,90", minute))
	// Output:
	// resize:cooldown=1.5,cap=8 <nil>
	// 0:60:10,90
}
