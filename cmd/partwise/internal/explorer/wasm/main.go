//go:build js && wasm

// The solver in the page of the explorer: a function partwise(question) for its worker, JSON in and JSON out.
package main

import (
	"context"
	"syscall/js"

	"github.com/partwise/partwise/cmd/partwise/internal/explorer/answer"
)

func main() {
	js.Global().Set("partwise", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return string(answer.To(context.Background(), []byte(args[0].String())))
	}))
	select {} // the page calls until it is closed
}
