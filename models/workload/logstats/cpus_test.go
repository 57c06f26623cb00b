package logstats

import (
	"testing"

	"github.com/partwise/partwise/models/workload/joblog"
)

// TestCPUsOf: two jobs share a node at once, and a third runs on it alone and on another node.
func TestCPUsOf(t *testing.T) {
	names := &joblog.Names{NodeLists: []string{"n1", "n[1-2]"}}
	job := func(start, run float64, nodes, cpus int, list int32) joblog.Job {
		return joblog.Job{Wait: start, Run: run, Processors: nodes, CPUs: int32(cpus), NodeList: list}
	}
	jobs := []joblog.Job{job(0, 100, 1, 4, 1), job(50, 100, 1, 8, 1), job(150, 10, 2, 12, 2), job(200, 1, 1, 12, 1)}
	c, err := CPUsOf(joblog.ListOf(jobs).All(), names, joblog.InNodes)
	if err != nil || c.OfNodes["n1"] != 12 || c.OfNodes["n2"] != 6 || c.Total() != 18 || c.Peak != 12 || c.OneNode != 3 ||
		c.Sharing != 2 || !c.Shared() {
		t.Errorf("%+v, %v", c, err)
	}
	jobs[1].NodeList = 0 // without the name of one node, the peak counts
	if c, err = CPUsOf(joblog.ListOf(jobs).All(), names, joblog.InNodes); err != nil || c.Total() != 12 || len(c.OfNodes) != 0 || c.Sharing != 2 {
		t.Errorf("%+v, %v", c, err)
	}
	names.NodeLists[0] = "n[1-"
	jobs[1].NodeList = 1
	if _, err = CPUsOf(joblog.ListOf(jobs).All(), names, joblog.InNodes); err == nil {
		t.Error("a list of nodes that cannot be read")
	}
}

// TestJobsOfNodesOfTwoSizes: a job that takes its whole node shares no node, although another node has more CPUs.
func TestJobsOfNodesOfTwoSizes(t *testing.T) {
	names := &joblog.Names{NodeLists: []string{"small", "large"}}
	jobs := []joblog.Job{{Run: 10, Processors: 1, CPUs: 8, NodeList: 1}, {Run: 10, Processors: 1, CPUs: 12, NodeList: 2},
		{Wait: 20, Run: 10, Processors: 1, CPUs: 6, NodeList: 2}}
	for _, unit := range []joblog.Unit{joblog.InNodes, joblog.InCPUs} {
		list := joblog.ListOf(jobs).All()
		if unit == joblog.InCPUs {
			list = joblog.InUnitOfCPUs(list)
		}
		if c, err := CPUsOf(list, names, unit); err != nil || c.OneNode != 3 || c.Sharing != 1 || c.Shared() {
			t.Errorf("in %s: %+v, %v", unit, c, err)
		}
	}
}
