package main

import (
	"github.com/partwise/partwise/models/workload"
)

func (inv *invocation) samples() (workload.Samples, error) { return workload.Samples{}, nil }
