// Package decide answers which policy is faster on one model: the commands solve and check.
//
// A model file and the policies that are asked for become a [models.Decision]; tables, sentences, percentiles and
// sensitivities are views of it, put together in a [cli.Result]. Requirements and expectations of the file are compared
// with the same decision. Reports and studies use the sentences, too.
package decide
