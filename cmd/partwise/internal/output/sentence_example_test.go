package output_test

import (
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
)

func ExampleCooldown() {
	with := &decide.Solved{Measures: models.Measures{Stable: true, MeanResponseTime: 3}}
	without := &decide.Solved{Measures: models.Measures{Stable: true, MeanResponseTime: 4}}
	fmt.Println(output.Cooldown("60 s", with, without))
	// Output: With a cooldown of 60 s a job takes 25 % less time than without.
}
