package explorer_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/explorer"
)

func ExamplePage_Write() {
	var text strings.Builder
	page := explorer.Page{Title: "Mine", Model: explorer.Start}
	if err := page.Write(&text); err == nil || errors.Is(err, explorer.ErrNoSolver) {
		fmt.Println("a page, or a program without the explorer")
	}
	// Output: a page, or a program without the explorer
}
