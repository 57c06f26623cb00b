package coscheduling_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/validate/experiment/coscheduling"
)

func TestProbe(t *testing.T) {
	f, err := coscheduling.FigureNamed(os.Getenv("FIG"))
	if err != nil {
		t.Skip()
	}
	o := coscheduling.Options{Seed: 1, Jobs: 80}
	begin := time.Now()
	out, err := coscheduling.Simulate(t.Context(), f.Runs, o)
	if err != nil {
		t.Fatal(err)
	}
	cpu := 0.
	for i := range out {
		o := &out[i]
		r, w, c := o.Of(measure.MeanResponseTime), o.Of(measure.MeanWaitingTime), o.Of(measure.FairnessCV)
		ev, s, _ := o.Totals()
		cpu += s
		fmt.Printf("%-22s %-7v resp %7.2f ±%6.2f wait %7.2f U %.2f cv %.3f±%.3f sat %v ev %d s %.1f", o.Case.Name, o.Policy, r.Mean, r.HalfWidth, w.Mean,
			o.Of(measure.UtilizationDemand).Mean, c.Mean, c.HalfWidth, o.Saturated(), ev/1e6, s)
		for _, p := range o.Profile() {
			fmt.Printf(" %.2f", p.Mean)
		}
		fmt.Println()
	}
	fmt.Println(time.Since(begin), cpu)
}
