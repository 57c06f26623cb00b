package phasetype_test

import (
	"testing"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/phtest"
	"pgregory.net/rapid"
)

func TestCheckRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		decades := rapid.SampledFrom([]float64{2, 12}).Draw(t, "decades")
		if err := checkDist(phtest.Dist(t, decades)); err != nil {
			t.Fatal(err)
		}
	})
}

func TestCheckZero(t *testing.T) {
	if err := checkDist(phasetype.Dist{}); err != nil {
		t.Error(err)
	}
}

func TestCheckMAP(t *testing.T) {
	if err := checkMAP(phasetype.MAP{}); err != nil {
		t.Error(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		if err := checkMAP(phtest.MAP(t, 3)); err != nil {
			t.Fatal(err)
		}
	})
}

func TestCheckSum(t *testing.T) {
	erlang := phasetype.Must(phasetype.Erlang(2, 1))
	if err := checkDist(phasetype.Must(phasetype.Sum(erlang, erlang))); err != nil {
		t.Error(err)
	}
}
