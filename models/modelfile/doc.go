// Package modelfile reads the files a user writes: model files and studies, in YAML or JSON. It also writes models.
//
// The text becomes a tree of nodes that know their line and column, and settings from flags or from a study replace parts
// of the tree. Then the nodes are decoded: distributions and arrival processes first, then machines, jobs, speedups and
// overheads, which become values of packages workload and models. All mistakes of a file are returned together, as
// [Errors]: where each is, what is wrong, and what would be right. A model that is returned is complete and consistent;
// [WriteModel] makes a file of a model.
//
// Phase-type distributions and arrival processes stand within a model, such as {erlang: {mean: 30s, phases: 2}} or
// {fit: {file: times.csv}}, or in files of their own, which [LoadDistribution] reads and [WriteDistribution] writes.
package modelfile
