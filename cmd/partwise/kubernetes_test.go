//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/partwise/partwise/models/sweep"
)

// TestKubernetes runs what the pods of a sweep run, with the index of each, and what the job that merges runs. The first pod is
// killed at work, as by an eviction, and started again: the merged result is that of one run, to the byte.
func TestKubernetes(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a sweep; not with -short")
	}
	t.Parallel()
	dir := slowDir(t)
	args := append(slowSweep, "--set", "title=it's $(HOME) $$", "--output")
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "partwise", args...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	run(append(args, "whole.csv", "--format", "csv")...)
	jobs := kubernetesJobs(t, run(append(args, "the grid.csv", "--format", "csv", "--kubernetes", "3")...))
	pod := func(job map[string]any, index string) *exec.Cmd {
		words := containerOf(t, job)
		cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "JOB_COMPLETION_INDEX="+index)
		return cmd
	}
	evicted := pod(jobs[0], "0")
	if err := evicted.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool {
		found, err := sweep.ReadJournal(filepath.Join(dir, "the grid.csv.shard-1-of-3.journal"))
		_, complete := os.Stat(filepath.Join(dir, "the grid.csv.shard-1-of-3"))
		return err == nil && found.Done() > 0 || complete == nil
	})
	_ = evicted.Process.Kill() // it may be at its end already
	_ = evicted.Wait()
	for _, index := range []string{"0", "1", "2"} {
		if out, err := pod(jobs[0], index).CombinedOutput(); err != nil {
			t.Fatalf("pod %s: %v\n%s", index, err, out)
		}
	}
	if out, err := pod(jobs[1], "").CombinedOutput(); err != nil {
		t.Fatalf("merge: %v\n%s", err, out)
	}
	want, err := os.ReadFile(filepath.Join(dir, "whole.csv"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "the grid.csv"))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("what the pods found is not what one run finds: %v", err)
	}
}

// kubernetesJobs returns the two jobs of a file: the one that solves and the one that merges.
func kubernetesJobs(t *testing.T, text string) (jobs []map[string]any) {
	t.Helper()
	for d := yaml.NewDecoder(strings.NewReader(text)); ; {
		var job map[string]any
		if err := d.Decode(&job); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		jobs = append(jobs, job)
	}
	if len(jobs) != 2 {
		t.Fatalf("%d jobs, want 2:\n%s", len(jobs), text)
	}
	return jobs
}

// containerOf returns the command line of a job's container, in which Kubernetes reads $$ as $.
func containerOf(t *testing.T, job map[string]any) (words []string) {
	t.Helper()
	at := func(v any, name string) any { return v.(map[string]any)[name] }
	containers := at(at(at(at(job, "spec"), "template"), "spec"), "containers").([]any)
	for _, list := range []string{"command", "args"} {
		for _, word := range at(containers[0], list).([]any) {
			words = append(words, strings.ReplaceAll(word.(string), "$$", "$"))
		}
	}
	return words
}
