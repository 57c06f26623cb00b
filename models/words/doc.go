// Package words makes parts of sentences: lists of words, counted nouns, numbers as people read them, quoted words for a
// shell, and the remedy for an unknown word.
//
// Errors, help texts and results share these helpers, so that a list or a question reads the same wherever it appears.
package words
