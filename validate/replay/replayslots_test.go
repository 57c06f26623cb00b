package replay

import (
	"context"
	"errors"
	"testing"
)

// A replay that waits for a slot ends with the context, before the slot becomes free.
func TestWaitingForASlotEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := newSlots(1)
	err := s.do(ctx, func() error {
		cancel()
		return s.do(ctx, func() error {
			t.Error("two replays share a slot")
			return nil
		})
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	begun := false
	if err := s.do(t.Context(), func() error { begun = true; return nil }); err != nil || !begun {
		t.Errorf("the slot is not free again: %v", err)
	}
}
