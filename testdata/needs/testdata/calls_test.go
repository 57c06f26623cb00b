package calls

import (
	"testing"

	"github.com/partwise/partwise/testdata/needs"
)

func TestSecond(t *testing.T) { needs.Concurrency(t) }

func TestFirst(t *testing.T) {
	t.Run("", func(t *testing.T) { needs.Concurrency(t) })
}

func TestOther(t *testing.T) { needs.Long(t, "no more") }

func helper(t *testing.T) { needs.Concurrency(t) }
