// Package policy says what the ways to share a machine are called, what they take, and what can run them.
//
// A policy is a value of a type of its own, such as [Static] with its number of partitions; an [Entry] of a [Table] is
// its line of documentation. Flags, help, completion, schemas, error messages and docs/policies.md are read from the
// table, and text is parsed there and nowhere else:
//
//	text → Table.Parse → Policy → Check on a machine → a chain (package models) or a scheduler (validate/sched)
//
// A policy of one's own needs no registration anywhere: [Table.With] returns a table that has it. Chains and schedulers
// are made by the packages that own them; a policy that brings its own says so by a second interface there.
package policy
