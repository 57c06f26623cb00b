package parallel

import (
	"errors"
	"strings"
	"testing"
)

func TestEach(t *testing.T) {
	done := make([]int, 100)
	if err := EachOf(len(done), func(i int) error { done[i]++; return nil }); err != nil {
		t.Fatal(err)
	}
	for i, times := range done {
		if times != 1 {
			t.Errorf("%d was done %d times", i, times)
		}
	}
	wrong := errors.New("wrong")
	if err := EachOf(100, func(i int) error {
		if i >= 10 {
			return wrong
		}
		return nil
	}); !errors.Is(err, wrong) {
		t.Errorf("error %v", err)
	}
}

// A panic on another goroutine would end the program without a word from it.
func TestPanicsArriveHere(t *testing.T) {
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
				if text, _ := recover().(string); !strings.HasPrefix(text, "on purpose\n") || !strings.Contains(text, "together_test.go") {
					t.Errorf("call %d: recovered %q", place, text)
				}
				others++
			}()
			Do(calls...)
			t.Errorf("call %d: no panic", place)
		}()
		if others != 1 {
			t.Errorf("call %d: not recovered", place)
		}
	}
}
