package products

import "golang.org/x/sys/cpu"

// available reports whether the processor has the instructions of the kernel.
var available = cpu.X86.HasAVX2

// addRows computes the combinations, eight, four, two or one column at a time.
//
//go:noescape
func addRows(x *combinations)
