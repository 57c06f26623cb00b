package parallel_test

import (
	"strings"
	"testing"

	"github.com/partwise/partwise/markov/parallel"
)

// A panic on another goroutine would end the program without a word from it.
func TestDoPanicsHere(t *testing.T) {
	for place := range 3 {
		others := 0
		calls := make([]func(), 3)
		for i := range calls {
			calls[i] = func() {
				if i == place {
					panic("on purpose")
				}
			}
		}
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.HasPrefix(text, "on purpose\n") || !strings.Contains(text, "do_test.go") {
					t.Errorf("call %d: recovered %q", place, text)
				}
				others++
			}()
			parallel.Do(calls...)
			t.Errorf("call %d: no panic", place)
		}()
		if others != 1 {
			t.Errorf("call %d: not recovered", place)
		}
	}
}
