// Package filekind says what a file is by its beginning: [Beginning] is what the formats that are read look at, and [Beginning.Kind] names
// files of the formats that are not read.
package filekind
