package progress_test

import (
	"fmt"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/progress"
)

// Work of which a quarter took ten seconds takes thirty more.
func Example() {
	show := progress.Lines(func(format string, args ...any) { fmt.Printf(format+"\n", args...) }, "solving", 0)
	show(progress.Of(0.25, 10*time.Second, "5 of 20 points"))
	// Output:
	// solving: 25 % done, 5 of 20 points, about 30s left
}
