package models_test

import (
	"encoding/json"
	"math"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/testdata/refs"
)

// rigidReference are results for rigid jobs of a program that shares no code with this project.
type rigidReference struct {
	Instances []rigidInstance
	FirstFit  []struct {
		Instance       string
		Window         int
		MaxArrivalRate float64 `json:"max_arrival_rate"`
		MeanResponse   float64 `json:"mean_response"`
	} `json:"first_fit"`
}

type rigidInstance struct {
	Name     string
	Nodes    int
	Arrivals struct{ D0, D1 [][]float64 }
	Classes  []struct {
		Share float64
		Nodes int
		Alpha []float64
		T     [][]float64
	}
	Expected struct {
		MaxArrivalRate       float64 `json:"max_arrival_rate"`
		SaturatedUtilization float64 `json:"saturated_utilization"`
		MeanJobs             float64 `json:"mean_jobs"`
		VarianceJobs         float64 `json:"variance_jobs"`
		MeanResponse         float64 `json:"mean_response"`
		MeanWait             float64 `json:"mean_wait"`
		MeanWaitingJobs      float64 `json:"mean_waiting_jobs"`
		PWait                float64 `json:"p_wait"`
		Utilization          float64
		IdleBlocked          float64   `json:"idle_nodes_blocked"`
		DecayRate            float64   `json:"decay_rate"`
		PEmpty               float64   `json:"p_empty"`
		VarWait              []float64 `json:"var_wait_by_class"`
		VarResponse          []float64 `json:"var_response_by_class"`
		Classes              []struct {
			MeanResponse  float64 `json:"mean_response"`
			MeanWait      float64 `json:"mean_wait"`
			PWait         float64 `json:"p_wait"`
			MeanInService float64 `json:"mean_in_service"`
		}
	}
}

func rigidReferences(t testing.TB) (all rigidReference) {
	data, err := refs.Files.ReadFile("rigid.json")
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil || len(all.Instances) != 18 || len(all.FirstFit) != 21 {
		t.Fatalf("%d instances, %d of first-fit, %v", len(all.Instances), len(all.FirstFit), err)
	}
	return all
}

func dense(rows [][]float64) *mat.Dense {
	m := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		m.SetRow(i, row)
	}
	return m
}

// servedInOrder are the measures of reference instances under first come, first served, by name. Several tests look at them.
var servedInOrder sync.Map

// firstComeFirstServed returns the measures of an instance under first come, first served, which are computed once.
func (r *rigidInstance) firstComeFirstServed(t *testing.T) models.Measures {
	t.Helper()
	if m, ok := servedInOrder.Load(r.Name); ok {
		return m.(models.Measures)
	}
	m := chained(t, r.system(t), policy.FCFS{})
	servedInOrder.Store(r.Name, m)
	return m
}

// nodeless is the speedup of jobs whose run time does not depend on their nodes.
var nodeless = workload.Speedup(workload.Amdahl{Serial: 1})

func (r *rigidInstance) system(t testing.TB) *models.System {
	arrivals, err := phasetype.NewMAP(dense(r.Arrivals.D0), dense(r.Arrivals.D1))
	if err != nil {
		t.Fatal(err)
	}
	s := &models.System{Nodes: r.Nodes, MinNodes: 1, Arrivals: arrivals}
	for k, c := range r.Classes {
		demand, err := phasetype.New(c.Alpha, dense(c.T))
		if err != nil {
			t.Fatal(err)
		}
		s.Classes = append(s.Classes, models.Class{Name: string(rune('a' + k)), Share: c.Share, Nodes: c.Nodes, Demand: demand, Speedup: nodeless})
	}
	if s.Service, err = s.ServiceTimes(); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestReferenceRigid compares all measures of all instances. Double precision leaves nine digits at .99 of the stability limit, where
// moments lose two digits, and ten elsewhere.
func TestReferenceRigid(t *testing.T) {
	needs.Concurrency(t)
	for _, r := range rigidReferences(t).Instances {
		t.Run(r.Name, func(t *testing.T) {
			m, want, tol := r.firstComeFirstServed(t), r.Expected, 1e-10
			if m.TrafficIntensity > 0.98 {
				tol = 1e-9
			}
			for _, c := range []struct {
				name      string
				got, want float64
			}{
				{"max_arrival_rate", m.MaxArrivalRate, want.MaxArrivalRate},
				{"saturated_utilization", m.Rigid.SaturatedUtilization, want.SaturatedUtilization},
				{"mean_jobs", m.MeanJobs, want.MeanJobs},
				{"variance_jobs", m.VarianceJobs, want.VarianceJobs},
				{"mean_response", m.MeanResponseTime, want.MeanResponse},
				{"mean_wait", m.MeanWaitingTime, want.MeanWait},
				{"mean_waiting_jobs", m.MeanWaitingJobs, want.MeanWaitingJobs},
				{"p_wait", m.ProbabilityWait, want.PWait},
				{"utilization", m.Utilization, want.Utilization},
				{"idle_blocked", m.Rigid.IdleBlocked, want.IdleBlocked},
				{"decay_rate", m.DecayRate, want.DecayRate},
				{"p_empty", m.ProbabilityEmpty, want.PEmpty},
			} {
				near(t, c.name, c.got, c.want, tol)
			}
			if len(m.Classes) != len(want.Classes) {
				t.Fatalf("%d classes, want %d", len(m.Classes), len(want.Classes))
			}
			for k, c := range want.Classes {
				near(t, "response of a class", m.Classes[k].MeanResponseTime, c.MeanResponse, tol)
				near(t, "wait of a class", m.Classes[k].MeanWaitingTime, c.MeanWait, tol)
				near(t, "P(wait) of a class", m.Classes[k].ProbabilityWait, c.PWait, tol)
				near(t, "jobs of a class in service", m.Classes[k].MeanJobsInService, c.MeanInService, tol)
				if len(want.VarWait) > 0 { // Poisson arrivals
					near(t, "Var[W] of a class", m.Classes[k].Variances.WaitingTime, want.VarWait[k], tol)
					near(t, "Var[T] of a class", m.Classes[k].Variances.ResponseTime, want.VarResponse[k], tol)
				}
			}
			if off := math.Abs(m.MeanJobs/want.MeanJobs - 1); off > m.Diagnostics.ErrorBound+1e-11 {
				t.Errorf("the mean number of jobs is off by %.2g, more than the bound %.2g and the digits of the reference", off,
					m.Diagnostics.ErrorBound)
			}
		})
	}
}

func TestReferenceFirstFit(t *testing.T) {
	needs.Concurrency(t)
	all := rigidReferences(t)
	systems := map[string]*models.System{}
	for _, r := range all.Instances {
		systems[r.Name] = r.system(t)
	}
	for _, r := range all.FirstFit {
		p := policy.FirstFit{Window: r.Window}
		m := chained(t, systems[r.Instance], p)
		near(t, r.Instance+": max_arrival_rate of "+p.String(), m.MaxArrivalRate, r.MaxArrivalRate, 1e-9)
		near(t, r.Instance+": mean_response of "+p.String(), m.MeanResponseTime, r.MeanResponse, 1e-9)
	}
}
