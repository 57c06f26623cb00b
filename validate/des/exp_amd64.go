package des

import "golang.org/x/sys/cpu"

var available = cpu.X86.HasAVX2

// fourExps is what [Exps] does to n numbers from x on, n a positive multiple of four, with the operations of minusLog
// in their order: four numbers at a time, and not one bit of difference.
//
//go:noescape
func fourExps(x *float64, n int, table *logInterval)
