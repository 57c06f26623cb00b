//go:build ignore

// Makes the solver of the explorer in the folder solver, from where the build tag explorer embeds it.
package main

import (
	"context"
	"errors"
	"log"
	"os"

	"github.com/partwise/partwise/cmd/partwise/internal/explorer"
)

func main() {
	if err := errors.Join(os.MkdirAll("solver", 0o755), explorer.Compile(context.Background(), ".", "solver")); err != nil {
		log.Fatal(err)
	}
}
