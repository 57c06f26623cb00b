// Package modelfile reads the files a user writes: model files and studies, in YAML or JSON. It also writes models.
//
// Package tree turns the text into nodes that know their line and column, and lets settings from flags or from a study
// replace parts of them. This package decodes the nodes: package distribution makes their distributions and arrival
// processes, and what they say of machines, jobs, speedups and overheads becomes the values of packages workload and
// models. What was found wrong on the way is returned, all of it at once, as [Errors]: where it is, what is wrong, what
// would be right. A model that is returned is complete and consistent; [WriteModel] makes a file of one.
package modelfile
