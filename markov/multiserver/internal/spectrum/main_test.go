package spectrum_test

import (
	"os"
	"testing"

	"github.com/partwise/partwise/markov/internal/blocktest"
)

func TestMain(m *testing.M) { os.Exit(blocktest.Run(m)) }
