package phtest_test

import (
	"testing"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/phasetype/phtest"
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
