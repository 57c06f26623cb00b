package workload

import (
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// TestIntervalsAndTruncation reads upper ends and times of entry from tables and from objects.
func TestIntervalsAndTruncation(t *testing.T) {
	columns := Columns{Value: "from", Upper: "to", Truncated: "entry", Weight: "n"}
	want := []Measurement{
		{Value: 0, Weight: 3, Upper: 10, Truncated: 0}, {Value: 10, Weight: 1, Upper: math.Inf(1), Truncated: 2},
	}
	for name, text := range map[string]string{
		"csv":  "from,to,n,entry\n0,10,3,0\n10,,1,2\n",
		"json": `{"from":0,"to":10,"n":3,"entry":0}` + "\n" + `{"from":10,"to":null,"n":1,"entry":2}`,
	} {
		var got []Measurement
		_, err := ReadMeasurements(strings.NewReader(text), name, columns, func(m Measurement) error {
			got = append(got, m)
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestUpperBelowValue: an interval that ends before it begins is refused, or counted.
func TestUpperBelowValue(t *testing.T) {
	text := "a,b\n1,2\n3,1\n5,4\n"
	c := Columns{Value: "a", Upper: "b"}
	_, err := ReadSamples(strings.NewReader(text), "x.csv", c)
	var e *DataError
	if !errors.As(err, &e) || e.Row != 3 || e.Column != "b" {
		t.Errorf("got %v, want an error in row 3, column b", err)
	}
	c.SkipInvalid = true
	s, err := ReadSamples(strings.NewReader(text), "x.csv", c)
	if err != nil || len(s.Values) != 1 || s.Skipped["less than the value"] != 2 {
		t.Errorf("got %v, skipped %v, %v", s.Values, s.Skipped, err)
	}
}

// TestReaderStops: an error of the consumer ends the reading.
func TestReaderStops(t *testing.T) {
	enough := errors.New("enough")
	n := 0
	_, err := ReadMeasurements(strings.NewReader("1\n2\n3\n"), "x", Columns{}, func(Measurement) error {
		n++
		return enough
	})
	if !errors.Is(err, enough) || n != 1 {
		t.Errorf("%v after %d values", err, n)
	}
}

// TestReadingMeasurementsFailsAnywhere: wherever the reading of a file fails, the error wraps the reason.
func TestReadingMeasurementsFailsAnywhere(t *testing.T) {
	broken := errors.New("input/output error")
	for name, c := range map[string]struct {
		text    string
		columns Columns
	}{
		"CSV":    {"a,b\n1,2\n3,4\n", Columns{Value: "b"}},
		"lines":  {"1\n2\n3\n", Columns{}},
		"array":  {"[1, 2, 3]", Columns{}},
		"JSON":   {`{"a": 1} {"a": 2}`, Columns{}},
		"nested": {`[{"a": {"b": 1}}, {"a": {"b": 2}}]`, Columns{Value: "a.b"}},
		"a log":  {strings.Repeat(strings.Repeat("1 ", 18)+"\n", 3), Columns{Log: RunTime}},
	} {
		for at := range len(c.text) {
			in := io.MultiReader(strings.NewReader(c.text[:at]), iotest.ErrReader(broken))
			_, err := ReadMeasurements(in, "f", c.columns, func(Measurement) error { return nil })
			if !errors.Is(err, broken) {
				t.Errorf("%s after %d of %d bytes: %v", name, at, len(c.text), err)
			}
		}
	}
}
