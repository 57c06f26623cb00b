package measure_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/measure"
	_ "github.com/partwise/partwise/testdata/phtest"
	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	for text, want := range map[string][]float64{
		"0.7":                 {0.7},
		" 1, -2 ,3e-1":        {1, -2, 0.3},
		"1:4":                 {1, 2, 3, 4},
		"0.1:0.35:0.1":        {0.1, 0.2, 0.3},
		"0.7:0.7:0.1":         {0.7},
		"-1:1:0.5":            {-1, -0.5, 0, 0.5, 1},
		"0.1:0.5:0.2,0.7,1:2": {0.1, 0.3, 0.5, 0.7, 1, 2},
	} {
		got, err := measure.ParseNumbers(text, measure.Limits{Most: 10})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
}

// TestLoadsThatAreTooHigh: loads above 5 are refused, however high, in lists, ranges and percentages.
func TestLoadsThatAreTooHigh(t *testing.T) {
	const tooHigh = " is a load that no machine keeps up with"
	for text, want := range map[string]string{
		"0.5,7":       "7" + tooHigh + "; did you mean 7%?",
		"120":         "120" + tooHigh + "; did you mean 120%?",
		"0.1:170:0.1": "170" + tooHigh + "; did you mean 170%?",
		"501":         "501" + tooHigh,
		"600%":        "600%" + tooHigh,
		"1e300":       "1e300" + tooHigh,
	} {
		got, err := measure.ParseNumbers(text, measure.Limits{Positive: true, Loads: true, Most: 10})
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, %v, want %s", text, got, err, want)
		}
	}
	if got, err := measure.ParseNumbers("500%", measure.Limits{Loads: true, Most: 10}); err != nil || got[0] != 5 {
		t.Errorf("500%%: %v, %v", got, err)
	}
}

func TestParseMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":             `a value is missing in ""`,
		"0.1,":         `a value is missing in "0.1,"`,
		"0,7":          "0 is not positive; did you mean 0.7?", // with a comma as decimal sign
		"0.1;0.2":      `"0.1;0.2" is not a number`,
		"0x10":         `"0x10" is not a number`,
		"+-1":          `"+-1" is not a number`,
		"inf":          `"inf" is not a number`,
		"0.1:x":        `"x" is not a number`,
		"1:2:3:4":      `"1:2:3:4" is not a range A:B or A:B:STEP`,
		"1e999":        "1e999 is too large",
		"-1":           "-1 is not positive",
		"1:2:0":        "the step 0 is not positive",
		"0.1:0.9":      `"0.1:0.9": has no step, and steps of 1 miss its end; give it one, as in 0.1:0.9:0.1`,
		"2:1":          `"2:1": the end 1 is less than the beginning 2; write the smaller one first`,
		"1:2:1e-9":     `"1:2:1e-9": makes more than 10 values; take larger steps`,
		"1:1e308:1e-9": `"1:1e308:1e-9": makes more than 10 values; take larger steps`,
		"1:6,1:6":      `"1:6,1:6" makes more than 10 values`,
	} {
		got, err := measure.ParseNumbers(text, measure.Limits{Positive: true, Most: 10})
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, %v, want %s", text, got, err, want)
		}
	}
}

func TestErrorNamesThePart(t *testing.T) {
	for part, r := range map[string][]float64{"to": {2, 1, 1}, "step": {1, 2, 0.1}} {
		_, err := measure.Expand(r, 10)
		var e *measure.RangeError
		if !errors.As(err, &e) || e.Part != part {
			t.Errorf("%+v: %v, want a mistake of %s", r, err, part)
		}
	}
}

// TestRangesReachTheirEnd: a range of n whole steps, written in decimals, has n + 1 numbers, and the last is the end.
func TestRangesReachTheirEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.IntRange(0, 6).Draw(t, "digits")
		decimal := func(units int) float64 {
			v, err := strconv.ParseFloat(fmt.Sprintf("%de-%d", units, digits), 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		from, step := rapid.IntRange(-1000, 1000).Draw(t, "from"), rapid.IntRange(1, 1000).Draw(t, "step")
		n := rapid.IntRange(0, 1000).Draw(t, "n")
		r := []float64{decimal(from), decimal(from + n*step), decimal(step)}
		values, err := measure.Expand(r, n+1)
		if err != nil || len(values) != n+1 || values[n] != r[1] {
			t.Fatalf("%+v: %d numbers, %v", r, len(values), err)
		}
	})
}

func TestIsDecimal(t *testing.T) {
	for _, good := range []string{"0", "-1", "+1.5", ".5", "5.", "1e3", "1E-3", "0.10"} {
		if _, ok := measure.ParseDecimal(good); !ok || !measure.IsDecimal(good) {
			t.Errorf("%q is no decimal number", good)
		}
	}
	for _, bad := range []string{"", "-", ".", "e3", "1e", "1e+", "010", "1_000", "0x1", "nan", "1 ", "--1", "+-1"} {
		if measure.IsDecimal(bad) {
			t.Errorf("%q is a decimal number", bad)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"0.1:0.5:0.1,0.7", "1:4", "-1", "1:2:1e-300", "1e308:1e309", ":", ","} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		values, err := measure.ParseNumbers(text, measure.Limits{Positive: true, Most: 100})
		if (err == nil) != (len(values) > 0) || len(values) > 100 {
			t.Fatalf("%q: %d values, %v", text, len(values), err)
		}
		// Each number stands for itself or is one of a range: written one by one they are the same numbers.
		if terms, err := measure.Terms(text); err == nil && len(values) > 0 && len(terms) > len(values) {
			t.Fatalf("%q: %d values of %d terms", text, len(values), len(terms))
		}
		var written []string
		for _, v := range values {
			written = append(written, strconv.FormatFloat(v, 'g', -1, 64))
		}
		if again, err := measure.ParseNumbers(strings.Join(written, ","), measure.Limits{Most: 100}); len(values) > 0 &&
			(err != nil || !slices.Equal(again, values)) {
			t.Fatalf("%q: %v, read again %v, %v", text, values, again, err)
		}
		for _, v := range values {
			if !(v > 0) || math.IsInf(v, 1) {
				t.Fatalf("%q: %v", text, v)
			}
		}
	})
}

func ExampleParse() {
	loads, err := measure.ParseNumbers("0.1:0.5:0.1,0.7", measure.Limits{Positive: true, Most: 1000})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(loads)
	_, err = measure.ParseNumbers("0.5:0.1:0.1", measure.Limits{Positive: true, Most: 1000})
	fmt.Println(err)
	// Output:
	// [0.1 0.2 0.3 0.4 0.5 0.7]
	// "0.5:0.1:0.1": the end 0.1 is less than the beginning 0.5; write the smaller one first
}
