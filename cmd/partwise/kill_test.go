//go:build unix

package main

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/models/sweep"
	"github.com/partwise/partwise/testdata/needs"
)

// slowModel has points that take ten milliseconds or so each.
const slowModel = `version: 1
machine: {nodes: 40}
arrivals: {interarrival: {hyperexponential: {mean: 10, scv: 3}}}
jobs: {demand: {hyperexponential: {mean: 300, scv: 4}}, speedup: {amdahl: {serial: 0.02}}}
dynamic: {shrink: {means: 2}, expand: {means: 2}}
`

// slowSweep is a sweep of 48 points, a quarter of a second of work for two workers.
var slowSweep = []string{"sweep", "slow.yaml", "--over", "jobs.demand.scv=2:4", "--load", "0.05:0.8:0.05", "--workers", "2"}

const slowPoints = 48

// slowDir is a directory with the model.
func slowDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "slow.yaml"), []byte(slowModel), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// start begins a command in a directory.
func start(t *testing.T, dir string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "partwise", args...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, &stderr
}

// TestSweepSurvivesBeingKilled kills sweeps by a signal that nothing can catch, at random moments, and resumes them: the
// result is the same to the byte, and what was solved is not solved again.
func TestSweepSurvivesBeingKilled(t *testing.T) {
	needs.Long(t, "runs a sweep many times")
	t.Parallel()
	kills := 3
	if needs.IsStudy() {
		kills = 50
	}
	dir := slowDir(t)
	began := time.Now()
	cmd, stderr := start(t, dir, append(slowSweep, "--output", "whole.csv")...)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	took := time.Since(began)
	want, err := os.ReadFile(filepath.Join(dir, "whole.csv"))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	spread := make([]int, 0, kills)
	for len(spread) < kills {
		at := time.Duration(r.Float64() * float64(took))
		known, killed := killAndResume(t, dir, at, want)
		if killed {
			spread = append(spread, known)
		} else {
			took = took * 9 / 10 // the machine was busier when that was measured
		}
		if t.Failed() {
			t.Fatalf("killed after %v", at)
		}
	}
	t.Logf("killed %d times, with so many of %d points known: %v", kills, slowPoints, spread)
}

// killAndResume kills a sweep after a time and resumes it. It returns how many points were known in between; killed is
// false if the sweep was done before.
func killAndResume(t *testing.T, dir string, after time.Duration, want []byte) (known int, killed bool) {
	const output = "killed.csv"
	path := filepath.Join(dir, output)
	recorded := path + ".journal"
	os.Remove(path)
	args := append(slowSweep, "--output", output, "--resume")
	cmd, _ := start(t, dir, args...)
	time.Sleep(after)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) {
		return 0, false // it was at its end
	}
	before, err := os.ReadFile(recorded)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		return 0, false // killed after the result was in place: nothing is left to do but to remove the journal
	}
	if c, err := sweep.ReadJournal(recorded); err == nil {
		known = c.Done()
	}
	// Stopped in good order in between, so that there is a journal to look at.
	cmd, stderr := start(t, dir, args...)
	time.Sleep(50 * time.Millisecond)
	_ = cmd.Process.Signal(syscall.SIGTERM) // it may be at its end already
	err = cmd.Wait()
	early := errors.As(err, &exit) && exit.ExitCode() == -1 // before the program listened to signals
	if err != nil && !early && exit.ExitCode() != fault.ExitInterrupted {
		t.Errorf("resumed: %v\n%s", err, stderr)
	}
	if between, err := os.ReadFile(recorded); err == nil {
		kept := before[:bytes.LastIndexByte(before, '\n')+1] // all but a torn line
		if !bytes.HasPrefix(between, kept) {
			t.Error("what was in the journal is not there after resuming")
		}
		c, err := sweep.ReadJournal(recorded)
		if err != nil {
			t.Fatal(err)
		}
		if lines := bytes.Count(between, []byte("\n")) - 1; lines != len(c.Records) {
			t.Errorf("%d records of %d points: some were solved twice", lines, len(c.Records))
		}
	}
	cmd, stderr = start(t, dir, args...)
	if err := cmd.Wait(); err != nil {
		t.Errorf("resumed to the end: %v\n%s", err, stderr)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("the result is not that of a sweep that was not killed")
	}
	if left, err := filepath.Glob(recorded + "*"); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	return known, true
}

// TestStoppedSweepIsGoneOnWith: a sweep that is told to stop ends in good order, says how far it came, and goes on.
func TestStoppedSweepIsGoneOnWith(t *testing.T) {
	needs.Concurrency(t)
	t.Parallel()
	stopped := append(slices.Clone(slowSweep), "--over", "arrivals.interarrival.scv=2:3") // twice as many points
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		if testing.Short() && signal == syscall.SIGTERM {
			continue // the handler is the same; the race detector makes the sweep ten times as long
		}
		dir := slowDir(t)
		cmd, stderr := start(t, dir, append(stopped, "--output", "out.csv")...)
		waitFor(t, func() bool {
			c, err := sweep.ReadJournal(filepath.Join(dir, "out.csv.journal"))
			return err == nil && c.Done() > 0
		})
		send := func(s syscall.Signal) {
			if err := cmd.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
		}
		send(syscall.SIGSTOP) // so that it is not done before the other begins
		other, said := start(t, dir, append(stopped, "--output", "out.csv", "--resume")...)
		busy := other.Wait()
		send(signal)
		send(syscall.SIGCONT)
		if text := said.String(); busy == nil || text != "error: writing out.csv.journal: another process is at work on it\n" {
			t.Errorf("a second process at the same time: %v, stderr %q", busy, text)
		}
		err := cmd.Wait()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != fault.ExitInterrupted {
			t.Fatalf("%v: %v, want exit code %d\n%s", signal, err, fault.ExitInterrupted, stderr)
		}
		for _, want := range []string{"interrupted: out.csv.partial holds ", " of 96 points", "hint: --resume goes on from there"} {
			if !strings.Contains(stderr.String(), want) {
				t.Errorf("%v: stderr %q does not say %q", signal, stderr, want)
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "out.csv")); err == nil {
			t.Errorf("%v: a part of the result has the name of the whole", signal)
		}
		cmd, stderr = start(t, dir, append(stopped, "--output", "out.csv", "--resume")...)
		if err := cmd.Wait(); err != nil || !strings.Contains(stderr.String(), "out.csv.journal holds ") {
			t.Errorf("%v: resumed: %v\n%s", signal, err, stderr)
		}
		if left, err := filepath.Glob(filepath.Join(dir, "out.csv?*")); err != nil || len(left) > 0 {
			t.Errorf("%v: left behind: %v", signal, left)
		}
	}
}

func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(endless); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it takes too long")
		}
	}
}
