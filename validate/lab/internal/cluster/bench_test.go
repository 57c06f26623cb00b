package cluster_test

import (
	"testing"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/internal/des"
	"github.com/partwise/partwise/validate/lab/internal/cluster"
)

// backlog returns jobs of a workload that all arrive at the start.
func backlog(t testing.TB, name string, jobs int) []cluster.Job {
	var mix cluster.Mix
	if err := mix.UnmarshalText([]byte(name)); err != nil {
		t.Fatal(err)
	}
	s := des.Seed(7).Stream()
	all := make([]cluster.Job, jobs)
	for i := range all {
		all[i] = cluster.Job{Nodes: 2 + int(31*s.Float64()*s.Float64()), Dedicated: 5 * s.Exp(),
			Type: mix.Types[int(s.Float64()*float64(len(mix.Types)))]}
	}
	return all
}

// BenchmarkRun simulates ten seconds of a full cluster of 32 nodes. What is allocated is that of the start and of each
// job.
func BenchmarkRun(b *testing.B) {
	for _, name := range []string{"gs", "local", "sb", "dcs", "pb", "pb-sb"} {
		for _, mix := range []string{"wl7", "wl5"} {
			b.Run(name+"/"+mix, func(b *testing.B) {
				p, err := policy.Standard().Parse(name)
				if err != nil {
					b.Fatal(err)
				}
				c := cluster.Defaults(p)
				c.Stop = 10
				jobs := backlog(b, mix, 200)
				b.ReportAllocs()
				var events int64
				for b.Loop() {
					r, err := cluster.Run(b.Context(), c, jobs)
					if err != nil {
						b.Fatal(err)
					}
					events += r.Events
				}
				b.ReportMetric(float64(events)/float64(b.N), "events/op")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
				b.ReportMetric(float64(events)/b.Elapsed().Seconds()/1e6, "Mevents/s")
			})
		}
	}
}
