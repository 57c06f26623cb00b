package testbed_test

import (
	"testing"
	"time"

	"github.com/partwise/partwise/validate/des"
	"github.com/partwise/partwise/validate/testbed"
)

func TestZZ(t *testing.T) {
	m := start(t, 8)
	w := testbed.Workload{Jobs: jobs(1, 0, 1), Phase: 20 * time.Millisecond, Elements: 1 << 12}
	tr, err := m.Transitions(t.Context(), w, 5, 150*time.Millisecond, des.Seed(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range tr {
		var a, b, c float64
		for _, s := range x.Samples {
			n := float64(len(x.Samples))
			a, b, c = a+s.Notify/n, b+s.Data/n, c+s.Start/n
		}
		t.Logf("%d %d: %d samples %.2f %.2f %.2f ms", x.Why, x.Running, len(x.Samples), 1e3*a, 1e3*b, 1e3*c)
	}
	for _, n := range []int{1, 2, 4, 8} {
		b, err := m.Alone(t.Context(), w, n, 3)
		t.Log(n, b, err)
	}
}
