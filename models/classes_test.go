package models_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
)

// classCases are models with classes of jobs, solved by an independent program that walks the states one by one, and checked
// against a simulation.
type classCase struct {
	Model    json.RawMessage
	Expected struct {
		Dynamic struct {
			classResults
			Classes []classResults
		}
		Static map[string]classResults
	}
}

type classResults struct {
	Mean      float64 `json:"mean_response_time"`
	Jobs      float64 `json:"mean_jobs"`
	Variance  float64 `json:"variance_jobs"`
	Waiting   float64 `json:"mean_waiting_time"`
	Wait      float64 `json:"probability_wait"`
	Empty     float64 `json:"probability_empty"`
	Resizes   float64 `json:"probability_repartition"`
	InService float64 `json:"mean_jobs_in_service"`
}

// classTol: ten digits, as of the other reference instances.
const classTol = 1e-10

func TestReferenceClasses(t *testing.T) {
	data, err := os.ReadFile("../../shared/refs/classes.json")
	if err != nil {
		t.Skip("the reference instances are not here: ", err)
	}
	var cases []classCase
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		m, err := modelfile.Parse("classes.json", c.Model)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(m.Title, func(t *testing.T) {
			want := c.Expected.Dynamic
			got := chained(t, m.System, policy.Dynamic{})
			compareClasses(t, "dynamic", got, want.classResults)
			for k, class := range want.Classes {
				near(t, "mean response time of a class", got.Classes[k].MeanResponseTime, class.Mean, classTol)
				near(t, "jobs of a class in service", got.Classes[k].MeanJobsInService, class.InService, classTol)
			}
			for k, want := range c.Expected.Static {
				compareClasses(t, "static:"+k, chained(t, m.System, parsed(t, "static:"+k)), want)
			}
		})
	}
}

func compareClasses(t *testing.T, label string, got models.Measures, want classResults) {
	t.Helper()
	near(t, label+": mean response time", got.MeanResponseTime, want.Mean, classTol)
	near(t, label+": mean waiting time", got.MeanWaitingTime, want.Waiting, classTol)
	if want.Jobs == 0 {
		return
	}
	near(t, label+": mean jobs", got.MeanJobs, want.Jobs, classTol)
	near(t, label+": variance", got.VarianceJobs, want.Variance, classTol)
	near(t, label+": probability to wait", got.ProbabilityWait, want.Wait, classTol)
	near(t, label+": probability of an empty machine", got.ProbabilityEmpty, want.Empty, classTol)
	near(t, label+": probability of a repartition", got.Repartitions.Probability, want.Resizes, classTol)
}
