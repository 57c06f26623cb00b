package des_test

import (
	"fmt"

	"github.com/partwise/partwise/validate/internal/des"
)

func ExampleKey() {
	const arrivals, demands = 0, 1
	replication := des.Seed(42).At(0).At(7)
	a, d := replication.At(arrivals).Stream(), replication.At(demands).Stream()
	again := replication.At(arrivals).Stream()
	fmt.Println(a.Float64() == again.Float64(), a.Float64() == d.Float64())
	// Output: true false
}
