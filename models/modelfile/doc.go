// Package modelfile reads the files a user writes: model files and studies, in YAML or JSON. It also writes models.
//
// The text becomes nodes that know their line and column, and settings from flags or from a study replace parts of them.
// Then the nodes are decoded: a [DistributionReader] makes their distributions and arrival processes, and what they say of machines, jobs, speedups and overheads becomes the values of packages workload and
// models. What was found wrong on the way is returned, all of it at once, as [Errors]: where it is, what is wrong, what
// would be right. A model that is returned is complete and consistent; [WriteModel] makes a file of one.
//
// # Distributions
//
// A [DistributionReader] reads phase-type distributions and arrival processes from files: as part of a model, where
// {erlang: {mean: 30s, phases: 2}} or {fit: {file: times.csv}} stands for one, and from files of their own, which it
// also writes.
//
// # Positions and mistakes
//
// [ReadTree] reads YAML and JSON into values that know where they stand, and into mistakes that say where they are.
//
// [ReadTree] turns a text into [Node]s. [Editor] replaces parts of them by settings such as machine.nodes=16. A [Cursor] is
// a node with the path that leads to it: its methods read numbers, times, words, lists and mappings, and note what is
// wrong in a [Collector], which returns all of it at once as [Errors]. What keys mean is for the readers of models and studies to say.
package modelfile
