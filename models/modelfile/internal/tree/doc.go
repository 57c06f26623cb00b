// Package tree reads YAML and JSON into values that know where they stand, and into mistakes that say where they are.
//
// [ReadTree] turns a text into [Node]s. An [Editor] replaces parts of them by settings such as machine.nodes=16. A [Cursor]
// is a node with the path that leads to it: its methods read numbers, times, words, lists and mappings, and add what is
// wrong to a [Collector], which returns all mistakes at once as [Errors]. What keys mean is for the readers of models and
// studies to say.
package tree
