// Package model is what the commands about a model file share: the flags that name and change a model and choose
// policies, and the words by which every result names models, policies, units and warnings.
//
// Flags and the first argument become a [modelfile.Model] ([Load]) and a [Request]; the results of solving or simulating it
// are named by [Heading], [Headline], [PolicyObject] and [PolicyCells], whatever command they are of.
package input
