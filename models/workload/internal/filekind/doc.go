// Package filekind says what a file is by its beginning. Formats of job logs recognise their files by a [Beginning].
// [Beginning.Kind] names files in other formats, which no reader reads.
package filekind
