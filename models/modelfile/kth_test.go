package modelfile_test

import (
	"math"
	"os"
	"testing"

	"github.com/partwise/partwise/fit"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/testdata/needs"
)

func TestMain(m *testing.M) { needs.Main(m) }

// TestDistributionsOfTheLog fits the log again: the distributions in testdata/kth-sp2 are its fits.
func TestDistributionsOfTheLog(t *testing.T) {
	log := needs.JobLog(t, "KTH-SP2-1996-2.merged.swf.gz")
	for _, c := range []struct {
		file     string
		quantity workload.Quantity
		phases   int
	}{
		{"interarrival.ph.json", workload.Interarrival, 4},
		{"work.ph.json", workload.Work, 3},
	} {
		text, err := os.Open(log)
		if err != nil {
			t.Fatal(err)
		}
		defer text.Close()
		s, err := workload.ReadSamples(text, log, workload.Columns{Log: c.quantity, Speedup: workload.Amdahl{Serial: 0.01}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := fit.PhaseType(t.Context(), fit.Sample{Values: s.Values, Resolution: 1},
			fit.Options{MinPhases: c.phases, MaxPhases: c.phases})
		if err != nil {
			t.Fatal(err)
		}
		want, err := modelfile.LoadDistribution("../../testdata/kth-sp2/" + c.file)
		if err != nil {
			t.Fatal(err)
		}
		// a fit is found to about seven digits of its parameters
		if m := want.Dist.Mean(); math.Abs(got[0].Dist.Mean()/m-1) > 1e-6 {
			t.Errorf("%s: mean %g, the file has %g", c.file, got[0].Dist.Mean(), m)
		}
	}
}
