package workload

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
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
		"quoted lines":      {"x,\"no\nte\"\n1,\"a\n\"\"b\"\"\"\n2.5,5\" disk\n300,c\n", Columns{Value: "x"}, three},
		"quotes, decimal":   {"\"x\",\"y\"\n\"1\",\"a\"\n\"2,5\",\"b\"\n\"300\",\"c\"\n", Columns{Value: "x", Decimal: ','}, three},
		"separator told":    {"sep=;\r\nx;y\r\n1;a\r\n2,5;b\r\n300;c\r\n", Columns{Value: "x", Decimal: ','}, three},
		"commas told":       {"sep=,\nx,y\n1,a\n2.5,b\n300,c\n", Columns{Value: "x"}, three},
		"bars told":         {"sep=|\nx|y\n1|a\n2.5|b\n300|c\n", Columns{Value: "x"}, three},
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
		"empty file":     {"", Columns{}, "f: is empty; write one value a line, or a table with the names of its columns in the first line"},
		"blank file":     {"\n \n", Columns{}, "f: is empty; write one value a line, or a table with the names of its columns in the first line"},
		"header only":    {"x\n", Columns{}, "f: holds no values below the header: x"},
		"old Mac":        {"x\r1\r2\r", Columns{}, `f: ends its lines as old Macs did; convert it, as by tr '\r' '\n'`},
		"open quote":     {"\"x\n1\n2\n", Columns{}, "f:1: a quote is never closed in this line; close it, or delete it"},
		"thousands":      {"x\n1,000\n2,500\n", Columns{}, "f:2: has 2 fields below a header of one; put a number with commas in quotes"},
		"decimal commas": {"x;y\n10,5;2\n12,5;4\n", Columns{}, "f: has several columns; say which one to take: x, y"},
		"binary data":    {"\x7fELF\x00\x01\xff", Columns{}, "f: holds binary data, not a table of numbers"},
		"text":           {"x\n1\nabc\n", Columns{}, `f:3: column x: not a number: "abc"`},
		"no header text": {"1\nabc\n", Columns{}, `f:2: column 1: not a number: "abc"`},
		"clock first":    {"01:30\n02:30\n", Columns{}, `f:1: column 1: not a number: "01:30"; write HH:MM:SS, or 90m (and 1 more row without a measurement)`},
		"bound first":    {">3600\n60\n", Columns{}, `f:1: column 1: not a number: ">3600"; leave the sign out, and mark the value as censored`},
		"spaces first":   {"1 234\n60\n", Columns{}, `f:1: column 1: not a number: "1 234"; write 1234`},
		"missing first":  {"n/a\n60\n", Columns{}, `f:1: column 1: not a number: "n/a"; --skip-invalid leaves it out`},
		"date first":     {"2024-03-01\n60\n", Columns{}, `f:1: column 1: not a number: "2024-03-01"`},
		"hex first":      {"0x10\n60\n", Columns{}, `f:1: column 1: not a number: "0x10"`},
		"plus last":      {"60+\n20\n", Columns{}, `f:1: column 1: not a number: "60+"`},
		"words first":    {"3 days\n20\n", Columns{}, `f:1: column 1: not a number: "3 days"`},
		"minus first":    {"−5\n20\n", Columns{}, `f:1: column 1: not a number: "−5"`},
		"money first":    {"€5\n20\n", Columns{}, `f:1: column 1: not a number: "€5"`},
		"ISO first":      {"PT1H\n20\n", Columns{}, `f:1: column 1: not a number: "PT1H"`},
		"no limit first": {"UNLIMITED\n20\n", Columns{}, `f:1: column 1: not a number: "UNLIMITED"; --skip-invalid leaves it out`},
		"no name first":  {"*\n20\n", Columns{}, `f:1: column 1: not a number: "*"`},
		"clock in b": {"x,01:30\ny,02:30\n", Columns{Value: "2"},
			`f:1: column 2: not a number: "01:30"; write HH:MM:SS, or 90m (and 1 more row without a measurement)`},
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
		"comma below": {"5\n6,7\n", Columns{}, "f:2: has 2 fields, more than the first line; put a number with commas in quotes"},
		"comma in row": {"a,b\n1,2\n3,5,2\n", Columns{Value: "b"},
			"f:3: has 3 fields, more than the first line; put a number with commas in quotes"},
		"one name twice": {"a,b,a\n1,2,3\n", Columns{Value: "a"}, "f:1: column a: 2 columns have this name; give a number from 1"},
		"names of rows": {"b,c\nx,1,2\ny,3,4\n", Columns{Value: "c"},
			"f:2: has 3 fields, more than the first line; put a number with commas in quotes (and 1 more row without a measurement)"},
		"blanks":              {"5 6\n7 8\n", Columns{}, `f:1: column 1: not a number: "5 6"; separate columns by commas, semicolons or tabs (and 1 more row without a measurement)`},
		"old Mac values":      {"5\r6\r", Columns{}, `f: ends its lines as old Macs did; convert it, as by tr '\r' '\n'`},
		"old Mac table":       {"a,b\r1,2\r", Columns{Value: "b"}, `f: ends its lines as old Macs did; convert it, as by tr '\r' '\n'`},
		"open quote of a row": {"a,b\n1,x\n2,\"y\n3,z\n", Columns{Value: "a"}, "f:3: a quote is never closed in this line; close it, or delete it"},
		"quotes of two rows": {"a,b\n1,x\n2,\"y\n3,z\n4,\"u\"\n5,v\n", Columns{Value: "a"},
			"f:3: a quote is never closed in this line; close it, or delete it"},
		"bars": {"a|b\n1|2\n", Columns{Value: "b"},
			"f: column b: there is no such column; there are a|b; separate columns by commas, semicolons or tabs"},
		"broken JSON": {"{\"x\":1}\n{\"x\":\n", Columns{}, "f:2: the file is cut off: its JSON ends too early"},
		"JSON text":   {"{\"x\":1}\n{\"x\":\"two\"}\n", Columns{}, `f:2: column x: not a number: "two"`},
		"JSON key":    {"{\"x\":1,\"y\":2}\n", Columns{}, "f:1: say which key to take: x, y"},
		"cut gzip": {cut[:len(cut)/2], Columns{},
			"the file is cut off: its compressed data end too early; fetch the file again"},
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

