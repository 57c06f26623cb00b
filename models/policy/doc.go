// Package policy says what the ways to share a machine are called, what they take, and what can run them.
//
// A policy is a value of a type of its own, such as [Static] with its number of partitions. An [Entry] of a [Table] is
// its line of documentation. Type and entry stand in one file, and [Standard] lists the entries. Flags, help, completion,
// schemas, error messages and docs/policies.md are read from the table, and text is parsed there and nowhere else:
//
//	text → Table.Parse → Policy → Check on a machine → a chain (package models) or a scheduler (validate/sched)
//
// A policy of one's own is in no list of the module. Whatever reads policies from text, or needs to know what jobs a policy
// runs, is given a table that has the policy: [Table.With] returns such a table. Chains and schedulers are made by the packages
// that own them. A chain is found by an interface of the policy: [Splitting], [Dividing], [Spacing] or [Ruled]. A policy that brings
// its own chain or scheduler has the method of models.Chainer or of sched.Maker.
package policy
