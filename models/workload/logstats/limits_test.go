package logstats_test

import (
	"errors"
	"math"
	"testing"

	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
)

// TestLimitsInWords: classes of limits have names for sentences, and kinds have names for JSON.
func TestLimitsInWords(t *testing.T) {
	const hour = 3600
	for _, c := range []struct {
		limits     logstats.Limits
		kind, want string
	}{
		{logstats.Limits{}, "all", "all jobs"},
		{logstats.Limits{Kind: logstats.UnlimitedJobs}, "unlimited", "jobs without a limit"},
		{logstats.Limits{Kind: logstats.LimitedJobs, To: hour}, "limited", "jobs up to 1 h"},
		{logstats.Limits{Kind: logstats.LimitedJobs, From: hour, To: 4 * hour}, "limited", "jobs over 1 h up to 4 h"},
		{logstats.Limits{Kind: logstats.LimitedJobs, From: 4 * hour, To: math.Inf(1)}, "limited", "jobs over 4 h"},
	} {
		if got := c.limits.String(); got != c.want || c.limits.Kind.String() != c.kind {
			t.Errorf("%q, %q, want %q, %q", got, c.limits.Kind, c.want, c.kind)
		}
	}
}

// TestLargestJob: the largest job counts, and an error of the jobs is passed on.
func TestLargestJob(t *testing.T) {
	jobs := []joblog.Job{{Processors: 3}, {Processors: 8}, {Processors: 2}}
	if n, err := logstats.LargestJob(joblog.ListOf(jobs).All()); n != 8 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	broken := errors.New("broken")
	failing := func(yield func(*joblog.Job, error) bool) { yield(nil, broken) }
	if _, err := logstats.LargestJob(failing); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}
