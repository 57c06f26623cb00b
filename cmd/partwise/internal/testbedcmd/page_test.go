package testbedcmd_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// rows returns the rows of a CSV file by the names of their columns.
func rows(t *testing.T, file string) (all []map[string]string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil || len(lines) < 2 {
		t.Fatalf("%s: %d rows, %v", file, len(lines), err)
	}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, column := range lines[0] {
			row[column] = line[i]
		}
		all = append(all, row)
	}
	return all
}

// The tables of docs/testbed.md hold what was measured, which testdata/testbed keeps.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/testbed.md")
	if err != nil {
		t.Fatal(err)
	}
	holds := func(line string) {
		if !strings.Contains(string(page), line) {
			t.Errorf("docs/testbed.md has no line %s", line)
		}
	}
	number := func(row map[string]string, column string) float64 {
		x, err := strconv.ParseFloat(row[column], 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	for _, row := range rows(t, "../../../../testdata/testbed/processes.csv") {
		if j := row["jobs"]; j == "3" || j == "5" || j == "6" {
			continue // the file has these rows, too
		}
		ms := func(column string) float64 { return 1e3 * number(row, column) }
		holds(fmt.Sprintf("| %s | %s | %.1f | %.1f | %.2f | %.2f | %.2f ±%.2f |", row["why"], row["jobs"], number(row, "resized"),
			number(row, "moved_nodes"), ms("notify"), ms("data"), ms("total"), ms("half_width")))
	}
	for _, row := range rows(t, "../../../../testdata/testbed/experiment.csv") {
		if row["measure"] != "mean_response_time" {
			continue // the file has these rows, too
		}
		fits := map[[2]string]string{{"true", "true"}: "both", {"true", "false"}: "whole nodes", {"false", "true"}: "phases",
			{"false", "false"}: "**no**"}[[2]string{row["agrees"], row["agrees_phases"]}]
		holds(fmt.Sprintf("| %s | %s | %.4g | %.4g | %.4g | %.4g | %.4g ±%.2g | %.2g ±%.2g | %s |", row["policy"], row["load"],
			number(row, "chain_all_stop"), number(row, "chain_resized_stop"), number(row, "simulated"),
			number(row, "simulated_phases"), number(row, "real"), number(row, "real_half_width"), number(row, "difference_phases"),
			number(row, "difference_phases_half_width"), fits))
	}
}
