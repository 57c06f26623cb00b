package models_test

import (
	"math"
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/phasetype"
)

// TestClassOf: a class has the arrivals of a system and its run times on a partition, and is rescaled to a load.
func TestClassOf(t *testing.T) {
	one, err := phasetype.Exponential(1)
	if err != nil {
		t.Fatal(err)
	}
	arrivals, err := phasetype.Renewal(one)
	if err != nil {
		t.Fatal(err)
	}
	half, err := one.Scale(0.5)
	if err != nil {
		t.Fatal(err)
	}
	s := &models.System{Nodes: 2, MinNodes: 1, Arrivals: arrivals, Service: []phasetype.Dist{half, one}}
	c, err := models.TimeSharedClassOf(s, 2)
	if err != nil || c.Partitions != 2 || c.Service.Mean() != 1 {
		t.Fatalf("class %v, error %v", c, err)
	}
	m := models.TimeSharedMachine{Classes: []models.TimeSharedClass{c, c}}
	if err := m.Rescale(0.6); err != nil || math.Abs(m.Load()-0.6) > 1e-15 {
		t.Errorf("load %v, error %v", m.Load(), err)
	}
	if _, err := models.TimeSharedClassOf(s, 3); err == nil {
		t.Error("no error of three partitions of two nodes")
	}
}