func FuzzReadSamples(f *testing.F) {
	f.Add("a,b\n1,2\n", "b", false)
	f.Add("{\"x\":1}\n", "", true)
	f.Add("\x1f\x8b", "", false)
	f.Fuzz(func(t *testing.T, text, column string, skip bool) {
		s, err := ReadSamples(strings.NewReader(text), "f", Columns{Value: column, SkipInvalid: skip})
		if err == nil && len(s.Values) == 0 {
			t.Error("no values and no error")
		}
		var written strings.Builder
		for _, x := range s.Values {
			if !(x >= 0) || math.IsInf(x, 1) {
				t.Errorf("%v is not a time", x)
			}
			fmt.Fprintf(&written, "%v\n", x)
		}
		if err != nil {
			return
		}
		// What was read is whole: written plainly it is read as the same values.
		again, err := ReadSamples(strings.NewReader(written.String()), "again", Columns{})
		if err != nil || !slices.Equal(again.Values, s.Values) {
			t.Fatalf("%q: %v, read again %v, %v", text, s.Values, again.Values, err)
		}
	})
}

// A line, a value of JSON and the values of a file are bounded, so that no file takes the memory of a machine.
func TestReadSamplesInBoundedMemory(t *testing.T) {
	line := io.MultiReader(strings.NewReader("1,"), io.LimitReader(endless("2,"), 1<<26))
	if _, err := ReadSamples(line, "f", Columns{Value: "1"}); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("one line of 64 MiB: %v", err)
	}
	if _, err := ReadSamples(strings.NewReader("1\n2\n3\n"), "f", Columns{Most: 2}); err == nil || !strings.Contains(err.Error(), "more than 2 values") {
		t.Errorf("three values of at most two: %v", err)
	}
	if _, err := ReadSamples(strings.NewReader("1000000000\n1000000001\n1000000003\n"), "f", Columns{Timestamps: "1", Most: 2}); err == nil {
		t.Error("three timestamps of at most two")
	}
}

