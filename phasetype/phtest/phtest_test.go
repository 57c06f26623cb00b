package phtest_test

import (
	"testing"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/phasetype/phtest"
	_ "github.com/partwise/partwise/validate/draws"
	"pgregory.net/rapid"
)

func TestCheckRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if err := phtest.Check(phtest.Draw(t, 2)); err != nil {
			t.Fatal(err)
		}
	})
}

func TestCheckStiff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if err := phtest.Check(phtest.Draw(t, 12)); err != nil {
			t.Fatal(err)
		}
	})
}

func TestCheckZero(t *testing.T) {
	if err := phtest.Check(phasetype.Dist{}); err != nil {
		t.Error(err)
	}
}

func TestCheckMAP(t *testing.T) {
	if err := phtest.CheckMAP(phasetype.MAP{}); err != nil {
		t.Error(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		if err := phtest.CheckMAP(phtest.DrawMAP(t, 3)); err != nil {
			t.Fatal(err)
		}
	})
}

// TestOthers: the laws are not about phases. A shifted or otherwise foreign distribution would fail, a right one not.
func TestOthers(t *testing.T) {
	d := phasetype.Must(phasetype.OrderStatistic(phasetype.Must(phasetype.Erlang(2, 1)), 2, 3))
	if err := phtest.Check(d); err != nil {
		t.Error(err)
	}
	if err := phtest.CheckFunctions(d, phasetype.NewSampler(phasetype.Must(d.Scale(2))).Draw); err == nil {
		t.Error("samples of another distribution pass")
	}
}
