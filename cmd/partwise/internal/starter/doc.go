// Package starter prints what a new file begins with: the commands init, which has commented example models, and
// schema, which has the JSON Schemas of all kinds of files. Both print embedded files as they are.
package starter
