package replay_test

import (
	"os"
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/testdata/phtest"
	"github.com/partwise/partwise/validate/replay"
)

// BenchmarkStudy replays a log with all its measures, as the first steps of a study do: under EASY, and with a share of the
// jobs malleable, whose resizes take a minute. Reading the log is not counted.
func BenchmarkStudy(b *testing.B) {
	f, err := os.Open(needs.JobLog(b, "KTH-SP2-1996-2.merged.swf.gz"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	_, jobs, err := joblog.Pack(f, "log", joblog.Options{})
	if err != nil {
		b.Fatal(err)
	}
	log, err := replay.ChooseList(jobs, replay.Choice{Nodes: 100})
	if err != nil {
		b.Fatal(err)
	}
	for name, shares := range map[string][]float64{"KTH-28489-jobs/easy": nil, "KTH-28489-jobs/malleable-20%": {0.2},
		"KTH-28489-jobs/malleable-100%": {1}} {
		b.Run(name, func(b *testing.B) {
			s := replay.Study{Log: log, Shares: shares, Assumptions: replay.Usual()}
			s.Cost = replay.Cost{Name: "60s", Seconds: 60}
			if shares != nil {
				s.Policies = []policy.Policy{policy.EASYMalleable{}}
			}
			begin, rounds := phtest.CPUSeconds(), 0
			for b.Loop() {
				rounds++
				if _, err := s.Run(b.Context(), 1); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(1000*(phtest.CPUSeconds()-begin)/float64(rounds), "cpu-ms/op")
		})
	}
}
