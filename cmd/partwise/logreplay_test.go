package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/testdata/needs"
)

// TestModelAgainstALog simulates the jobs of a log on the machine of a model, and validates the model, which has two moments of the
// log, against the log.
func TestModelAgainstALog(t *testing.T) {
	needs.Long(t, "simulates the jobs of a log in a model many times")
	t.Parallel()
	log := needs.JobLog(t, "KTH-SP2-1996-2.merged.swf.gz")
	model := filepath.Join(t.TempDir(), "kth.yaml")
	// Mean and scv of interarrival times and of run time × processors of this log.
	text := `version: 1
title: KTH SP2
machine: {nodes: 100, min_nodes: 10}
arrivals: {interarrival: {moments: {mean: 1031, scv: 15.04}}}
jobs: {demand: {moments: {mean: 71087, scv: 15.91}}, speedup: linear}
`
	if err := os.WriteFile(model, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	trace := filepath.Join(t.TempDir(), "jobs.csv")
	c := runIn(t.Context(), "simulate", model, "--policy", "dynamic", "--log", log, "--trace", trace, "--format", "csv")
	if c.code != fault.ExitOK || !strings.Contains(c.stderr.String(), "28,489 jobs of the log at load 0.6895") {
		t.Fatalf("exit code %d: %s", c.code, &c.stderr)
	}
	data, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(data), "\n"); n != 28489+1 {
		t.Errorf("a trace of %d lines, want one for each job", n)
	}
	c = runIn(t.Context(), "validate", model, "--policy", "dynamic", "--fidelity", "model", "--log", log,
		"--format", "table", "--precision", "15%")
	if c.code != fault.ExitOK || !strings.Contains(c.stdout.String(), "with the jobs of the log the mean response time differs") {
		t.Errorf("exit code %d: %s%s", c.code, &c.stdout, &c.stderr)
	}
	t.Log(c.stdout.String())
}

func TestInterruptedValidationIsMarked(t *testing.T) {
	needs.Concurrency(t)
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	time.AfterFunc(time.Second, cancel) // enough for the first results; the precision asked for would take hours
	out := filepath.Join(t.TempDir(), "v.json")
	c := runIn(ctx, "validate", "../../testdata/ips96/w1-sp2.yaml", "--policy", "dynamic", "--precision", "0.001%",
		"--output", out)
	if c.code != fault.ExitInterrupted || !strings.Contains(c.stderr.String(), "interrupted") {
		t.Errorf("exit code %d: %s", c.code, &c.stderr)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a partial result under the name of a whole one")
	}
	if data, err := os.ReadFile(out + ".partial"); err == nil && !strings.Contains(string(data), `"interrupted": true`) {
		t.Errorf("a partial result is not marked: %s", data)
	}
}

// When the policies before are done, their results are kept.
func TestInterruptedBetweenPolicies(t *testing.T) {
	needs.Concurrency(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := runIn(ctx, "validate", "../../testdata/ips96/w1-sp2.yaml", "--policy", "dynamic")
	if c.code != fault.ExitInterrupted || c.stdout.Len() > 0 {
		t.Errorf("exit code %d with nothing done: %s", c.code, &c.stdout)
	}
}
