package des

import "golang.org/x/sys/cpu"

// available reports whether the processor has the instructions that [fourExps] needs.
var available = cpu.X86.HasAVX2

// fourExps is [Exps] for n numbers from x on, n a positive multiple of four. It makes the operations of minusLog in the
// same order on four numbers at a time, so the results are equal to the last bit.
//
//go:noescape
func fourExps(x *float64, n int, table *logInterval)
