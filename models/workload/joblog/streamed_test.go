package joblog_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/partwise/partwise/models/workload/joblog"
)

// TestSurveyReadsAsPack: a log that is read anew each time has the jobs, findings and losses of the same log in memory: whole
// logs, logs with impossible times of each kind, in order or not.
func TestSurveyReadsAsPack(t *testing.T) {
	draw := rand.New(rand.NewPCG(54, 8))
	row := func(id, submit, wait, run int) string {
		return fmt.Sprintf("%d %d %d %d 2 -1 -1 2 -1 -1 1 1 1 -1 -1 -1 -1 -1\n", id, submit, wait, run)
	}
	var rows []string
	for i := range 500 {
		rows = append(rows, row(i, i*86400, 600, 3600))
	}
	wrong := []string{
		row(1000, 86400, -7200, 3600), row(1001, 1_000_000_000, 600, 3600), row(1002, 86400, 600, 400_000_000),
		row(1003, 86400, 400_000_000, 600), row(1004, 86400, -1, 60*86400), row(1005, 86400, -1, -1), row(1006, -1, -1, 5),
		row(1007, 90000, -1, 700*86400),
	}
	for k, text := range [][]string{rows, rows[:5], rows[:50], append(slices.Clone(rows), wrong...), append(slices.Clone(rows[:50]), wrong...)} {
		for _, order := range []string{"sorted", "shuffled"} {
			if order == "shuffled" {
				text = slices.Clone(text)
				draw.Shuffle(len(text), func(i, j int) { text[i], text[j] = text[j], text[i] })
			}
			log := strings.Join(text, "")
			want, list, err := joblog.Pack(strings.NewReader(log), "log", joblog.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, jobs, err := joblog.Survey(func() (io.ReadCloser, string, error) {
				return io.NopCloser(strings.NewReader(log)), "log", nil
			}, joblog.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if k >= 3 && len(want.Apart) < 5 {
				t.Errorf("log %d, %s: %d jobs are set apart", k, order, len(want.Apart))
			}
			want.Apart = nil
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("log %d, %s: in memory −, read anew +:\n%s", k, order, d)
			}
			if d := cmp.Diff(collected(t, list.All()), collected(t, jobs)); d != "" {
				t.Errorf("log %d, %s: in memory −, read anew +:\n%s", k, order, d)
			}
		}
	}
}

func collected(t *testing.T, jobs joblog.Jobs) (all []joblog.Job) {
	t.Helper()
	for j, err := range jobs {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, *j)
	}
	return all
}

// TestSurveyOfALogThatCannotBeOpened: the error is that of opening the log, also when it is opened again.
func TestSurveyOfALogThatCannotBeOpened(t *testing.T) {
	opened := 0
	_, jobs, err := joblog.Survey(func() (io.ReadCloser, string, error) {
		if opened++; opened > 1 {
			return nil, "", io.ErrClosedPipe
		}
		return io.NopCloser(strings.NewReader("1 0 0 5 1 -1 -1 1 -1 -1 1 1 1 -1 -1 -1 -1 -1\n")), "log", nil
	}, joblog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, err = range jobs {
	}
	if err != io.ErrClosedPipe {
		t.Errorf("opened again: %v", err)
	}
}

// TestSurveyOfNoLog: without a function that opens the log, or without a log that is opened, the error says so.
func TestSurveyOfNoLog(t *testing.T) {
	if _, _, err := joblog.Survey(nil, joblog.Options{}); err == nil {
		t.Error("no function: there is no error")
	}
	nothing := func() (io.ReadCloser, string, error) { return nil, "log", nil }
	if _, _, err := joblog.Survey(nothing, joblog.Options{}); err == nil {
		t.Error("nothing is opened: there is no error")
	}
}
