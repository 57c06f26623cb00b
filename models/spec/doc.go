// Package spec reads the files a user writes: model files and studies, in YAML or JSON.
//
// Reading goes in four steps. The text becomes a tree of nodes that know their line and column (node.go, json.go);
// settings from flags or from a study replace parts of that tree (set.go); the tree is decoded, distribution by
// distribution, into the values of packages phasetype, workload and models (model.go, dist.go, speedup.go, …); and
// what was found wrong on the way is returned, all of it at once, as [Errors]: where it is, what is wrong, what would
// be right. A model that is returned is complete and consistent.
package spec
