package logstats

import (
	"errors"
	"testing"
)

// Occasions are passed in their order, whatever their number, and an error of the goroutine that gives them comes back.
func TestPassBeside(t *testing.T) {
	for _, n := range []int{0, 1, occasionsOfBatch - 1, occasionsOfBatch, 10*occasionsOfBatch + 7} {
		want, passed := errors.New("no further job"), 0
		err := passBeside(func(o occasion) {
			if o.nodes != passed {
				t.Fatalf("occasion %d of %d is %d", passed, n, o.nodes)
			}
			passed++
		}, func(take func(occasion)) error {
			for i := range n {
				take(occasion{nodes: i})
			}
			return want
		})
		if !errors.Is(err, want) || passed != n {
			t.Errorf("%d of %d occasions were passed, with the error %v", passed, n, err)
		}
	}
}

// After a panic nothing waits for the other goroutine, and the panic goes on in the caller.
func TestPassBesidePanics(t *testing.T) {
	fail := func(occasion) { panic("on purpose") }
	giveMany := func(take func(occasion)) error {
		for range 10 * occasionsOfBatch {
			take(occasion{})
		}
		return nil
	}
	for name, run := range map[string]func(){
		"pass": func() { _ = passBeside(fail, giveMany) },
		"give": func() {
			_ = passBeside(func(occasion) {}, func(take func(occasion)) error {
				_ = giveMany(take)
				panic("on purpose")
			})
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a panic of %s was lost", name)
				}
			}()
			run()
		}()
	}
}
