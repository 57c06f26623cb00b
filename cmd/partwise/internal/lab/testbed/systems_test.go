// This file has what tests of systems that resize jobs share.

package testbed

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/partwise/partwise/validate/metric"
)

// CheckTransitions checks that each transition of a machine has as many samples as it was measured, with steps that are not negative.
func CheckTransitions(t *testing.T, all []Transition, nodes, times int) {
	t.Helper()
	if len(all) != 2*nodes-1 {
		t.Fatalf("%d transitions of %d nodes", len(all), nodes)
	}
	for i, x := range all {
		running, why := i+1, Arrival
		if i >= nodes {
			running, why = 2*nodes-1-i, Departure
		}
		if x.Running != running || x.Why != why || len(x.Samples) != times {
			t.Errorf("transition %d is for reason %d to %d jobs, %d times", i, x.Why, x.Running, len(x.Samples))
		}
		for _, r := range x.Samples {
			if r.Running != running || r.Why != why || r.Notify < 0 || r.Data < 0 || r.Start < 0 || r.Total() <= 0 || r.Moved < 1 ||
				r.Resized+r.Started < 1 {
				t.Errorf("transition %d: %+v", i, r)
			}
		}
	}
}

// Processes returns the command lines of the processes that have a text in them or in their environment.
func Processes(t *testing.T, text string) []string {
	t.Helper()
	directories, err := filepath.Glob("/proc/[0-9]*")
	if err != nil || len(directories) == 0 {
		t.Skip("no /proc to look for processes in")
	}
	var found []string
	for _, d := range directories {
		line, _ := os.ReadFile(filepath.Join(d, "cmdline"))
		environment, _ := os.ReadFile(filepath.Join(d, "environ"))
		if bytes.Contains(line, []byte(text)) || bytes.Contains(environment, []byte(text)) {
			found = append(found, string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return found
}

// KeepTransitions writes what was measured to a file of testdata/testbed: where, when, with which share of the processors idle, and
// the mean of each step in seconds, with the half width of the interval of 95 % of the total.
func KeepTransitions(t *testing.T, name, version string, nodes, elements int, idle float64, all []Transition) {
	t.Helper()
	rows := [][]string{{"why", "jobs", "times", "resized", "moved_nodes", "bytes", "notify", "data", "start", "total", "half_width",
		"time_unit", "nodes", "elements", "version", "host", "idle", "date"}}
	host := fmt.Sprintf("%s, %d processors", runtime.GOOS, runtime.NumCPU())
	for _, x := range all {
		why := "arrival"
		if x.Why == Departure {
			why = "departure"
		}
		row := []string{why, strconv.Itoa(x.Running), strconv.Itoa(len(x.Samples))}
		mean := func(of func(*Reconfiguration) float64) metric.Interval {
			values := make([]float64, len(x.Samples))
			for i := range x.Samples {
				values[i] = of(&x.Samples[i])
			}
			return metric.Student(values, 0.95)
		}
		for _, of := range []func(*Reconfiguration) float64{
			func(r *Reconfiguration) float64 { return float64(r.Resized) },
			func(r *Reconfiguration) float64 { return float64(r.Moved) },
			func(r *Reconfiguration) float64 { return float64(r.Bytes) },
			func(r *Reconfiguration) float64 { return r.Notify },
			func(r *Reconfiguration) float64 { return r.Data },
			func(r *Reconfiguration) float64 { return r.Start },
		} {
			row = append(row, fourDigits(mean(of).Mean))
		}
		total := mean((*Reconfiguration).Total)
		rows = append(rows, append(row, fourDigits(total.Mean), fourDigits(total.HalfWidth), "s", strconv.Itoa(nodes),
			strconv.Itoa(elements), version, host, strconv.FormatFloat(idle, 'f', 2, 64), time.Now().UTC().Format(time.DateOnly)))
	}
	var text bytes.Buffer
	if err := csv.NewWriter(&text).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("..", "..", "testdata", "testbed", name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// fourDigits writes four significant digits.
func fourDigits(x float64) string {
	if x == math.Trunc(x) {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}
