package workload

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestReadSamples(t *testing.T) {
	three := Samples{Values: []float64{1, 2.5, 3e2}, Skipped: map[string]int{}}
	full := Samples{
		Values: []float64{1, 2}, Weights: []float64{3, 0.5}, Censored: []bool{false, true}, Skipped: map[string]int{},
	}
	all := Columns{Value: "time", Weight: "n", Censored: "cut"}
	for name, c := range map[string]struct {
		text    string
		columns Columns
		want    Samples
	}{
		"lines":             {"1\n2.5\n300\n", Columns{}, three},
		"windows lines":     {"1\r\n2.5\r\n300", Columns{}, three},
		"byte order mark":   {"\xef\xbb\xbf1\n2.5\n300\n", Columns{}, three},
		"header":            {"runtime\n1\n2.5\n300\n", Columns{}, three},
		"comment and blank": {"# times\n\n1\n\n2.5\n300\n", Columns{}, three},
		"by name":           {"job,runtime\na,1\nb,2.5\nc,300\n", Columns{Value: "runtime"}, three},
		"by number":         {"7,1\n8,2.5\n9,300\n", Columns{Value: "2"}, three},
		"only number":       {"a;1\nb;2.5\nc;300\n", Columns{}, three},
		"tabs":              {"job\truntime\n1\t1\n2\t2.5\n3\t300\n", Columns{Value: "runtime"}, three},
		"quoted":            {"\"run, s\",x\n\"1\",a\n2.5,b\n300,c\n", Columns{Value: "run, s"}, three},
		"compressed":        {zipped(t, "x\n1\n2.5\n300\n"), Columns{}, three},
		"all columns":       {"cut,time,n\n0,1,3\n1,2,0.5\n", all, full},
		"objects":           {"{\"time\":1,\"n\":3,\"cut\":0}\n{\"time\":2,\"n\":0.5,\"cut\":true}\n", all, full},
		"one key":           {"{\"id\":\"a\",\"x\":1}\n{\"x\":2.5}\n{\"x\":300}\n", Columns{}, three},
		"skipped": {
			"x\n1\n-4\nabc\n2.5\nNaN\nInf\n300\n", Columns{SkipInvalid: true},
			Samples{Values: three.Values, Skipped: map[string]int{"negative": 1, "not a number": 2, "infinite": 1}},
		},
		"ragged": {
			"a,b\n1,1\n2\n3,2.5\n4,\n5,300\n", Columns{Value: "b", SkipInvalid: true},
			Samples{Values: three.Values, Skipped: map[string]int{"missing": 1, "empty": 1}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ReadSamples(strings.NewReader(c.text), "f", c.columns)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadSamplesRefuses(t *testing.T) {
	cut := zipped(t, strings.Repeat("1.25\n3.75\n", 5000))
	for name, c := range map[string]struct {
		text    string
		columns Columns
		want    string
	}{
		"empty file":     {"", Columns{}, "f: is empty"},
		"blank file":     {"\n \n", Columns{}, "f: is empty"},
		"header only":    {"x\n", Columns{}, "f: holds no values"},
		"text":           {"x\n1\nabc\n", Columns{}, `f:3: column x: not a number: "abc"`},
		"no header text": {"1\nabc\n", Columns{}, `f:2: column 1: not a number: "abc"`},
		"NaN":            {"1\n\nNaN\n", Columns{}, "f:3: column 1: not a number: NaN"},
		"infinite":       {"1\n1e999\n", Columns{}, "f:2: column 1: infinite: 1e999"},
		"negative":       {"a,b\n1,2\n3,-0.5\n", Columns{Value: "b"}, "f:3: column b: negative: -0.5"},
		"empty field":    {"a,b\n1,2\n3,\n", Columns{Value: "b"}, "f:3: column b: empty"},
		"missing field":  {"a,b\n1,2\n3\n", Columns{Value: "b"}, "f:3: column b: missing"},
		"bad weight":     {"a,b\n1,x\n", Columns{Value: "a", Weight: "b"}, `f:2: column b: not a number: "x"`},
		"bad flag":       {"a,b\n1,2\n", Columns{Value: "a", Censored: "b"}, `f:2: column b: not 0 or 1: "2"`},
		"which column":   {"a,b\n1,2\n", Columns{}, "f: has several columns; say which one to take: a, b"},
		"no such column": {"a,b\n1,2\n", Columns{Value: "c"}, "f: column c: there is no such column; there are a, b"},
		"column 3 of 2": {"1,2\n", Columns{Value: "3"}, "f: column 3: there is no such column; there are 1 to 2 (no " +
			"header)"},
		"log": {"; Version: 2\n", Columns{}, "f: looks like a job log; say whether to take interarrival, " +
			"runtime or work from it"},
		"broken JSON": {"{\"x\":1}\n{\"x\":\n", Columns{}, "f:2: not JSON: unexpected end of JSON input"},
		"JSON text":   {"{\"x\":1}\n{\"x\":\"2\"}\n", Columns{}, `f:2: column x: not a number: "\"2\""`},
		"JSON key":    {"{\"x\":1,\"y\":2}\n", Columns{}, "f:1: say which key to take: x, y"},
		"cut gzip": {cut[:len(cut)/2], Columns{},
			"the file is cut off: its compressed data end too early"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadSamples(strings.NewReader(c.text), "f", c.columns)
			var located *DataError
			if !errors.As(err, &located) {
				t.Fatalf("got %v, want a DataError", err)
			}
			if !strings.HasSuffix(err.Error(), c.want) {
				t.Errorf("got  %s\nwant %s", err, c.want)
			}
		})
	}
}

func TestLoadSamplesMissing(t *testing.T) {
	if _, err := LoadSamples("no such file", Columns{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want that the file does not exist", err)
	}
}

func FuzzReadSamples(f *testing.F) {
	f.Add("a,b\n1,2\n", "b", false)
	f.Add("{\"x\":1}\n", "", true)
	f.Add("\x1f\x8b", "", false)
	f.Fuzz(func(t *testing.T, text, column string, skip bool) {
		s, err := ReadSamples(strings.NewReader(text), "f", Columns{Value: column, SkipInvalid: skip})
		if err == nil && len(s.Values) == 0 {
			t.Error("no values and no error")
		}
		for _, x := range s.Values {
			if !(x >= 0) {
				t.Errorf("%v is not a time", x)
			}
		}
	})
}

func ExampleReadSamples() {
	text := "job,runtime\n1,12.5\n2,oops\n"
	_, err := ReadSamples(strings.NewReader(text), "jobs.csv", Columns{Value: "runtime"})
	fmt.Println(err)
	// Output: jobs.csv:3: column runtime: not a number: "oops"
}
