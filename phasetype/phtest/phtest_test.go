package phtest_test

import (
	"math/rand/v2"
	"testing"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/phasetype/phtest"
	"pgregory.net/rapid"
)

func TestCheckRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if err := phtest.Check(phtest.Dist(t, 2)); err != nil {
			t.Fatal(err)
		}
	})
}

func TestCheckStiff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if err := phtest.Check(phtest.Dist(t, 12)); err != nil {
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
		if err := phtest.CheckMAP(phtest.MAP(t, 3)); err != nil {
			t.Fatal(err)
		}
	})
}

// TestOthers: a closed form satisfies the laws, and values of another distribution violate them.
func TestOthers(t *testing.T) {
	erlang := phasetype.Must(phasetype.Erlang(2, 1))
	d := phasetype.Must(phasetype.Maximum(erlang, erlang))
	if err := phtest.Check(d); err != nil {
		t.Error(err)
	}
	if err := phtest.CheckFunctions(d, phasetype.Must(d.Scale(2)).With(rand.NewPCG(1, 2)).Rand); err == nil {
		t.Error("samples of another distribution pass")
	}
}
