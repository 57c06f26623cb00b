package study_test

import (
	"testing"

	"github.com/partwise/partwise/validate/study"
)

func TestDivisionUnit(t *testing.T) {
	for nodes, want := range map[int]int{100: 10, 128: 16, 64: 8, 12: 2, 2: 1, 10: 1, 1152: 128} {
		if got, err := study.DivisionUnit(nodes); got != want || err != nil {
			t.Errorf("%d nodes: %d, %v", nodes, got, err)
		}
	}
	for _, nodes := range []int{0, 1, 97, -8} {
		if got, err := study.DivisionUnit(nodes); err == nil {
			t.Errorf("%d nodes: %d, %v", nodes, got, err)
		}
	}
}
