package modelfile

import (
	"errors"
	"strings"
	"testing"

	"github.com/partwise/partwise/models/modelfile/internal/tree"
)

func TestJSON(t *testing.T) {
	right := `{"version": 1, "machine": {"nodes": 2}, "arrivals": {"rate": 1e0},
 "jobs": {"demand": {"exponential": {"mean": "2s"}}, "speedup": {"table": {"1": 1, "2": 2}}}}`
	m, err := Parse("m.json", []byte("\ufeff"+right))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "service", m.System.Service[0].Mean(), 1)
	for _, c := range []struct{ old, new, want string }{
		{`2}`, `2, "nodes": 3}`, "m.json:1:40: machine.nodes: duplicate key; it is already set in line 1"},
		{`{"nodes": 2}`, `{nodes: 2}`, "m.json:1:28: is not JSON: invalid character 'n' looking for beginning of object key string; " +
			"put the key in double quotes"},
		{`"2s"`, `"2 s s"`, `m.json:2:46: jobs.demand.exponential.mean: expected a time, got "2 s s"; ` +
			`write a number of s, or with a unit such as "30s"; units are us, ms, s, min, h or d`},
		{`{"nodes": 2}`, `{"nodes": 2,}`, "m.json:1:38: is not JSON: a comma before '}'; remove the comma"},
		{`{"nodes": 2}`, `{'nodes': 2}`, "m.json:1:28: is not JSON: invalid character '\\'' looking for beginning of object key " +
			"string; put texts in double quotes"},
		{`{"nodes": 2}`, `{"nodes": 2 "min_nodes": 1}`, "m.json:1:39: is not JSON: invalid character '\"' after object key:value " +
			"pair; write a comma before it, or close the bracket"},
		{`1e0`, `NaN`, "m.json:1:62: is not JSON: invalid character 'N' looking for beginning of value"},
		{`1e0`, `yes`, "m.json:1:62: is not JSON: invalid character 'y' looking for beginning of value"},
		{`1e0`, `null`, "m.json:1:54: arrivals.rate: has no value; give it one or remove the line"},
		{`1e0`, `"1"`, `m.json:1:62: arrivals.rate: expected a number, got "1"; remove the quotes`},
		{`1e0`, `1e999`, "m.json:1:62: arrivals.rate: 1e999 is too large"},
		{`}}}}`, `}}}} {}`, "m.json:2:95: a second document begins here; a file holds one document; put the other in a file of its own"},
		{`}}}}`, `}}}`, "m.json:2:93: is not JSON: the file ends too early"},
	} {
		_, err := Parse("m.json", []byte(strings.Replace(right, c.old, c.new, 1)))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.new, err, c.want)
		}
	}
	if _, err := Parse("m.json", []byte(" \n")); err == nil || err.Error() != "m.json:1:1: the file is empty" {
		t.Errorf("empty: %v", err)
	}
}

// TestEscapesOfJSON: texts in the notation of JSON are read as JSON has them, also where YAML knows another notation.
func TestEscapesOfJSON(t *testing.T) {
	const text = "{\n\t\"title\": \"\\ud83d\\ude00 \\\\ud83d \\/ \\u00e9 \\t\",\n\t\"machine\": {\"nodes\": 1}, \"arrivals\": {\"rate\":1}," +
		"\"jobs\":{\"service\":[{\"exponential\":{\"mean\":0.5}}]}\n}"
	m, err := Parse("m.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if want := "😀 \\ud83d / é \t"; m.Title != want {
		t.Errorf("title %q, want %q", m.Title, want)
	}
}

// TestAllMistakesAtOnce: what is wrong in different parts of a file is told together, in the order of the text.
func TestAllMistakesAtOnce(t *testing.T) {
	_, err := Parse("m.yaml", []byte("version: 3\ntime_unit: x\nmachine: {nodes: 0}\narrivals: {rate: -1}\njobs: {demand: "+
		"{erlang: {mean: 0}}, speedup: bad}\n"))
	var errs tree.Errors
	if !errors.As(err, &errs) || len(errs) != 7 {
		t.Errorf("not all mistakes at once: %v", err)
	}
	var one *tree.Error
	if !errors.As(err, &one) || one.Line != 1 {
		t.Errorf("first mistake: %v", one)
	}
}

// TestMistakesOfUnknownMachine: if it is not known how many partitions the machine has, mistakes of the other sections are told
// all the same. What is null is no mistake.
func TestMistakesOfUnknownMachine(t *testing.T) {
	_, err := Parse("m.yaml", []byte("version: 1\ntime_unit: s\nmachine: {nodes: 10, min_nodes: 4}\narrivals: {rate: 1}\n"+
		"jobs: {demand: {exponential: {mean: 1}}, speedup: {amdahl: {serial: 1.5}}}\ndynamic: {overhead: null, stops: some}\n"))
	var errs tree.Errors
	if !errors.As(err, &errs) || len(errs) != 3 || errs[2].Path != "dynamic.stops" {
		t.Errorf("not all mistakes at once: %v", err)
	}
}