// endless repeats a text.
type endless string

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e[i%len(e)]
	}
	return len(p), nil
}

func ExampleReadSamples() {
	text := "job,runtime\n1,12.5\n2,oops\n"
	_, err := ReadSamples(strings.NewReader(text), "jobs.csv", Columns{Value: "runtime"})
	fmt.Println(err)
	// Output: jobs.csv:3: column runtime: not a number: "oops"
}

// Numbers, durations and times as people and programs write them.
func TestReadSamplesAsTheyCome(t *testing.T) {
	const hour = 1.0 / 3600
	for name, c := range map[string]struct {
		text    string
		columns Columns
		want    []float64
	}{
		"durations":        {"run\n1h30m\n00:01:30\n1-03:00:25\n90 s\n250ms\n2d4h\n12\n", Columns{}, []float64{5400, 90, 97225, 90, 0.25, 187200, 12}},
		"in hours":         {"1h30m\n1.5\n00:36:00\n", Columns{Second: hour}, []float64{1.5, 1.5, 0.6}},
		"decimal commas":   {"12,75\n1.234,5\n7\n", Columns{Decimal: ','}, []float64{12.75, 1234.5, 7}},
		"German CSV":       {"a;b\n1;12,75\n2;1.000.000\n", Columns{Value: "b", Decimal: ','}, []float64{12.75, 1e6}},
		"thousands":        {"a;b\n1;1,234.5\n2;1,000,000\n3;1'234.5\n4;0.5\n", Columns{Value: "b"}, []float64{1234.5, 1e6, 1234.5, 0.5}},
		"decimal point":    {"a;b\n1;1,234\n", Columns{Value: "b", Decimal: '.'}, []float64{1234}},
		"JSON array":       {"[1, 2.5, \"3\", \"1h\"]", Columns{}, []float64{1, 2.5, 3, 3600}},
		"array of objects": {"[{\"x\":1,\"s\":\"a\"},\n{\"x\":\"2\",\"s\":\"b\"}]", Columns{}, []float64{1, 2}},
		"nested": {"{\n \"items\": [\n  {\"status\": {\"duration\": 5}},\n  {\"status\": {\"duration\": \"6\"}}\n ]\n}\n",
			Columns{Value: "items.status.duration"}, []float64{5, 6}},
		"key with dots": {"{\"a.b\":1}\n{\"a.b\":2}\n", Columns{Value: "a.b"}, []float64{1, 2}},
		"times": {"when\n2024-03-01T08:00:10Z\n2024-03-01T08:00:00Z\n2024-03-01T09:00:12.5+01:00\n",
			Columns{Timestamps: "when"}, []float64{10, 2.5}},
		"seconds since 1970":      {"1709280010\n1709280000\n", Columns{Timestamps: "1"}, []float64{10}},
		"milliseconds since 1970": {"1709280010000\n1709280000500\n", Columns{Timestamps: "1"}, []float64{9.5}},
		"microseconds since 1970": {"1709280000000003\n1709280000000001\n", Columns{Timestamps: "1"}, []float64{2e-6}},
		"gaps left out": {"1709280000\n1709280010\n1709380000\n1709380001\n",
			Columns{Timestamps: "1", MaxGap: 3600}, []float64{10, 1}},
		"times of JSON": {"{\"items\":[{\"t\":\"2024-03-01 08:00:00\"},{\"t\":\"2024-03-01 08:00:07\"}]}",
			Columns{Timestamps: "items.t"}, []float64{7}},
		"runtime of sacct": {"JobID|Submit|Start|Elapsed|State|NNodes\n1|2024-03-01T08:00:00|2024-03-01T08:00:00|00:01:00|COMPLETED|1\n" +
			"2|2024-03-01T08:00:09|2024-03-01T08:00:09|00:02:00|RUNNING|1\n", Columns{Log: RunTime}, []float64{60, 120}},
		"interarrival of sacct": {"JobID|Submit|Start|Elapsed|State|NNodes\n1|2024-03-01T08:00:00|2024-03-01T08:00:00|00:01:00|COMPLETED|1\n" +
			"2|2024-03-01T08:00:09|Unknown|00:00:00|PENDING|1\n", Columns{Log: Interarrival}, []float64{9}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ReadSamples(strings.NewReader(c.text), "f", c.columns)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got.Values, cmpopts.EquateApprox(1e-14, 0)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Columns beside a value in an array are those of the same element.
func TestNestedColumns(t *testing.T) {
	text := `{"k":[{"v":1,"w":{"n":10}},{"v":2,"w":{"n":20}}],"c":0}`
	got, err := ReadSamples(strings.NewReader(text), "f", Columns{Value: "k.v", Weight: "k.w.n", Censored: "c"})
	want := Samples{Values: []float64{1, 2}, Weights: []float64{10, 20}, Censored: []bool{false, false},
		Skipped: map[string]int{}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// TestUnitInNameOfColumn: a warning says if the name of a column has another unit than the unit in which its numbers are read.
func TestUnitInNameOfColumn(t *testing.T) {
	for text, want := range map[string]string{
		"runtime [ms]\n5\n":      "the numbers of column runtime [ms] are not read in ms; --time-unit ms reads them so",
		"runtime (min)\n5\n":     "the numbers of column runtime (min) are not read in min; --time-unit min reads them so",
		"wall_hours\n5\n":        "the numbers of column wall_hours are not read in h; --time-unit h reads them so",
		"{\"latency_us\": 5}\n":  "the numbers of column latency_us are not read in us; --time-unit us reads them so",
		"runtime [s]\n5\n":       "",
		"runtime_seconds\n5\n":   "",
		"wall_hours\n05:00:00\n": "",
		"runtime_min\n5\n":       "",
		"runtime\n5\n":           "",
		"5\n6\n":                 "",
	} {
		var r Remarks
		if _, err := ReadSamples(strings.NewReader(text), "f", Columns{Remarks: &r}); err != nil || strings.Join(r.Warnings, "") != want {
			t.Errorf("%q: %v, %v, want %q", text, r.Warnings, err, want)
		}
	}
	var r Remarks
	if _, err := ReadSamples(strings.NewReader("t_ms\n5\n"), "f", Columns{Remarks: &r, Second: 1000}); err != nil || len(r.Warnings) > 0 {
		t.Error(err, r.Warnings)
	}
}

// TestReadSamplesSaysWhatHelps: errors say how to read the values of a file, and how many rows have the same problem.
func TestReadSamplesSaysWhatHelps(t *testing.T) {
	for text, want := range map[string]string{
		"x\n1\n2024-03-01T08:00:00\n":       "f:3: column x: not a number: \"2024-03-01T08:00:00\"; --timestamps takes the gaps",
		"a;x\n1;12,75\n2;13,5\n3;1\n":       "f:2: column x: not a number: \"12,75\"; --decimal , reads decimal commas (and 1 more",
		"a;x\n1;1,234\n":                    "--decimal , reads it as 1.234, --decimal . as 1234",
		"a;x\n1;12:30\n":                    "write HH:MM:SS",
		"JobID|Submit|Elapsed|State\n1|2\n": "looks like a job log",
	} {
		c := Columns{Value: "x"}
		if strings.HasPrefix(text, "JobID") {
			c = Columns{}
		}
		_, err := ReadSamples(strings.NewReader(text), "f", c)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	for text, want := range map[string]string{
		"t\n2024-03-01T08:00:00\nx\n": "f:3: column t: not a time",
		"t\n1709280000\n1709280000000\n": "another unit: 1709280000000 are milliseconds since 1970, times before it were " +
			"seconds",
		"t\n1709280000\n": "fewer than two times",
	} {
		_, err := ReadSamples(strings.NewReader(text), "f", Columns{Timestamps: "t"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
