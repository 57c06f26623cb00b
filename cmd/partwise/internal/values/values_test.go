package values_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/values"
)

// TestWholeNumbers: lists and ranges of whole numbers within bounds.
func TestWholeNumbers(t *testing.T) {
	parse := values.WholeNumbers(2, 9)
	if got, err := parse("2,4:8:2"); err != nil || fmt.Sprint(got) != "[2 4 6 8]" {
		t.Errorf("got %v, %v", got, err)
	}
	for text, want := range map[string]string{"1": "1 is not a whole number from 2 to 9", "2.5": "2.5 is not a whole",
		"2,10": "10 is not a whole", "x": `"x" is not a number`} {
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
}
